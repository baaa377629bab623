"""Builds the token ids of a prompt from a conversation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b

from engine.messages import UNQUANTISED, KvScheme, Notice, Turn
from engine.text.boundaries import ANSWER, Boundaries, find_boundaries
from engine.text.grammar import Matcher
from engine.text.reasoning import Body, find_opening, find_reply_bodies, is_open
from engine.text.rendering import TemplateError
from engine.text.splicing import (
    Marks,
    Part,
    choose_marks,
    count_shared,
    encode_parts,
    kept_part,
    locate_replies,
    stored_ids,
)
from engine.text.template_reading import reasoning_fields
from engine.text.templates import Clockwork, Layout, Turns, choose_layout, clock_at, render_layout
from engine.text.tokenizer import Tokenizer

OTHER_TOKENIZER = "The reply was begun by a model with another tokenizer. Its text was read in again."


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a request's row begins with; the last `num_reply_tokens` ids belong to the reply being continued.

    The first `num_old` ids stay when the last message of the user is edited. `boundaries` are the numbers of ids, in
    order and all within the prompt, after which state that can only be saved exactly is worth saving: later prompts of
    the conversation part from this one there.
    """

    request_id: int
    token_ids: tuple[int, ...]
    num_reply_tokens: int
    tokenizer: Tokenizer
    notices: tuple[Notice, ...] = ()
    grammar: Matcher | None = None  # at the reply's next token
    kv: KvScheme = UNQUANTISED  # as the target can
    num_old: int = 0
    boundaries: tuple[int, ...] = ()
    opening: str = ""  # the tag of reasoning that the prompt ends with, so that the reply goes on in it
    template_id: str = ""  # tells the template that it was rendered with from others


@dataclass(frozen=True, slots=True)
class History:
    """The ids of a prompt before the reply; `num_next`: those that the next turn's prompt shares, None for all."""

    token_ids: list[int]
    layout: Layout
    num_old: int
    num_next: int | None
    opening: str


def build_prompt(
    tokenizer: Tokenizer,
    turns: Sequence[Turn],
    request_id: int,
    *,
    limit_seconds: float = 1.0,
    began_at: float = 0.0,
    switches: Sequence[tuple[str, str]] = (),
    with_boundaries: bool = True,
) -> Prompt:
    """Render the turns, splice the replies' stored ids and encode the rest; every fallback becomes a notice.

    Boundaries take as long as the rest and are of use only to a prompt that will be read.
    """
    cleaned = tuple(replace(turn, text=without_surrogates(turn.text)) for turn in turns)
    continued = cleaned[-1] if cleaned and cleaned[-1].role == "assistant" else None
    turns_before = tuple(turn for turn in (cleaned[:-1] if continued else cleaned) if not _is_empty_reply(turn))
    clockwork = Clockwork(limit_seconds, clock_at(began_at), tuple(switches))
    history = _encode_history(tokenizer, turns_before, clockwork, with_boundaries)
    reply_ids, reply_reasons = _encode_reply(tokenizer, continued) if continued else ((), ())
    reasons = [("template", reason) for reason in history.layout.reasons]
    reasons += [("tokenizer", reason) for reason in reply_reasons]
    token_ids = (*history.token_ids, *reply_ids)
    places = {min(place, len(token_ids) - 1) for place in (history.num_old, history.num_next) if place}
    return Prompt(
        request_id,
        token_ids,
        len(reply_ids),
        tokenizer,
        tuple(Notice(request_id, code, text) for code, text in reasons),
        num_old=history.num_old,
        boundaries=tuple(sorted(places - {0})),
        opening="" if continued else history.opening,
        template_id=blake2b(history.layout.template.encode(), digest_size=8).hexdigest(),
    )


def encode_rendered(tokenizer: Tokenizer, text: str, marks: Marks) -> list[int]:
    """Encode a rendered prompt that holds no replies to splice."""
    return encode_parts(tokenizer, [Part(text)], marks)[0]


def start_ids(tokenizer: Tokenizer, layout: Layout, token_ids: Sequence[int]) -> list[int]:
    """What a prompt begins with before what was rendered: plain templates write no start token."""
    return tokenizer.bos_ids if layout.is_plain and list(token_ids[:1]) != tokenizer.bos_ids else []


def mark_turns(tokenizer: Tokenizer, turns: Turns, template: str) -> tuple[Turns, Marks]:
    """Put cut marks into the control tokens that are spelled out in the turns' texts, and clean these."""
    turns = tuple(replace(turn, text=without_surrogates(turn.text)) for turn in turns)
    marks = choose_marks([template, *(turn.text for turn in turns)])
    return tuple(replace(turn, text=_with_cuts(tokenizer, turn, marks)) for turn in turns), marks


