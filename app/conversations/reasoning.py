"""Where the reasoning in a reply's text begins and ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.messages import KNOWN_TAGS, ReasoningTags

# A message of gpt-oss begins with a header and has a channel. Source: OpenAI's harmony response format.
_HEADER = re.compile(
    r"(?:<\|start\|>assistant[^<\n]{0,200})?<\|channel\|>([a-z]+)[^<\n]{0,200}"
    r"(?:<\|constrain\|>[^<\n]{0,200})?<\|message\|>"
)
_ROLE = re.compile(r"<\|start\|>assistant[^<\n]{0,200}")
_HEADER_WORDS = ("<|start|>assistant", "<|channel|>")
_MESSAGE_ENDS = ("<|end|>", "<|return|>", "<|call|>", "<|start|>assistant")
_SPACE = re.compile(r"\s*+")
_DERIVED = ((re.compile(r"<([\w:]+)>"), "</{}>"), (re.compile(r"\[(\w+)\]"), "[/{}]"))


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a reply's text, in characters, without the tags around it."""

    kind: Literal["reasoning", "answer"]
    start: int
    end: int
    is_open: bool = False  # reasoning whose end was not written


@dataclass(frozen=True, slots=True)
class _Opening:
    """What stands at the beginning of a part: the part follows at `end`."""

    end: int
    kind: Literal["reasoning", "answer"]
    ends: tuple[str, ...]  # tags, the first of which closes it
    goes_on: bool = False  # to the end of the text, where one of `ends` may stand


def split_reasoning(
    text: str, opening: str = "", tags: Sequence[ReasoningTags] = (), *, is_growing: bool = False
) -> tuple[Part, ...]:
    """The parts of a reply in their order, empty ones left out unless they are open.

    `opening` is what the prompt wrote before the text; `tags` are looked for beside KNOWN_TAGS. Only at the start of
    the reply, or after another reasoning part, is a tag one: elsewhere it is text. While the text `is_growing`, the
    beginning of a tag at its end belongs to no part, so that no part ever changes its kind.
    """
    known = (*tags, *KNOWN_TAGS, *_derive(opening))
    whole = opening + text
    parts: list[Part] = []
    position = 0
    first = _after_white_space(whole, position)
    while (found := _opening_at(whole, first, known)) is not None:
        part, position = _read_part(whole, found, is_growing)
        parts.append(part)
        first = _after_white_space(whole, position)
    if not (is_growing and _may_become_opening(whole[first : first + 600], known)):
        start = _after_blank_lines(whole, position, first) if parts else position
        parts.append(Part("answer", start, len(whole)))
    shifted = (_shift(part, len(opening)) for part in parts)
    return tuple(part for part in shifted if part.is_open or part.end > part.start)


def answer_of(text: str, opening: str = "", tags: Sequence[ReasoningTags] = ()) -> str:
    """A reply's text without its reasoning; all of it where there is no answer."""
    parts = split_reasoning(text, opening, tags)
    if all(part.kind == "answer" for part in parts):
        return text
    answers = [text[part.start : part.end].strip("\n") for part in parts if part.kind == "answer"]
    return "\n\n".join(answer for answer in answers if answer) or text


def _opening_at(text: str, position: int, known: Sequence[ReasoningTags]) -> _Opening | None:
    """The opening that stands at `position`, if one does."""
    if (header := _HEADER.match(text, position)) is not None:
        kind: Literal["reasoning", "answer"] = "reasoning" if header[1] == "analysis" else "answer"
        return _Opening(header.end(), kind, _MESSAGE_ENDS, goes_on=header[1] == "final")
    for tags in known:
        if tags.opening and text.startswith(tags.opening, position):
            return _Opening(position + len(tags.opening), "reasoning", (tags.closing,))
    return None


def _read_part(text: str, opening: _Opening, is_growing: bool) -> tuple[Part, int]:
    """The part after an opening, and where the text goes on behind it."""
    start = _after_blank_lines(text, opening.end, _after_white_space(text, opening.end))
    closing = None if opening.goes_on else _any_of(opening.ends).search(text, opening.end)
    if closing is not None:
        return Part(opening.kind, start, _before_white_space(text, start, closing.start())), closing.end()
    end = len(text)
    if is_growing:
        end -= max(_length_of_beginning(text, each) for each in opening.ends)
    elif opening.goes_on:
        end = _without_message_end(text)
    return Part(opening.kind, start, max(start, end), is_open=opening.kind == "reasoning"), len(text)


def _any_of(tags: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, tags)))


def _without_message_end(text: str) -> int:
    """Where a final message ends that goes on to the end of the text."""
    for closing in _MESSAGE_ENDS:
        if text.endswith(closing):
            return len(text) - len(closing)
    return len(text)


def _length_of_beginning(text: str, tag: str) -> int:
    """How many characters at the end of the text are the beginning of a tag."""
    return next((size for size in range(len(tag), 0, -1) if text.endswith(tag[:size])), 0)


def _may_become_opening(rest: str, known: Sequence[ReasoningTags]) -> bool:
    """Whether an opening may come of what was written so far, white space before it left out."""
    if not rest:
        return True
    openings = (*(tags.opening for tags in known), *_HEADER_WORDS)
    if any(each.startswith(rest) for each in openings):
        return True
    role = _ROLE.match(rest)
    header = rest[role.end() :] if role else rest
    return "<|channel|>".startswith(header) or (header.startswith("<|channel|>") and "\n" not in header[:400])


def _derive(opening: str) -> tuple[ReasoningTags, ...]:
    """The tags of an opening, as they are written in general."""
    return tuple(
        ReasoningTags(found[0], closing.format(found[1]))
        for pattern, closing in _DERIVED
        if (found := pattern.search(opening)) is not None
    )


def _after_white_space(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _before_white_space(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip())


def _after_blank_lines(text: str, position: int, first: int) -> int:
    """Without the line ends that follow a tag; the indentation of the first line, which begins at `first`, stays."""
    line_end = text.rfind("\n", position, first)
    return position if line_end < 0 else line_end + 1


def _shift(part: Part, num_before: int) -> Part:
    return Part(part.kind, max(0, part.start - num_before), max(0, part.end - num_before), part.is_open)
