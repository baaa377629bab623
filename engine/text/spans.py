"""Where turns and control tokens stand in a rendered prompt."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.messages import PromptSpan, Turn
from engine.text.rendering import TemplateError, all_within
from engine.text.splicing import Marks
from engine.text.templates import Clockwork, Layout, Turns, render_layout

if TYPE_CHECKING:
    from engine.text.tokenizer import Tokenizer

CONTROL = "control"


def find_spans(
    tokenizer: Tokenizer, turns: Turns, layout: Layout, text: str, clockwork: Clockwork, marks: Marks
) -> tuple[PromptSpan, ...]:
    """The spans of a text that these turns, with cut marks in them, were rendered to; of the text without the marks.

    A turn whose place cannot be told, as the template alters it beyond recognition, has no span.
    """
    control = [PromptSpan(start, end, CONTROL) for start, end in tokenizer.control_tokens.find(text)]
    shown = _apart(_turn_spans(tokenizer, turns, layout, text, clockwork, marks), control)
    cuts = [place for place, character in enumerate(text) if character == marks.cut]
    spans = sorted([*control, *shown], key=lambda span: span.start)
    return tuple(
        PromptSpan(span.start - bisect_left(cuts, span.start), span.end - bisect_left(cuts, span.end), span.kind)
        for span in spans
    )


def _turn_spans(
    tokenizer: Tokenizer, turns: Turns, layout: Layout, text: str, clockwork: Clockwork, marks: Marks
) -> list[PromptSpan]:
    """Rendered once more with numbers in place of the texts, the prompt shows what stands between these."""
    numbered = tuple(replace(turn, text=marks.reply(index), opening="") for index, turn in enumerate(turns))
    try:
        with all_within(clockwork.limit_seconds):
            before, found = marks.find_replies(render_layout(tokenizer, numbered, layout, clockwork))
    except TemplateError:
        return []
    spans, position = [], len(before)
    for number, following in found:
        end = _end_of(text, position, turns[number], following)
        spans.append(PromptSpan(position, end, turns[number].role))
        position = end + len(following)
    return spans if text.startswith(before) and position == len(text) else []


def _end_of(text: str, start: int, turn: Turn, following: str) -> int:
    """Where a turn's text ends that may have been trimmed, or altered; the text's end where it cannot be told."""
    for written in (turn.text, turn.text.strip()):
        if text.startswith(written + following, start):
            return start + len(written)
    end = text.find(following, start) if following else -1
    return end if end >= 0 else len(text)


def _apart(spans: Iterable[PromptSpan], others: Sequence[PromptSpan]) -> list[PromptSpan]:
    """What the others leave of some spans; both are in order."""
    left = []
    for span in spans:
        start = span.start
        for other in others:
            if start < other.end and other.start < span.end:
                left.append(replace(span, start=start, end=other.start))
                start = other.end
        left.append(replace(span, start=start))
    return [span for span in left if span.start < span.end]
