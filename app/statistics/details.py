"""Everything that is known of a reply, one row a fact: for its details, the inspector and a screen reader."""

from __future__ import annotations

from itertools import zip_longest

from app.conversations.records import Message, ReplyState
from app.conversations.totals import num_cached_of, num_read_of
from app.figures import (
    write_count,
    write_milliseconds,
    write_percent,
    write_rate,
    write_ratio,
    write_seconds,
    write_speedup,
)
from app.models.drafters import drafter_name
from app.models.names import model_name
from app.statistics.rounds import num_proposing_of
from engine.messages import Statistics

Row = tuple[str, str]  # what it is, what it comes to
MOST_CHARACTERS = 200  # of a system prompt
_ENDS = {
    "stop": "came to its end",
    "length": "reached the limit of tokens",
    "cancelled": "stopped",
}
_STATES = {
    ReplyState.RUNNING: "running",
    ReplyState.CUT_OFF: "cut off",
    ReplyState.FAILED: "failed",
}


def detail_rows(statistics: Statistics, reply: Message | None = None) -> tuple[Row, ...]:
    """What was measured and counted; with the message also how it ended and what wrote it."""
    rows = [*_rate_rows(statistics), *_prompt_rows(statistics)]
    if statistics.num_rounds:
        rows += [*_round_rows(statistics), *position_rows(statistics)]
    return tuple(rows + (reply_rows(reply) if reply else []))


def _rate_rows(statistics: Statistics) -> list[Row]:
    rows: list[Row] = []
    if statistics.tokens_per_second > 0:
        rows.append(("Rate", write_rate(statistics.tokens_per_second)))
    if statistics.num_rounds:
        rows.append(("Against plain", speedup_words(statistics)))
    if statistics.time_to_first_token_seconds > 0:
        rows.append(("First token", write_seconds(statistics.time_to_first_token_seconds)))
    return rows


def speedup_words(statistics: Statistics) -> str:
    if not statistics.num_proposed:
        return "nothing was drafted"
    if not statistics.speedup:
        return "not measured"
    return f"{write_speedup(statistics.speedup)}, measured here"


def speedup_tone(speedup: float) -> str:
    """The token that a rate over plain is written in: coloured from a twentieth off 1 on."""
    return "target" if speedup >= 1.05 else "alert" if speedup < 0.95 else "ink2"


def _prompt_rows(statistics: Statistics) -> list[Row]:
    rows = [("Reply", write_count(statistics.num_tokens, "tokens")), ("Prompt", prompt_words(statistics))]
    if words := reread_words(statistics):
        rows.append(("Read again", words))
    return rows


def prompt_words(statistics: Statistics) -> str:
    return f"{write_count(num_cached_of(statistics))} cached, {write_count(num_read_of(statistics))} read"


def reread_words(statistics: Statistics) -> str:
    """What was read again, and why; "" where nothing was."""
    if not statistics.num_reread:
        return ""
    verb = "was" if statistics.num_reread == 1 else "were"
    return statistics.reread_reason or f"{write_count(statistics.num_reread, 'tokens')} {verb} read again."


def _round_rows(statistics: Statistics) -> list[Row]:
    rows = [
        ("Rounds", write_count(statistics.num_rounds)),
        ("Tokens per forward", f"{statistics.tokens_per_forward:.2f}"),
    ]
    if statistics.num_proposed:
        rows += _drafting_rows(statistics)
    if statistics.verify_seconds > 0:
        rows.append(time_row(statistics))
    if statistics.num_proposed and statistics.extra_seconds > 0:
        rows.append(("Proposing cost", f"{write_seconds(statistics.extra_seconds)} in all, wider forwards included"))
    if statistics.num_rows:
        rows.append(("Replies in the batch", write_count(statistics.num_rows)))
    if statistics.num_proposed:
        rows.append(("Depth", f"{write_ratio(statistics.num_proposed / statistics.num_rounds)} a round on average"))
    if statistics.depth_reason:
        rows.append(("Depth of the last round", f"{write_count(statistics.depth)}. {statistics.depth_reason}"))
    return rows


def _drafting_rows(statistics: Statistics) -> list[Row]:
    proposing = write_count(num_proposing_of(statistics), "rounds")
    share = write_percent(statistics.num_accepted, statistics.num_proposed)
    rows = [("Accepted of proposed", f"{accepted_words(statistics)}, {share}")]
    if statistics.acceptance_length > 0:
        rows.append(("Acceptance length", f"{write_ratio(statistics.acceptance_length)}, of {proposing} that proposed"))
    share = write_percent(statistics.num_accepted, statistics.num_tokens)
    rows.append(("Accepted of the reply", f"{write_count(statistics.num_accepted, 'tokens')}, {share}"))
    rows.append(("Forwards saved", write_count(statistics.num_forwards_saved)))
    if statistics.num_verified > statistics.num_accepted:
        rest = write_count(statistics.num_verified - statistics.num_accepted)
        rows.append(("Verified, not delivered", rest))
    return rows


def accepted_words(statistics: Statistics) -> str:
    return f"{write_count(statistics.num_accepted)} of {write_count(statistics.num_proposed)}"


def time_row(statistics: Statistics) -> Row:
    """The mean times of a round; where nothing was proposed, nothing was verified either."""
    verify = write_milliseconds(statistics.verify_seconds / statistics.num_rounds)
    draft = write_milliseconds(statistics.draft_seconds / statistics.num_rounds)
    if statistics.num_proposed:
        return ("Verify, draft", f"{verify}, {draft}")
    return ("Forward, looking for a draft", f"{verify}, {draft}") if statistics.draft_seconds else ("Forward", verify)


def position_rows(statistics: Statistics) -> list[Row]:
    """Survival of each position, and its acceptance after accepted forerunners; older replies lack the latter."""
    rows = []
    counts = (statistics.proposed_by_position, statistics.accepted_by_position, statistics.reached_by_position)
    for position, (proposed, accepted, reached) in enumerate(zip_longest(*counts, fillvalue=0), start=1):
        words = f"accepted {write_count(accepted)} of {write_count(proposed)}, {write_percent(accepted, proposed)}"
        says_more = position > 1 and reached
        more = f"; {write_percent(accepted, reached)} where reached" if says_more else ""
        rows.append((f"Position {position}", words + more))
    return rows


def reply_rows(reply: Message) -> list[Row]:
    """How it ended, and what wrote it."""
    state = _STATES.get(reply.state) or _ENDS.get(reply.finish_reason, "")
    rows = [("State", state)] if state else []
    rows.append(("Model", ", ".join(filter(None, (model_name(reply.model), reply.quantisation)))))
    rows.append(("Drafter", drafter_name(reply.drafter) if reply.drafter else ""))
    rows.append(("System prompt", _first_of(reply.system_prompt)))
    rows.append(("Template", "one in place of the model's own" if reply.template else ""))
    rows.append(("Context", f"at most {write_count(reply.context_length, 'tokens')}" if reply.context_length else ""))
    rows.append(("Cache bits", write_count(reply.kv.bits) if reply.kv.bits else ""))
    rows.append(("Temperature", f"{reply.temperature:g}"))
    if reply.temperature:
        rows.append(("Seed", str(reply.seed)))
    return [row for row in rows if row[1]]


def _first_of(text: str) -> str:
    """As much of a text as a row can show."""
    words = " ".join(text.split())
    return words if len(words) <= MOST_CHARACTERS else f"{words[:MOST_CHARACTERS].rstrip()}…"
