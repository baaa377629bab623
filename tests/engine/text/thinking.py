"""Tokenizers and templates of models that think: small ones with the mechanisms of published ones."""

from __future__ import annotations

import functools

import tokenizers
from tokenizers import AddedToken

from engine.text.tokenizer import Tokenizer
from tests.engine.text.small_tokenizers import byte_backend

TAGS = ("<think>", "</think>")
THINK = ("[THINK]", "[/THINK]")
CHANNELS = ("<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>")
GEMMA_CHANNELS = ("<|channel>", "<channel|>")
# Refuses channels in a reply's text, wants thinking in a field of its own, and drops that of earlier turns.
OWN_FIELD = (
    "{% for m in messages %}{% if m.role == 'assistant' %}"
    "{% if '<|channel|>analysis<|message|>' in m.content %}{{ raise_exception('a channel in the text') }}{% endif %}"
    "{% if loop.last %}{{ m.thinking }}{% endif %}"
    "<|start|>assistant<|channel|>final<|message|>{{ m.content }}<|end|>"
    "{% else %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endif %}{% endfor %}"
    "{{ '<|start|>assistant' }}"
)
# Writes the thinking of every turn from a field of its own.
KEPT = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}"
    "<think>{{ m.get('reasoning_content', '') }}</think>{% endif %}{{ m.content }}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\n' }}"
)
# Takes the thinking out of a reply's text by itself.
STRIPPED = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content.split('<channel|>')[-1] }}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\n' }}"
)


def thinking_tokenizer(template: str, tags: tuple[str, ...] = CHANNELS, *, is_special: bool = True) -> Tokenizer:
    """A tokenizer with a token for each of these tags."""
    backend = thinking_backend(tags, is_special)
    ends = {"<|im_end|>", "<|return|>"} & set(backend.get_vocab())
    return Tokenizer(
        backend,
        identity="thinking",
        template=template,
        special_tokens={"eos_token": "<|im_end|>"},
        end_ids=frozenset(backend.token_to_id(end) for end in ends),
    )


@functools.cache
def thinking_backend(tags: tuple[str, ...], is_special: bool) -> tokenizers.Tokenizer:
    """The small byte-level tokenizer with more added tokens."""
    backend = tokenizers.Tokenizer.from_str(byte_backend().to_str())
    tokens = [AddedToken(tag, special=is_special, normalized=False) for tag in tags]
    (backend.add_special_tokens if is_special else backend.add_tokens)(tokens)
    return backend
