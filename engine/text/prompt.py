"""Builds the token ids of a prompt from a conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from engine.messages import UNQUANTISED, KvScheme, Notice, Turn
from engine.text.grammar import Matcher
from engine.text.rendering import TemplateError
from engine.text.splicing import Marks, choose_marks, encode_parts, locate_replies, stored_ids
from engine.text.templates import Clockwork, Layout, Turns, choose_layout, render_layout
from engine.text.tokenizer import Tokenizer

OTHER_TOKENIZER = "The reply was begun by a model with another tokenizer. Its text was read in again."


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a request's row begins with; the last `num_reply_tokens` ids belong to the reply being continued."""

    request_id: int
    token_ids: tuple[int, ...]
    num_reply_tokens: int
    tokenizer: Tokenizer
    notices: tuple[Notice, ...] = ()
    grammar: Matcher | None = None  # at the reply's next token
    kv: KvScheme = UNQUANTISED  # as the target can


def build_prompt(
    tokenizer: Tokenizer,
    turns: Sequence[Turn],
    request_id: int,
    *,
    limit_seconds: float = 1.0,
    clock: Callable[[], datetime] | None = None,
) -> Prompt:
    """Render the turns, splice the replies' stored ids and encode the rest; every fallback becomes a notice."""
    cleaned = tuple(replace(turn, text=without_surrogates(turn.text)) for turn in turns)
    continued = cleaned[-1] if cleaned and cleaned[-1].role == "assistant" else None
    history = tuple(turn for turn in (cleaned[:-1] if continued else cleaned) if not _is_empty_reply(turn))
    token_ids, layout = _encode_history(tokenizer, history, Clockwork(limit_seconds, clock or datetime.now))
    reply_ids, reply_reasons = _encode_reply(tokenizer, continued) if continued else ((), ())
    reasons = [("template", reason) for reason in layout.reasons] + [("tokenizer", reason) for reason in reply_reasons]
    notices = tuple(Notice(request_id, code, text) for code, text in reasons)
    return Prompt(request_id, (*token_ids, *reply_ids), len(reply_ids), tokenizer, notices)


def encode_rendered(tokenizer: Tokenizer, text: str, marks: Marks) -> list[int]:
    """Encode a rendered prompt that holds no replies to splice."""
    return encode_parts(tokenizer, [text], {}, marks)


def mark_turns(tokenizer: Tokenizer, turns: Turns, template: str) -> tuple[Turns, Marks]:
    """Put cut marks into the control tokens that are spelled out in the turns' texts, and clean these."""
    turns = tuple(replace(turn, text=without_surrogates(turn.text)) for turn in turns)
    marks = choose_marks([template, *(turn.text for turn in turns)])
    return tuple(replace(turn, text=_with_cuts(tokenizer, turn, marks)) for turn in turns), marks


def _encode_history(tokenizer: Tokenizer, turns: Turns, clockwork: Clockwork) -> tuple[list[int], Layout]:
    marked, marks = mark_turns(tokenizer, turns, tokenizer.template)
    layout, text = choose_layout(tokenizer, marked, clockwork)
    ids = {number: stored_ids(tokenizer, turn) for number, turn in enumerate(turns)}
    ids = {number: reply_ids for number, reply_ids in ids.items() if reply_ids}
    parts: list[str | int] = [text]
    if ids:
        replies = {number: marked[number].text for number in ids}
        numbered = tuple(
            replace(turn, text=marks.reply(number)) if number in ids else turn for number, turn in enumerate(marked)
        )
        with suppress(TemplateError):  # raised where a template reads the replies: they are encoded then
            parts = locate_replies(text, render_layout(tokenizer, numbered, layout, clockwork), replies, marks)
    token_ids = encode_parts(tokenizer, parts, ids, marks)
    if layout.is_plain and token_ids[:1] != tokenizer.bos_ids:
        token_ids = [*tokenizer.bos_ids, *token_ids]
    return token_ids, layout


def _encode_reply(tokenizer: Tokenizer, turn: Turn) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The ids of a reply that is continued, and why they are not the stored ones."""
    token_ids = stored_ids(tokenizer, turn)
    if token_ids:
        return token_ids, ()
    is_foreign = bool(turn.token_ids) and turn.tokenizer_id != tokenizer.identity
    encoded = tokenizer.encode(turn.text, inert=True)
    return tuple(encoded), (OTHER_TOKENIZER,) if is_foreign else ()


def _with_cuts(tokenizer: Tokenizer, turn: Turn, marks: Marks) -> str:
    controls = tokenizer.reply_control_tokens if turn.role == "assistant" else tokenizer.control_tokens
    return marks.cut.join(controls.split(turn.text))


def _is_empty_reply(turn: Turn) -> bool:
    """A reply that was stopped before its first token says nothing, and some templates refuse it."""
    return turn.role == "assistant" and not turn.text.strip()


def without_surrogates(text: str) -> str:
    """Join surrogate pairs and replace lone ones, which no tokenizer takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
