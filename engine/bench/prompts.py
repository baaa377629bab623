"""Prompt sets: chats whose questions are asked one after the other."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from engine.command_line import BadInputError, read_json_lines

DEFAULT_SET = "code_edit"
_FORMS = '{"prompt": "…"} or {"turns": ["…", "…"]}'

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Chat:
    """What a user asks, in order."""

    name: str
    questions: tuple[str, ...]


def read_chats(source: str) -> list[Chat]:
    """The chats of a supplied set or a file of JSON lines; raises BadInputError."""
    path = _find(source)
    chats = [_read_chat(place, index, value) for index, (place, value) in enumerate(read_json_lines(path), start=1)]
    if not chats:
        raise BadInputError(f"{path} has no prompts; give one JSON object a line: {_FORMS}")
    return chats


def supplied_sets() -> list[str]:
    """Names of the sets that come with Slipstream."""
    return sorted(path.stem for path in _supplied_folder().glob("*.jsonl"))


def choose(items: Sequence[T], limit: int | None, seed: int | None) -> list[T]:
    """The first `limit` items, or as many drawn with a seed; they keep their order."""
    if limit is None or limit >= len(items):
        return list(items)
    indices = range(limit) if seed is None else sorted(random.Random(seed).sample(range(len(items)), limit))
    return [items[index] for index in indices]


def _supplied_folder() -> Path:
    return Path(str(files("resources"))) / "prompts"


def _find(source: str) -> Path:
    if source in supplied_sets():
        return _supplied_folder() / f"{source}.jsonl"
    path = Path(source).expanduser()
    if not path.is_file():
        raise BadInputError(
            f"no prompts found at {source!r}; give a file of JSON lines or one of: {', '.join(supplied_sets())}"
        )
    return path


def _read_chat(place: str, index: int, value: Any) -> Chat:
    fields = value if isinstance(value, dict) else {"prompt": value}
    questions = fields.get("turns", [fields.get("prompt")])
    if not isinstance(questions, list) or not questions or not all(_is_question(text) for text in questions):
        raise BadInputError(f"{place} has no question, or one that is blank or no text; give {_FORMS}")
    return Chat(str(fields.get("id", index)), tuple(questions))


def _is_question(text: Any) -> bool:
    return isinstance(text, str) and bool(text.strip())
