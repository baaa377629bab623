"""Rows: what one round adds to a reply, and what stays in its state."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.costs import CostTable, Place
from engine.depth import MeasuredDepth
from engine.drafters.base import ANY, Drafter, Known
from engine.drafters.ngram import MAX_DEPTH, NgramDrafter
from engine.drafters.none import NoDrafter
from engine.messages import Delta, Finished, Sampling
from engine.row import LAST_TOKEN, NO_DRAFTER, NO_REWIND, OUT_OF_CONTEXT, Row
from engine.statistics import ReplyCounter
from engine.text.reply_text import ReplyText
from engine.text.tokenizer import Tokenizer, load_tokenizer

LETTERS = "abcd"


@pytest.fixture(scope="module")
def tokenizer(target: Path) -> Tokenizer:
    return load_tokenizer(target)


def row_with(tokenizer: Tokenizer, drafter: Drafter | None = None, **sampling: object) -> Row:
    rules = Sampling(**sampling)  # type: ignore[arg-type]
    text = ReplyText(tokenizer, rules.stops)
    return Row(1, [1, 2, 3], rules, tokenizer.end_ids, drafter or NoDrafter(), text, ReplyCounter(0.0))


@pytest.mark.parametrize(
    ("sampling", "accepted", "delivered", "kept", "reason"),
    [
        ({}, 3, "abcd", 4, None),
        ({}, 1, "ab", 2, None),
        ({}, 0, "a", 1, None),
        ({"max_tokens": 2}, 3, "ab", 3, "length"),
        ({"max_tokens": 4}, 3, "abcd", 4, "length"),
        ({"stops": ("bc",)}, 3, "a", 4, "stop"),
    ],
)
def test_state_holds_exactly_what_was_delivered(tokenizer, sampling, accepted, delivered, kept, reason):
    row = row_with(tokenizer, **sampling)
    delivery = row.deliver(tokenizer.encode(LETTERS, inert=True), 3, accepted)
    assert "".join(event.text for event in delivery.events if isinstance(event, Delta)) == delivered
    assert (delivery.kept, delivery.is_last) == (kept, reason is not None)
    assert [event.reason for event in delivery.events if isinstance(event, Finished)] == ([reason] if reason else [])


def test_end_token_is_neither_delivered_nor_kept(tokenizer):
    end_id = next(iter(tokenizer.end_ids))
    first, *_ = tokenizer.encode(LETTERS, inert=True)
    delivery = row_with(tokenizer).deliver([first, end_id, first, first], 3, 3)
    assert [event.token_ids for event in delivery.events if isinstance(event, Delta)] == [(first,)]
    assert (delivery.kept, delivery.is_last) == (2, True)


def test_proposal_leaves_room_for_the_bonus_within_the_limit(tokenizer):
    limits = (1, 2, 5, MAX_DEPTH + 1, 100)
    rows = [row_with(tokenizer, NgramDrafter(), max_tokens=limit) for limit in limits]
    assert [row.candidate(can_rewind=True).room for row in rows] == [0, 1, 4, MAX_DEPTH, MAX_DEPTH]


def test_row_without_room_for_a_proposal_says_why(tokenizer):
    short = NgramDrafter()
    short.context_length = 3
    reasons = [
        row_with(tokenizer).candidate(can_rewind=True).closed,
        row_with(tokenizer, NgramDrafter()).candidate(can_rewind=False).closed,
        row_with(tokenizer, short).candidate(can_rewind=True).closed,
        row_with(tokenizer, NgramDrafter(), max_tokens=1).candidate(can_rewind=True).closed,
        row_with(tokenizer, NgramDrafter()).candidate(can_rewind=True).closed,
    ]
    assert reasons == [NO_DRAFTER, NO_REWIND, OUT_OF_CONTEXT, LAST_TOKEN, ""]


def test_row_beside_which_another_is_about_to_join_cannot_run_ahead_and_is_not_kept_for_measuring(tokenizer):
    row = row_with(tokenizer, NgramDrafter(), max_tokens=100)
    where, proposal = Place(1, 0), Known(4, ANY, (1, 2, 3, 4))
    lengths = [
        MeasuredDepth(CostTable()).decide([row.candidate(True, is_steady)], [proposal], where).lengths
        for is_steady in (True, False)
    ]
    assert lengths == [(0,), (4,)]


def test_a_delta_says_what_of_its_text_was_accepted(tokenizer):
    row = row_with(tokenizer, stops=("dee",))
    deltas = [
        row.deliver(tokenizer.encode(text, inert=True), 3, accepted).events[0]
        for text, accepted in (("abcd", 3), ("e", 0), ("fgh", 2))
    ]
    assert [event.text[event.accepted_start : event.accepted_end] for event in deltas] == ["abc", "", "fg"]
    assert [event.text for event in deltas] == ["abc", "", "defgh"]
