"""What is counted and timed of a reply and of the batch that it runs in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GroupStatistics:
    """The batch that a reply took part in, since it began to decode; prompts that are read count nowhere.

    It counts rounds whose tokens every row has got: not the one that these statistics come with.
    `tokens_per_forward` is of all rows' tokens. `tokens_per_second` is over the last two seconds.
    """

    num_rows: int = 0  # in the last round
    num_forwards: int = 0
    num_tokens: int = 0
    tokens_per_forward: float = 0.0
    tokens_per_second: float = 0.0
    draft_seconds: float = 0.0
    verify_seconds: float = 0.0


NO_GROUP_STATISTICS = GroupStatistics()


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts and times of one reply so far; `num_prompt` counts tokens read and cached ones alike.

    `num_cached` counts prompt tokens whose state came from the prompt cache, `num_read` those that were read, which are
    not all others where the reply was stopped before. `num_reread` counts those that this
    conversation had read or written before and that were read again, which `reread_reason` tells the user in a
    sentence, the count and the cause. What stands behind an edit is new, where it was not read on this branch before.

    `num_verified` counts proposal tokens that the target chose too, `num_accepted` those of them that were delivered;
    the target's own token that ends a round is never one.
    At place i, over the rounds that proposed more than i tokens: `proposed_by_position` counts these rounds,
    `reached_by_position` those whose first i tokens were accepted, `accepted_by_position` those whose token i was, too.
    So accepted / proposed is survival, accepted / reached the acceptance of a token whose forerunners all stand.
    `acceptance_length` is the mean of accepted + 1 over rounds that proposed; 0.0 where none did.
    `num_forwards_saved`: forwards that plain decoding would have needed for the same tokens, less those that were made.
    `tokens_per_second` is of decoding: tokens after the first over the time since the first; 0.0 before the second.
    `speedup`: the time that plain decoding takes for the same tokens at its best, measured on this machine at the same
    number of rows and no longer a context, over the time that they took, drafting included; 0.0 where no such
    measurement is known.
    """

    num_prompt: int = 0
    num_cached: int = 0
    num_read: int | None = None  # prompt tokens that were read; None in statistics that were kept before they told it
    num_reread: int = 0
    reread_reason: str = ""  # "" where num_reread is 0
    num_tokens: int = 0
    num_rounds: int = 0
    num_proposed: int = 0
    num_verified: int = 0
    num_accepted: int = 0
    proposed_by_position: tuple[int, ...] = ()
    reached_by_position: tuple[int, ...] = ()
    accepted_by_position: tuple[int, ...] = ()
    acceptance_length: float = 0.0
    tokens_per_forward: float = 0.0
    num_forwards_saved: int = 0
    tokens_per_second: float = 0.0
    time_to_first_token_seconds: float = 0.0
    num_rows: int = 0  # rows in the batch in the last round
    depth: int = 0  # tokens that were proposed in the last round at most
    depth_reason: str = ""  # why the depth is what it is, for the user
    draft_seconds: float = 0.0
    verify_seconds: float = 0.0
    extra_seconds: float = 0.0  # what proposals cost: drafting, and verifying beyond the time of a plain forward
    speedup: float = 0.0
    group: GroupStatistics = NO_GROUP_STATISTICS


NO_STATISTICS = Statistics()
