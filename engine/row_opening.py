"""Makes a row of a request and its prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.drafters.base import Drafter, TargetView
from engine.kv.state import StateKind
from engine.messages import Submit
from engine.row import Row
from engine.statistics import ReplyCounter
from engine.text.checks import choose_context
from engine.text.prompt import Prompt
from engine.text.reply_text import ReplyText


def open_row(
    submit: Submit,
    prompt: Prompt,
    drafter: Drafter,
    target: TargetView,
    state_kind: StateKind | None,
    sent_at: float,
    is_stopping: Callable[[], bool],
) -> Row:
    """A row that has read nothing yet; a continued reply counts its tokens on from where it stopped."""
    has_replies = any(turn.role == "assistant" for turn in submit.turns) and not submit.is_trial
    num_old = 0 if not has_replies else len(prompt.token_ids) - 1 if prompt.num_reply_tokens else prompt.num_old
    split = len(prompt.token_ids) - prompt.num_reply_tokens
    context_length = choose_context(submit.context_length, target.context_length)
    room = context_length - len(prompt.token_ids)
    return Row(
        request_id=submit.request_id,
        prompt_ids=prompt.token_ids,
        sampling=replace(submit.sampling, max_tokens=min(submit.sampling.max_tokens, room)),
        context_length=context_length if room <= submit.sampling.max_tokens else 0,
        end_ids=prompt.tokenizer.end_ids,
        drafter=drafter,
        text=ReplyText(prompt.tokenizer, submit.sampling.stops, prompt.token_ids[split:]),
        counter=ReplyCounter(sent_at),
        position=prompt.num_reply_tokens,
        grammar=prompt.grammar,
        kv=prompt.kv,
        is_stopping=is_stopping,
        conversation_id=submit.conversation_id,
        state_kind=state_kind,
        num_old=num_old,
        boundaries=prompt.boundaries,
        template_id=prompt.template_id,
    )
