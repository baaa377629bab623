"""What the headless tool's commands share: exit statuses, what bad input is, names of drafters, files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from engine.models.file_limit import import_mlx_lm

ENGINE_FAILED = 1
BAD_INPUT = 2
CUT_OFF = 3  # a reply that had to follow a grammar was ended by its limit
INTERRUPTED = 130
READER_GONE = 141


class CommandParser(argparse.ArgumentParser):
    """Each command refuses what it does not know itself, and so shows its own usage; those below are of this class."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        known, others = super().parse_known_args(args, namespace)
        if others:
            self.error(f"unrecognized arguments: {' '.join(others)}")
        return known, others


Commands: TypeAlias = "argparse._SubParsersAction[CommandParser]"  # what `add_subparsers` gives


class BadInputError(Exception):
    """What the user gave cannot be used; the text is the sentence for them."""


class EngineFailedError(Exception):
    """The engine could not go on; the text is the sentence for the user."""


def tell(text: str) -> None:
    """A sentence for the user, beside the output."""
    print(f"slipstream-engine: {text}", file=sys.stderr, flush=True)


def unreadable(path: Path, error: OSError | UnicodeDecodeError) -> BadInputError:
    """The sentence for a file that was named and cannot be read."""
    reason = (error.strerror or str(error)) if isinstance(error, OSError) else f"it is not UTF-8 ({error.reason})"
    return BadInputError(f"{path} cannot be read: {reason}")


def read_prompts(path: Path) -> list[str]:
    """The prompts of a file, one JSON object or string a line; raises BadInputError."""
    prompts = [_prompt_of(place, value) for place, value in read_json_lines(path)]
    if not prompts:
        raise BadInputError(f'{path} has no questions; give one JSON object a line: {{"prompt": "…"}}')
    return prompts


def read_json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """The value of every line that is not empty, and where it stands, for a sentence; raises BadInputError."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # JSON may hold other line separators
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, error) from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            place = f"{path}, line {number}"
            try:
                yield place, json.loads(line)
            except ValueError as error:
                raise BadInputError(f"{place} is not JSON: {error}") from error


def check_least(options: argparse.Namespace, least: int, *names: str) -> None:
    """Refuse numbers below `least`; one that was left out is None. Raises BadInputError."""
    for name in names:
        if (value := getattr(options, name)) is not None and value < least:
            raise BadInputError(f"--{name.replace('_', '-')} is {value}; it must be {least} or more")


def split_names(text: str) -> tuple[str, ...]:
    """What stands between the commas of an option, each once and without the spaces around it."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def read_drafters(text: str) -> tuple[str, ...]:
    """The drafters that --drafters names; raises BadInputError. Brings in MLX, which the table stands on."""
    import_mlx_lm()
    from engine.drafters.table import check_drafter, choices
    from engine.models.errors import DrafterError

    names = split_names(text)
    if not names:
        raise BadInputError(f"--drafters is {text!r}; give names with commas between, of: {choices()}")
    try:
        for name in names:
            check_drafter(name)
    except DrafterError as error:
        raise BadInputError(f"--drafters is {text!r}: {error}") from error
    return names


def check_json_file(path: Path | None) -> None:
    """Refuse a file that cannot be written before minutes are spent on what it is to hold; raises BadInputError."""
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise BadInputError(f"--json {str(path)!r} cannot be written; give a file in a folder that exists")


def write_json_file(path: Path, value: Any, indent: int | None = None) -> None:
    """Raises BadInputError where the disk refuses."""
    try:
        path.write_text(json.dumps(value, ensure_ascii=False, indent=indent) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"--json {str(path)!r} cannot be written: {error.strerror}; choose another file") from error


def _prompt_of(place: str, value: Any) -> str:
    prompt = value.get("prompt") if isinstance(value, dict) else value
    if not isinstance(prompt, str):
        raise BadInputError(f'{place} has no text under "prompt"; give {{"prompt": "…"}}')
    return prompt
