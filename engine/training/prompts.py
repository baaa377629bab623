"""What a drafter is taught with: questions from files, cleaned, and none of those that it will be judged by."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.command_line import BadInputError, read_json_lines

LEAST_CHARACTERS = 8
MOST_CHARACTERS = 6000
MOST_REPEATED = 0.35  # part of a text's 4-grams that stand in it before; more is a loop and teaches one
SHARED_WORDS = 12  # in a row, which two texts do not have in common by chance

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TrainingPrompt:
    """Turns of a user and of replies in turn, ending with the user's; `source` says where they are from."""

    turns: tuple[str, ...]
    source: str


def read_training_prompts(path: Path) -> list[TrainingPrompt]:
    """The prompts of a file of JSON lines, or of all such files of a folder; raises BadInputError.

    A line has `prompt`, one question, or `turns`, of which a user's and a reply's alternate where `replies` is true,
    and the first question alone counts where it is not: replies are the target's own.
    """
    paths = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not paths:
        raise BadInputError(f"{path} has no files of prompts; give a folder with .jsonl files, or one such file")
    return [prompt for path in paths for place, value in read_json_lines(path) if (prompt := _read(place, value))]


def _read(place: str, value: Any) -> TrainingPrompt | None:
    fields = value if isinstance(value, dict) else {"prompt": value}
    turns = fields.get("turns", [fields.get("prompt")])
    if not isinstance(turns, list) or not turns or not all(isinstance(turn, str) for turn in turns):
        raise BadInputError(f'{place} is no prompt; give {{"prompt": "…"}} or {{"turns": ["…", "…"]}}')
    kept = turns if fields.get("replies") is True else turns[:1]
    source = str(fields.get("src", fields.get("source", "file")))
    return TrainingPrompt(tuple(kept), source) if all(turn.strip() for turn in kept) else None


def clean(prompts: Iterable[TrainingPrompt], held_out: Sequence[str] = ()) -> Iterator[TrainingPrompt]:
    """Those that are worth a reply: of a sensible length, no loop, each once, and none that is held out."""
    seen: set[str] = set()
    is_held_out = overlap_with(held_out)
    for prompt in prompts:
        text = prompt.turns[-1]
        key = _key("\n".join(prompt.turns))
        is_sound = LEAST_CHARACTERS <= len(text) <= MOST_CHARACTERS and repeated_part(text) <= MOST_REPEATED
        if is_sound and key not in seen and not any(map(is_held_out, prompt.turns)):
            seen.add(key)
            yield prompt


def overlap_with(texts: Sequence[str]) -> Callable[[str], bool]:
    """Whether a text has SHARED_WORDS words in a row, or all of its words, in common with one of `texts`."""
    spans = {span for text in texts for span in _spans(text)}
    return lambda text: any(span in spans for span in _spans(text))


def repeated_part(text: str) -> float:
    """Part of a text's 4-grams of words that repeat an earlier one; 0.0 for a short text."""
    words = _WORDS.findall(text.lower())
    grams = Counter(zip(*(words[start:] for start in range(4)), strict=False))
    total = sum(grams.values())
    return 1 - len(grams) / total if total else 0.0


def _spans(text: str) -> Iterator[tuple[str, ...]]:
    words = _words(text)
    for start in range(max(1, len(words) - SHARED_WORDS + 1)):
        yield tuple(words[start : start + SHARED_WORDS])


def _words(text: str) -> list[str]:
    return _WORDS.findall(unicodedata.normalize("NFKC", text).lower())


def _key(text: str) -> str:
    return " ".join(_words(text))
