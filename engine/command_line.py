"""What the headless tool's commands share: exit statuses, what bad input is, files of prompts."""

from __future__ import annotations

import json
from pathlib import Path

ENGINE_FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
READER_GONE = 141


class BadInputError(Exception):
    """What the user gave cannot be used; the text is the sentence for them."""


def read_prompts(path: Path) -> list[str]:
    """The prompts of a file, one JSON object or string a line; raises BadInputError."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # JSON may hold other line separators
    except (OSError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path} cannot be read: {error}") from error
    prompts = [_read_line(path, number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not prompts:
        raise BadInputError(f'{path} has no questions; give one JSON object a line: {{"prompt": "…"}}')
    return prompts


def _read_line(path: Path, number: int, line: str) -> str:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise BadInputError(f"{path}, line {number} is not JSON: {error}") from error
    prompt = value.get("prompt") if isinstance(value, dict) else value
    if not isinstance(prompt, str):
        raise BadInputError(f'{path}, line {number} has no text under "prompt"; give {{"prompt": "…"}}')
    return prompt
