"""Where other prompts of a conversation part from this one: it is rendered as if edited, and as if gone on with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.messages import KNOWN_TAGS, Turn
from engine.text.reasoning import CHANNELS
from engine.text.rendering import TemplateError
from engine.text.templates import Clockwork, Layout, Turns, render_layout

if TYPE_CHECKING:
    from engine.text.tokenizer import Tokenizer

PROBE_SECONDS = 0.2  # of each rendering; a template that is slower does without boundaries
ANSWER = "y"
CHANNELLED = f"{CHANNELS.opening}x{CHANNELS.closing}<|start|>assistant<|channel|>final<|message|>{ANSWER}"


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Numbers of characters of a rendered prompt."""

    old: int = 0  # stay when the last message of the user is edited
    next: int | None = None  # stay when the chat goes on; None where all do, and the reply after them


def find_boundaries(tokenizer: Tokenizer, turns: Turns, layout: Layout, text: str, clockwork: Clockwork) -> Boundaries:
    """Compare a rendered prompt with later ones; what cannot be rendered tells nothing."""
    quick = replace(clockwork, limit_seconds=min(PROBE_SECONDS, clockwork.limit_seconds))

    def rendered(others: Turns) -> str | None:
        try:
            return render_layout(tokenizer, others, layout, quick)
        except TemplateError:
            return None

    lengths = []
    for reply in _probe_replies(tokenizer, layout.template, text):
        later = rendered((*turns, reply, Turn("user", ANSWER)))
        if later is not None and not _goes_on(tokenizer, text, later, reply.text):
            lengths.append(num_shared(text, later))
    edited = rendered(_with_other_question(turns))
    return Boundaries(0 if edited is None else num_shared(text, edited), min(lengths, default=None))


def num_shared(first: str, second: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[low:middle] == second[low:middle] else (low, middle - 1)
    return low


def _goes_on(tokenizer: Tokenizer, text: str, later: str, reply: str) -> bool:
    """Whether a later prompt has all of the text and the reply right behind it."""
    space = " " if tokenizer.hidden_spaces else ""  # one before the reply belongs to the reply's first token
    return later.startswith(text) and later.startswith((reply, space + reply), len(text))


def _probe_replies(tokenizer: Tokenizer, template: str, text: str) -> list[Turn]:
    """A reply without thinking and, for a template that knows it, one with; the prompt may have opened it."""
    answer = Turn("assistant", ANSWER)
    if CHANNELS in tokenizer.reasoning:
        return [answer, Turn("assistant", CHANNELLED)]
    pairs = (pair for pair in (*tokenizer.reasoning, *KNOWN_TAGS) if pair != CHANNELS)
    pair = next((pair for pair in pairs if pair.closing in template), None)
    if pair is None:
        return [answer]
    thought = f"x\n{pair.closing}\n\n{ANSWER}"
    is_begun = text.rstrip().endswith(pair.opening)
    begun = replace(answer, text=thought, opening=pair.opening)
    return [answer, begun if is_begun else replace(answer, text=f"{pair.opening}\n{thought}")]


def _with_other_question(turns: Turns) -> Turns:
    last = max((index for index, turn in enumerate(turns) if turn.role == "user"), default=None)
    if last is None:
        return turns
    other = "z" if turns[last].text.lstrip().startswith(ANSWER) else ANSWER
    return (*turns[:last], replace(turns[last], text=other), *turns[last + 1 :])