def _encode_history(tokenizer: Tokenizer, turns: Turns, clockwork: Clockwork, with_boundaries: bool) -> History:
    marked, marks = mark_turns(tokenizer, turns, tokenizer.template)
    layout, text = choose_layout(tokenizer, marked, clockwork)
    parts = _split(tokenizer, text, turns, marked, layout, clockwork, marks)
    encoded = encode_parts(tokenizer, parts, marks)
    found = find_boundaries(tokenizer, marked, layout, text, clockwork) if with_boundaries else Boundaries()
    num_old = count_shared(tokenizer, parts, encoded, found.old, marks)
    num_next = None if found.next is None else count_shared(tokenizer, parts, encoded, found.next, marks)
    token_ids = [token_id for part_ids in encoded for token_id in part_ids]
    begin = start_ids(tokenizer, layout, token_ids)
    num_next = None if num_next is None else num_next + len(begin)
    opening = _find_opening(tokenizer, text, marked, layout, clockwork)
    return History([*begin, *token_ids], layout, num_old + len(begin), num_next, opening)


def _find_opening(tokenizer: Tokenizer, text: str, turns: Turns, layout: Layout, clockwork: Clockwork) -> str:
    """The opening tag that a template ends a prompt with; where its last turn ends with one, another turn tells whose
    it is."""
    if turns and find_opening(turns[-1].text, tokenizer.reasoning):
        with suppress(TemplateError):
            other = (*turns[:-1], replace(turns[-1], text=ANSWER))
            return find_opening(render_layout(tokenizer, other, layout, clockwork), tokenizer.reasoning)
        return ""
    return find_opening(text, tokenizer.reasoning)


def _split(
    tokenizer: Tokenizer, text: str, turns: Turns, marked: Turns, layout: Layout, clockwork: Clockwork, marks: Marks
) -> list[Part]:
    """The parts of a rendered prompt: the replies whose ids are stored, and what stands between them."""
    replies: dict[int, Part] = {}
    numbered = list(marked)
    for index, turn in enumerate(turns):
        if token_ids := stored_ids(tokenizer, turn):
            reply = Part(marked[index].text, token_ids)
            bodies = find_reply_bodies(tokenizer, marked[index]) if reasoning_fields(layout.template) else []
            stretches = _stretches(tokenizer, reply, bodies, marks)
            text_with_numbers = _with_numbers(reply.text, stretches, len(replies), marks)
            opening = marked[index].opening if bodies or is_open(tokenizer, marked[index]) else ""
            numbered[index] = replace(marked[index], text=text_with_numbers, opening=opening)
            replies |= {len(replies) + place: part for place, (_, part) in enumerate(stretches)}
    with suppress(TemplateError):  # raised where a template reads the replies: they are encoded then
        if replies:
            numbered_text = render_layout(tokenizer, tuple(numbered), layout, clockwork)
            return locate_replies(tokenizer, text, numbered_text, replies, marks)
    return [Part(text)]


def _stretches(tokenizer: Tokenizer, reply: Part, bodies: Sequence[Body], marks: Marks) -> list[tuple[int, Part]]:
    """Where a reply's text may stand by itself in the prompt: as a whole, or its reasoning and its answer apart."""
    if not any(body.is_reasoning for body in bodies):
        return [(0, reply)]
    found = [(body.start, kept_part(tokenizer, reply, reply.text[body.start : body.end], marks)) for body in bodies]
    return [(start, part) for start, part in found if part is not None]


def _with_numbers(text: str, stretches: Sequence[tuple[int, Part]], first: int, marks: Marks) -> str:
    """A reply's text with a numbered mark in the place of each stretch."""
    pieces, position = [], 0
    for number, (start, part) in enumerate(stretches, first):
        pieces += [text[position:start], marks.reply(number)]
        position = start + len(part.text)
    return "".join([*pieces, text[position:]])


def _encode_reply(tokenizer: Tokenizer, turn: Turn) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The ids of a reply that is continued, and why they are not the stored ones."""
    token_ids = stored_ids(tokenizer, turn)
    if token_ids:
        return token_ids, ()
    is_foreign = bool(turn.token_ids) and turn.tokenizer_id != tokenizer.identity
    encoded = tokenizer.encode(turn.text, inert=True)
    return tuple(encoded), (OTHER_TOKENIZER,) if is_foreign else ()


def _with_cuts(tokenizer: Tokenizer, turn: Turn, marks: Marks) -> str:
    if turn.role != "assistant":
        return marks.cut.join(tokenizer.control_tokens.split(turn.text))
    pieces, position = [], 0
    bodies = find_reply_bodies(tokenizer, turn)
    has_thought = any(body.is_reasoning for body in bodies)  # its closing tag is one, what else looks like it is text
    control = tokenizer.thought_control_tokens if has_thought else tokenizer.reply_control_tokens
    for body in bodies:  # the tags between them stay what they are
        cut = marks.cut.join(control.split(turn.text[body.start : body.end]))
        pieces += [turn.text[position : body.start], cut]
        position = body.end
    return "".join([*pieces, turn.text[position:]])


def _is_empty_reply(turn: Turn) -> bool:
    """A reply that was stopped before its first token says nothing, and some templates refuse it."""
    return turn.role == "assistant" and not turn.text.strip()


def without_surrogates(text: str) -> str:
    """Join surrogate pairs and replace lone ones, which no tokenizer takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
