"""tokenizer.json and tokenizer_config.json from the metadata of a GGUF file with a byte-level BPE vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE

from engine.models.errors import ModelError

_CONTROL, _USER_DEFINED = 3, 4
_CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORDS = (
    r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"  # source: Llama 3, Qwen 2
)


@dataclass(frozen=True, slots=True)
class Splitting:
    """What a pre-tokenizer's name in the metadata stands for."""

    make: Callable[[], pre_tokenizers.PreTokenizer]
    is_nfc: bool = False
    ignores_merges: bool = False  # a word that is in the vocabulary is one token, whatever the merges say
    adds_bos: bool = False  # where the metadata does not say


def _gpt2() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)


def _smollm() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), _gpt2()])


def _words(digits: str) -> pre_tokenizers.PreTokenizer:
    pattern = Regex(_CONTRACTIONS + _WORDS % digits)
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([pre_tokenizers.Split(pattern, "isolated"), byte_level])


_LLAMA3 = Splitting(lambda: _words("{1,3}"), ignores_merges=True, adds_bos=True)
_SPLITTINGS = {
    "smollm": Splitting(_smollm),
    "gpt-2": Splitting(_gpt2),
    "llama-bpe": _LLAMA3,
    "llama3": _LLAMA3,
    "llama-v3": _LLAMA3,
    "qwen2": Splitting(lambda: _words(""), is_nfc=True),
}


def make_tokenizer(metadata: dict[str, Any]) -> tuple[Tokenizer, dict[str, Any]]:
    """The tokenizer and its tokenizer_config.json; ModelError where its splitting is not one that is known exactly."""
    splitting = find_splitting(metadata)
    tokens: list[str] = metadata.get("tokenizer.ggml.tokens", [])
    if not tokens:
        raise ModelError("the file's metadata holds no vocabulary; use another conversion of the model")
    tokenizer = Tokenizer(_bpe(tokens, metadata.get("tokenizer.ggml.merges", []), splitting.ignores_merges))
    tokenizer.pre_tokenizer = splitting.make()
    tokenizer.decoder = decoders.ByteLevel()
    if splitting.is_nfc:
        tokenizer.normalizer = normalizers.NFC()
    _add_control_tokens(tokenizer, tokens, metadata.get("tokenizer.ggml.token_type", []))
    config = _tokenizer_config(metadata, tokens, splitting)
    if config["add_bos_token"] and "bos_token" in config:
        bos = config["bos_token"]
        special = [(bos, tokenizer.token_to_id(bos))]
        tokenizer.post_processor = processors.TemplateProcessing(single=f"{bos} $A", special_tokens=special)
    return tokenizer, config


def find_splitting(metadata: dict[str, Any]) -> Splitting:
    """How the file's tokenizer splits text; ModelError where that is not known exactly."""
    kind = metadata.get("tokenizer.ggml.model")
    if kind != "gpt2":
        raise ModelError(
            f"the file has a tokenizer of kind {kind!r}; only byte-level BPE ('gpt2') can be imported: "
            "use the model in MLX format instead"
        )
    name = metadata.get("tokenizer.ggml.pre", "")
    if name not in _SPLITTINGS:
        raise ModelError(
            f"the file's tokenizer splits text by {name!r}, which is not known here (known: {', '.join(_SPLITTINGS)}); "
            "use the model in MLX format instead"
        )
    return _SPLITTINGS[name]


def _bpe(tokens: list[str], merges: list[str], ignores_merges: bool) -> BPE:
    vocabulary = {text: index for index, text in enumerate(tokens)}
    pairs = [(left, right) for left, _, right in (merge.partition(" ") for merge in merges)]
    try:
        return BPE(vocab=vocabulary, merges=pairs, ignore_merges=ignores_merges)
    except Exception as error:  # tokenizers raises the bare class
        raise ModelError(f"the file's tokenizer is damaged ({error}); download the file again") from error


def _add_control_tokens(tokenizer: Tokenizer, tokens: list[str], types: list[int]) -> None:
    for text, kind in zip(tokens, types, strict=False):
        if kind == _CONTROL:
            tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False)])
        elif kind == _USER_DEFINED:
            tokenizer.add_tokens([AddedToken(text, special=False, normalized=False)])


def _tokenizer_config(metadata: dict[str, Any], tokens: list[str], splitting: Splitting) -> dict[str, Any]:
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "add_bos_token": bool(metadata.get("tokenizer.ggml.add_bos_token", splitting.adds_bos)),
        "clean_up_tokenization_spaces": False,
        "model_max_length": metadata.get("llama.context_length", 4096),
    }
    for key, name in {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}.items():
        index = metadata.get(f"tokenizer.ggml.{name}_token_id")
        if index is not None and index < len(tokens):
            config[f"{key}_token"] = tokens[index]
    template = metadata.get("tokenizer.chat_template")
    return config | ({"chat_template": template} if template else {})
