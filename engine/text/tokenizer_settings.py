"""Reads the small files beside a tokenizer: special tokens, end ids and the chat template."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import tokenizers

from engine.messages import ReasoningTags
from engine.models.small_files import read_settings, read_start
from engine.text.reasoning import named_tags

TEMPLATE_BYTES = 4_000_000  # more than any template may have, so that one that is cut is refused as too long
NAMED_TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token")
# Ends of a chat turn that some models' generation configs forget; "<|end|>" is left out: it also ends a thought.
CHAT_END_TOKENS = ("<|im_end|>", "<|eot_id|>", "<|eot|>", "<end_of_turn>", "<turn|>", "<|endofturn|>")


def read_template(folder: Path) -> str:
    """Find the chat template of a model folder; "" where there is none."""
    path = folder / "chat_template.jinja"
    if path.is_file():
        return read_start(path, TEMPLATE_BYTES)
    for name in ("chat_template.json", "tokenizer_config.json"):
        template = read_settings(folder / name).get("chat_template")
        if isinstance(template, list):
            template = {entry.get("name"): entry.get("template") for entry in template if isinstance(entry, dict)}
        if isinstance(template, dict):
            template = template.get("default")
        if isinstance(template, str) and template:
            return template
    return ""


def read_special_tokens(folder: Path) -> dict[str, str]:
    """Collect the named special tokens ("bos_token", …) as text."""
    settings = read_settings(folder / "special_tokens_map.json") | read_settings(folder / "tokenizer_config.json")
    named = {name: _content(settings.get(name)) for name in NAMED_TOKENS}
    return {name: content for name, content in named.items() if content}


def read_named_tags(folder: Path) -> tuple[ReasoningTags, ...]:
    """The tags of reasoning that the tokenizer's settings name."""
    return named_tags(read_settings(folder / "tokenizer_config.json"))


def add_listed_tokens(backend: tokenizers.Tokenizer, folder: Path) -> None:
    """Add the tokens that only tokenizer_config.json lists, and mark the named ones as special."""
    listed = read_settings(folder / "tokenizer_config.json").get("added_tokens_decoder")
    for token_id, entry in sorted((listed or {}).items(), key=lambda item: int(item[0])):
        missing = backend.token_to_id(entry["content"]) is None
        if missing and int(token_id) == backend.get_vocab_size(with_added_tokens=True):
            flags = {key: entry[key] for key in ("lstrip", "rstrip", "normalized", "single_word") if key in entry}
            token = tokenizers.AddedToken(entry["content"], special=bool(entry.get("special")), **flags)
            backend.add_tokens([token])
    known = {token.content for token in backend.get_added_tokens_decoder().values() if token.special}
    named = [name for name in read_special_tokens(folder).values() if name not in known]
    backend.add_special_tokens([name for name in named if backend.token_to_id(name) is not None])


def read_end_ids(folder: Path, backend: tokenizers.Tokenizer, template: str) -> frozenset[int]:
    """Every id that ends a reply: those of both configs, the tokenizer's own, and the ends of the chat format."""
    config = read_settings(folder / "config.json")
    text_config = config.get("text_config")
    sources = [read_settings(folder / "generation_config.json"), config]
    sources += [text_config] if isinstance(text_config, dict) else []
    ids = {end_id for source in sources for end_id in _as_ids(source.get("eos_token_id"))}
    special = {token.content for token in backend.get_added_tokens_decoder().values() if token.special}
    names = {name for name in CHAT_END_TOKENS if name in special and (not template or name in template)}
    own_id = backend.token_to_id(read_special_tokens(folder).get("eos_token", ""))
    ids |= {end_id for end_id in [own_id, *map(backend.token_to_id, names)] if end_id is not None}
    return frozenset(ids)


def _content(token: Any) -> str:
    if isinstance(token, dict):
        token = token.get("content")
    return token if isinstance(token, str) else ""


def _as_ids(value: Any) -> Iterable[int]:
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, int) and not isinstance(item, bool) and item >= 0]
