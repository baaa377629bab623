"""Small tokenizers of the two usual kinds, made in memory or written as a model folder's files."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers

from engine.messages import Turn
from engine.text.tokenizer import Tokenizer

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TRIMMING = CHATML.replace("{{ m.content }}", "{{ m.content | trim }}")
LLAMA2 = (
    "{% for m in messages %}{% if m.role == 'user' %}<s>[INST] {{ m.content }} [/INST]"
    "{% else %} {{ m.content }} </s>{% endif %}{% endfor %}"
)
STRICT = (
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant') }}{% endif %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{{ '<|im_start|>assistant\n' }}"
)
NO_SYSTEM = (
    "{% if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" + CHATML
)


@functools.cache
def byte_backend() -> tokenizers.Tokenizer:
    """Byte-level BPE: 256 bytes, a few merges, three control tokens and one added token that is not special."""
    vocabulary = {character: index for index, character in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    merges = [("o", "w"), ("Ġ", "t"), ("h", "e"), ("Ġt", "he"), ("H", "e"), ("l", "l"), ("Ġ", "H"), ("ĠH", "e")]
    for left, right in merges:
        vocabulary.setdefault(left + right, len(vocabulary))
    backend = tokenizers.Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    backend.decoder = decoders.ByteLevel()
    names = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    backend.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in names])
    backend.add_tokens([AddedToken("<think>", special=False, normalized=False)])
    return backend


@functools.cache
def sentence_backend() -> tokenizers.Tokenizer:
    """SentencePiece's kind: byte tokens for what is unknown, a space added in front and hidden again."""
    names = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁"]
    names += [chr(code) for code in range(33, 127)]
    vocabulary = {name: index for index, name in enumerate(names)}
    merges = [("l", "l"), ("▁", "H"), ("▁H", "e"), ("▁He", "ll"), ("▁Hell", "o"), ("▁", "t"), ("o", "w")]
    for left, right in merges:
        vocabulary.setdefault(left + right, len(vocabulary))
    backend = tokenizers.Tokenizer(models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", byte_fallback=True))
    backend.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    backend.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    special = [AddedToken(text, special=True, normalized=False) for text in ("<unk>", "<s>", "</s>")]
    backend.add_special_tokens(special)
    return backend


def byte_tokenizer(template: str = CHATML) -> Tokenizer:
    """A ChatML model's tokenizer."""
    backend = byte_backend()
    return Tokenizer(
        backend,
        identity="bytes",
        template=template,
        special_tokens={"eos_token": "<|im_end|>"},
        end_ids=frozenset([backend.token_to_id("<|im_end|>")]),
    )


def sentence_tokenizer(template: str = LLAMA2) -> Tokenizer:
    """A Llama 2 kind of tokenizer."""
    return Tokenizer(
        sentence_backend(),
        identity="sentences",
        template=template,
        special_tokens={"bos_token": "<s>", "eos_token": "</s>"},
        end_ids=frozenset([2]),
    )


def spelled(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    """Ids of a text that its own encoding would never give: one a character."""
    return tuple(token_id for character in text for token_id in tokenizer.encode(character, inert=True))


def reply(tokenizer: Tokenizer, text: str, ids: tuple[int, ...] | None = None) -> Turn:
    """A generated reply, as spelled ids or the given ones."""
    return Turn("assistant", text, spelled(tokenizer, text) if ids is None else ids, tokenizer.identity)


def write_folder(folder: Path, backend: tokenizers.Tokenizer | None = None, **files: Any) -> Path:
    """Write tokenizer.json and, for each keyword, a JSON file of that name."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text((backend or byte_backend()).to_str(), encoding="utf-8")
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return folder
