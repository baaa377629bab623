"""Chat templates: turns to the text of a prompt, and what is done where a model's template refuses them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from engine.messages import Turn
from engine.text.budget import size_of
from engine.text.reasoning import find_reply_bodies, split_reply, written_reply
from engine.text.remedies import WRITE_SOMETHING
from engine.text.rendering import TemplateError, all_within, render_template
from engine.text.switches import switched
from engine.text.template_reading import reasoning_fields

if TYPE_CHECKING:
    from engine.text.tokenizer import Tokenizer

Turns = tuple[Turn, ...]

# Jinja drops a newline that ends a template; one in an expression stays.
CHATML_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\n' }}"
)
PLAIN_TEMPLATE = (
    "{% for message in messages %}{{ message.role | capitalize }}:\n{{ message.content }}\n\n{% endfor %}"
    "{{ 'Assistant:\n' }}"
)
NO_TEMPLATE = "This model has no chat template. A plain one was used, so answers may be worse."
FOLDED = "{} takes no system prompt. It was put at the start of the first message."
MERGED = "{} wants user and assistant in turn. Neighbouring messages were joined."
MAX_TIME_PATTERN = 200  # the C library writes fields of any width


@dataclass(frozen=True, slots=True)
class Clockwork:
    """What rendering needs besides the turns: a time limit for each try, the clock that templates read, and the values
    chosen for the template's switches, by name."""

    limit_seconds: float = 1.0
    clock: Callable[[], datetime] = datetime.now
    switches: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """A template that works for some turns, how they are arranged for it, and the sentences that say why."""

    template: str
    arrange: Callable[[Turns], Turns]
    reasons: tuple[str, ...] = ()
    is_plain: bool = False


def render(
    tokenizer: Tokenizer,
    turns: Sequence[Turn],
    template: str = "",
    limit_seconds: float = 1.0,
    clock: Callable[[], datetime] | None = None,
    switches: Sequence[tuple[str, str]] = (),
) -> str:
    """Render with the model's template, or the given one, and nothing else; raises TemplateError."""
    read_clock = clock or datetime.now
    source = template or tokenizer.template or plain_template(tokenizer)
    fields = reasoning_fields(source)
    variables = {
        **tokenizer.special_tokens,
        **switched(source, tuple(tokenizer.special_tokens.items()), switches),
        "messages": [_message(tokenizer, turn, fields) for turn in turns],
        "tools": None,
        "documents": None,
        "add_generation_prompt": True,
        "strftime_now": lambda pattern: _write_time(read_clock(), pattern),
    }
    return render_template(source, variables, limit_seconds, sum(size_of(turn.text) for turn in turns))


def _message(tokenizer: Tokenizer, turn: Turn, fields: Sequence[str]) -> dict[str, str]:
    """A turn as templates take it; a reply's reasoning is apart where the template has a field for it."""
    if turn.role != "assistant":
        return {"role": turn.role, "content": turn.text}
    if fields:
        reasoning, answer = split_reply(turn.text, find_reply_bodies(tokenizer, turn))
        if reasoning:
            return {"role": turn.role, "content": answer, **dict.fromkeys(fields, reasoning)}
    return {"role": turn.role, "content": written_reply(tokenizer, turn)}


def clock_at(began_at: float) -> Callable[[], datetime]:
    """A clock that stands at a time in Unix seconds; at the present where that is 0.0 or no time at all."""
    time = datetime.now()
    if began_at:
        with suppress(ValueError, OverflowError, OSError):
            time = datetime.fromtimestamp(began_at)
    return lambda: time


def _write_time(time: datetime, pattern: str) -> str:
    if len(pattern) > MAX_TIME_PATTERN:
        raise ValueError(f"a time's pattern of {len(pattern):,} characters is too long; {MAX_TIME_PATTERN} is the most")
    return time.strftime(pattern)


