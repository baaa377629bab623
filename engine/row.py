"""Everything about one request from its prompt to its end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.acceptance import Emission, emit
from engine.depth import Candidate
from engine.drafters.base import Drafter, DraftRow
from engine.kv.state import StateKind
from engine.messages import (
    UNQUANTISED,
    Delta,
    Event,
    Failed,
    Finished,
    KvScheme,
    Notice,
    Sampling,
    TokenLogprob,
)
from engine.outlook import Outlook
from engine.sampling import Choice
from engine.statistics import ReplyCounter
from engine.text.grammar import Matcher
from engine.text.reply_text import ReplyText

if TYPE_CHECKING:
    from engine.checkpoints import Restored
    from engine.prompt_cache.held import Held

NO_DRAFTER = "No drafter is chosen."
NO_REWIND = "This model's state cannot be rewound, so nothing is proposed."
OUT_OF_CONTEXT = "The chat is longer than the drafter can follow."
LAST_TOKEN = "The reply's limit leaves room for one token only."


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a row did with one round: `kept` window positions stay in its state, `is_last` where it ended."""

    events: tuple[Event, ...]
    kept: int
    is_last: bool


@dataclass(slots=True, eq=False)
class Row:
    """One request; `rows[i]` of a group is batch index i of its state."""

    request_id: int
    prompt_ids: Sequence[int]
    sampling: Sampling
    end_ids: Collection[int]
    drafter: Drafter
    text: ReplyText
    counter: ReplyCounter
    position: int = 0  # index in the reply of the next token; starts past a continued reply's tokens
    context_length: int = 0  # tokens; 0 where the reply's own limit ends it first
    grammar: Matcher | None = None
    kv: KvScheme = UNQUANTISED
    is_stopping: Callable[[], bool] = field(default=lambda: False)  # asked between the tokens of a burst
    conversation_id: str = ""
    state_kind: StateKind | None = None  # of its state in the target; None where that cannot be saved
    num_old: int = 0  # prompt tokens of earlier turns; 0 where there is no earlier reply
    template_id: str = ""  # of the template that the prompt was made with
    boundaries: Sequence[int] = ()  # prompt tokens after which later prompts may go on otherwise, ascending
    restored: Restored | None = None  # what was found of the prompt, until it is read on from there
    num_read: int = 0  # prompt tokens in the target's state
    num_delivered: int = 0
    outlook: Outlook = field(default_factory=Outlook)
    history: list[int] = field(init=False)  # the prompt and what was delivered; the last is pending
    is_out_of_context: bool = False  # longer than its drafter covers, and said so
    is_over: bool = False  # has ended, and leaves as soon as nothing is in flight
    has_failed: bool = False  # its state can no longer be trusted

    def __post_init__(self) -> None:
        self.history = list(self.prompt_ids)
        self.counter.num_prompt = len(self.prompt_ids)

    @property
    def held(self) -> tuple[Held, ...]:
        """What it keeps in the prompt cache's memory."""
        found = self.restored
        return tuple(filter(None, (found.target, found.drafter))) if found else ()

    def read_anew(self, reason: str) -> None:
        """Let go of what was found of the prompt; `reason` is for the user."""
        self.restored, self.counter.num_cached = None, 0
        self.counter.num_reread = min(self.num_old, len(self.prompt_ids) - 1)
        self.counter.reread_reason = reason if self.counter.num_reread else ""

    @property
    def pending(self) -> int:
        """The token that is known, but not in the target's state."""
        return self.history[-1]

    @property
    def num_unread(self) -> int:
        """Prompt tokens that are still to be read; the last one stays pending."""
        return len(self.prompt_ids) - 1 - self.num_read

    @property
    def num_tokens(self) -> int:
        return len(self.prompt_ids) + self.num_delivered

    @property
    def most_tokens(self) -> int:
        """What it may grow to."""
        return len(self.prompt_ids) + self.sampling.max_tokens

    @property
    def draft_room(self) -> int:
        """Tokens that the drafter's context has left."""
        return max(0, self.drafter.context_length - self.num_tokens)

    @property
    def remaining(self) -> int:
        return self.sampling.max_tokens - self.num_delivered

    @property
    def num_uncached(self) -> int:
        """Prompt tokens that were not restored."""
        return len(self.prompt_ids) - self.counter.num_cached

    @property
    def is_exact(self) -> bool:
        """Whether its state can be restored only at tokens where it was saved."""
        return self.state_kind is not None and self.state_kind.shape.is_exact

    @property
    def has_exact_part(self) -> bool:
        """Whether that holds of its target's state or of its drafter's."""
        return any(kind.shape.is_exact for kind in (self.state_kind, self.drafter.state_kind) if kind)

    @property
    def num_to_boundary(self) -> int:
        """Prompt tokens up to the next place where reading pauses so that the state can be saved there."""
        ahead = [place - self.num_read for place in self.boundaries if place > self.num_read and self.has_exact_part]
        return min([self.num_unread, *ahead])

    def choice(self, proposal: Sequence[int]) -> Choice:
        """How the tokens are chosen that follow the pending one and each of the proposal; a grammar looks ahead."""
        masks = self.grammar.look_ahead(proposal) if self.grammar else ()
        return Choice(self.sampling, self.position, self._recent(1), masks)

    def choice_ahead(self) -> Choice:
        """How the token is chosen after the one that follows the pending one and is not known yet."""
        assert self.can_run_ahead
        return Choice(self.sampling, self.position + 1, self._recent(0))

    @property
    def can_run_ahead(self) -> bool:
        """Whether a further round may start on a token that was not read back: no grammar has to see it."""
        return not (self.is_over or self.grammar or self.remaining <= 1)

    def draft_view(self, chain_depth: int, index: int) -> DraftRow:
        return DraftRow(self.history, Choice(self.sampling, self.position), chain_depth, index)

    def leave_drafter_context(self) -> Notice | None:
        """Says once that the drafter's context ends before the row's own."""
        if self.draft_room or self.is_out_of_context:
            return None
        self.is_out_of_context = True
        text = f"Drafter off: this chat is longer than the {self.drafter.context_length:,} tokens that it can follow."
        return Notice(self.request_id, "drafter_off", text)

    def candidate(self, can_rewind: bool, is_steady: bool = True) -> Candidate:
        """This row as the choice of its depth sees it; the bonus takes one of the tokens that its limit leaves.

        `is_steady`: no row is about to join, so that rounds may start ahead.
        """
        room = max(0, min(self.drafter.max_depth, self.draft_room, self.remaining - 1)) if can_rewind else 0
        return Candidate(
            forecast=self.outlook.forecast,
            room=room,
            closed="" if room else self._why_closed(can_rewind),
            can_run_ahead=self.can_run_ahead and is_steady,
            remaining=self.remaining,
            num_idle=self.outlook.num_idle,
            seconds_since_probe=self.outlook.seconds_since_probe,
            drafter=self.drafter.identity,
            chain=self.drafter.chain,
        )

    def deliver(
        self, target_ids: Sequence[int], num_proposed: int, num_accepted: int, logprobs: Sequence[TokenLogprob] = ()
    ) -> Delivery:
        """Take one round's tokens up to an end, a stop string or the limit, and count them.

        target_ids [num_proposed + 1]: the target's choices after each window position; logprobs: theirs, if asked for.
        """
        emission = emit(target_ids, num_accepted, self.end_ids, self.remaining)
        text, num_tokens, reason = self._read(emission)
        accepted = min(num_tokens, emission.num_accepted)
        is_read_out = num_tokens == len(emission.token_ids) and not self.text.stopped and not self._is_complete
        has_end = emission.reason == "stop" and is_read_out
        self.counter.count_round(num_proposed, num_accepted, accepted, num_tokens, has_end=has_end)
        self.num_delivered += num_tokens
        self.position += num_tokens
        token_ids = emission.token_ids[:num_tokens]
        self.history += token_ids
        self.outlook.observe(self.history, num_proposed, num_accepted)
        events = self._events(text, token_ids, accepted, reason, tuple(logprobs[:num_tokens]))
        return Delivery(events, 1 + accepted, reason is not None)

    def end(self, reason: str) -> tuple[Event, ...]:
        """The events that end this row between rounds: text that was held back, then Finished."""
        return self._events(self.text.flush(), (), 0, reason)

    def _recent(self, num_pending: int) -> list[int]:
        """The tokens that penalties look at, without the last `num_pending` ones, which are in the window."""
        end = len(self.history) - num_pending
        return self.history[max(0, end - self.sampling.penalty_window) : end]

    def _events(
        self,
        text: str,
        token_ids: tuple[int, ...],
        num_accepted: int,
        reason: str | None,
        logprobs: tuple[TokenLogprob, ...] = (),
    ) -> tuple[Event, ...]:
        has_begun = self.counter.num_rounds > 0  # the pending token is read by the first round
        self.counter.num_read = max(0, self.num_read + has_begun - self.counter.num_cached)
        statistics = self.counter.statistics()
        events: list[Event] = []
        if text or token_ids:
            span = self.text.show_accepted(text)
            events.append(Delta(self.request_id, text, token_ids, num_accepted, statistics, logprobs, *span))
        if reason == "length" and self.context_length:
            events.append(Notice(self.request_id, "context", full_context(self.context_length)))
        if reason == "fault":
            events.append(Failed(self.request_id, "request", f"{self._fault}."))
        elif reason is not None:
            events.append(Finished(self.request_id, reason, statistics))
        return tuple(events)

    def _read(self, emission: Emission) -> tuple[str, int, str | None]:
        """Text and number of the tokens that stand, and why the row ends, if it does."""
        pieces: list[str] = []
        for index, token_id in enumerate(emission.token_ids):
            if self.is_stopping() or self._fault:
                return "".join([*pieces, self.text.flush()]), index, "fault" if self._fault else "cancelled"
            pieces.append(self.text.push(token_id, index < emission.num_accepted))
            if self.text.stopped:
                return "".join(pieces), index + 1, "stop"
            if self._completes_grammar(token_id):
                return "".join([*pieces, self.text.flush()]), index + 1, "stop"
        if emission.reason is not None:
            pieces.append(self.text.flush())
        reason = "fault" if emission.reason == "stop" and self._fault else emission.reason
        return "".join(pieces), len(emission.token_ids), reason

    def _why_closed(self, can_rewind: bool) -> str:
        if not (self.drafter.max_depth and can_rewind):
            return NO_REWIND if self.drafter.max_depth else NO_DRAFTER
        return OUT_OF_CONTEXT if not self.draft_room else LAST_TOKEN

    @property
    def _fault(self) -> str:
        """Why the grammar lets no token stand next, not the end either; "" where one can."""
        return self.grammar.fault if self.grammar else ""

    def _completes_grammar(self, token_id: int) -> bool:
        """Move the grammar past a token that is delivered; True where nothing may follow it."""
        if self.grammar is None:
            return False
        self.grammar.take(token_id)
        return self._is_complete

    @property
    def _is_complete(self) -> bool:
        """Whether a grammar ends the reply, without the forward that an end token takes."""
        return self.grammar is not None and self.grammar.is_complete


def full_context(context_length: int) -> str:
    """The sentence for a reply that the context ends."""
    return (
        f"The context of {context_length:,} tokens is full. "
        "Start a new chat, or choose a longer context or a model that has one."
    )