def choose_layout(tokenizer: Tokenizer, turns: Turns, clockwork: Clockwork) -> tuple[Layout, str]:
    """Find the first way to render the turns that works, and the text it gives; a plain template ends the list."""
    if not tokenizer.template:
        return _plain_layout(tokenizer, turns, NO_TEMPLATE, clockwork)
    try:
        return find_layout(tokenizer, turns, clockwork)
    except TemplateError as failure:
        reason = failure.sentence(tokenizer.template_name) + " The plain template was used."
        return _plain_layout(tokenizer, turns, reason, clockwork)


def find_layout(tokenizer: Tokenizer, turns: Turns, clockwork: Clockwork) -> tuple[Layout, str]:
    """The same without a plain template, all tries in the time of one; raises the first try's TemplateError."""
    first: TemplateError | None = None
    _read_before(tokenizer, clockwork)
    with all_within(clockwork.limit_seconds):
        for layout in _layouts(tokenizer):
            if first and layout.arrange(turns) == turns:
                continue
            try:
                return layout, render_layout(tokenizer, turns, layout, clockwork)
            except TemplateError as failure:
                first = first or failure
                if failure.is_final:
                    break
    assert first is not None
    raise first


def render_layout(tokenizer: Tokenizer, turns: Turns, layout: Layout, clockwork: Clockwork) -> str:
    """Render the turns as the layout arranges them."""
    arranged = layout.arrange(turns)
    text = render(tokenizer, arranged, layout.template, clockwork.limit_seconds, clockwork.clock, clockwork.switches)
    if not text.strip():
        raise TemplateError("it writes nothing", remedy=WRITE_SOMETHING)
    return text


def plain_template(tokenizer: Tokenizer) -> str:
    """ChatML where the tokenizer has its tokens, else each role's name above its text."""
    return CHATML_TEMPLATE if {"<|im_start|>", "<|im_end|>"} <= tokenizer.special_texts else PLAIN_TEMPLATE


def fold_system(turns: Turns) -> Turns:
    """Put the system texts at the start of the first user turn."""
    system = [turn.text for turn in turns if turn.role == "system"]
    rest = [turn for turn in turns if turn.role != "system"]
    first = next((index for index, turn in enumerate(rest) if turn.role == "user"), None)
    if not system:
        return turns
    if first is None:
        return (Turn("user", "\n\n".join(system)), *rest)
    rest[first] = Turn("user", "\n\n".join([*system, rest[first].text]))
    return tuple(rest)


def merge_neighbours(turns: Turns) -> Turns:
    """Join neighbouring turns of one role."""
    merged: list[Turn] = []
    for turn in turns:
        if merged and merged[-1].role == turn.role:
            merged[-1] = replace(turn, text=f"{merged[-1].text}\n\n{turn.text}")
        else:
            merged.append(turn)
    return tuple(merged)


def _read_before(tokenizer: Tokenizer, clockwork: Clockwork) -> None:
    """Have the template's source looked through, which is done once for each and is no part of rendering."""
    reasoning_fields(tokenizer.template)
    switched(tokenizer.template, tuple(tokenizer.special_tokens.items()), clockwork.switches)


def _layouts(tokenizer: Tokenizer) -> list[Layout]:
    folded, merged = (reason.format(tokenizer.template_name) for reason in (FOLDED, MERGED))
    return [
        Layout(tokenizer.template, lambda turns: turns),
        Layout(tokenizer.template, fold_system, (folded,)),
        Layout(tokenizer.template, merge_neighbours, (merged,)),
        Layout(tokenizer.template, lambda turns: merge_neighbours(fold_system(turns)), (folded, merged)),
    ]


def _plain_layout(tokenizer: Tokenizer, turns: Turns, reason: str, clockwork: Clockwork) -> tuple[Layout, str]:
    layout = Layout(plain_template(tokenizer), lambda turns: turns, (reason,), is_plain=True)
    return layout, render_layout(tokenizer, turns, layout, clockwork)
