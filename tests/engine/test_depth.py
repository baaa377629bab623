"""Depth: as many tokens as pay by measured costs, none where none does."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.costs import CostTable, Place, place
from engine.depth import (
    ALL_VERIFIED,
    IDLE_ROUNDS,
    LITTLE_GAIN,
    MEASURING,
    MOST_MEASURING,
    NOTHING_FOUND,
    PROBING,
    UNMEASURED,
    Candidate,
    FullDepth,
    MeasuredDepth,
    best_width,
)
from engine.drafters.base import ANY, NOTHING, Known
from engine.drafters.ngram import MAX_DEPTH, NgramLookup
from engine.forecast import Forecast, Kind
from engine.messages import KvScheme
from engine.outlook import Outlook
from tests.engine.test_costs import table

ONE = Place(1, 0)
SURE = Kind("sure", (0.95,))
LIKELY = Kind("likely", (0.5,))
CHAIN = Known(4, Kind("chain", (0.7,)))
ROW = Candidate(Forecast(), 16, "", True, 1000, 0, 0.0, "ngram", NOTHING)
CHEAP = {2: 1.1, 9: 1.3, 17: 1.6}
LINEAR = {2: 1.9, 9: 8.0, 17: 16.0}


def proposal(length: int, kind: Kind = SURE) -> Known:
    return Known(length, kind, tuple(range(length)))


def decide(policy: MeasuredDepth, *rows: tuple[Candidate, Known], where: Place = ONE):
    return policy.decide([row for row, _ in rows], [known for _, known in rows], where)


def test_width_with_the_most_expected_tokens_per_second_is_best():
    costs = {2: 1.1, 3: 1.2, 4: 3.0}
    best = best_width([[0.9, 0.8, 0.7]], 1.0, lambda width: costs[width])
    assert (best.width, best.gain) == (3, pytest.approx(2.7 / 1.2))


def test_rows_of_one_forward_are_weighed_together():
    alone = best_width([[0.9]], 1.0, lambda width: 1.5)
    beside_three_without = best_width([[0.9], [], [], []], 1.0, lambda width: 1.5)
    assert alone.pays
    assert not beside_three_without.pays
    assert beside_three_without.gain == pytest.approx((4.9 / 4) / 1.5)


def test_cheap_verifying_takes_long_proposals_and_linear_verifying_takes_none():
    assert decide(MeasuredDepth(table(1.0, CHEAP)), (ROW, proposal(16))).lengths == (16,)
    dear = decide(MeasuredDepth(table(1.0, LINEAR)), (ROW, proposal(16, LIKELY)))
    assert dear.lengths == (0,)
    assert "slower than plain here" in dear.reasons[0]


def test_gain_within_the_error_of_the_estimates_counts_as_none():
    costs = table(1.0, {2: 1.48})
    assert decide(MeasuredDepth(costs), (ROW, proposal(1, LIKELY))).reasons == (LITTLE_GAIN,)


def test_row_that_proposes_less_shares_the_width_and_keeps_its_room():
    rows = [(ROW, proposal(16)), (replace(ROW, room=3), proposal(16)), (ROW, proposal(0))]
    decision = decide(MeasuredDepth(table(1.0, CHEAP, Place(3, 0))), *rows, where=Place(3, 0))
    assert decision.lengths == (16, 3, 0)
    assert decision.reasons[2] == NOTHING_FOUND
    assert not decision.runs_ahead


def test_closed_row_keeps_its_own_reason():
    decision = decide(MeasuredDepth(table(1.0, CHEAP)), (replace(ROW, room=0, closed="It is off."), proposal(4)))
    assert (decision.lengths, decision.reasons, decision.runs_ahead) == ((0,), ("It is off.",), True)


def test_plain_rounds_start_ahead_once_no_proposal_paid_for_some_rounds():
    policy = MeasuredDepth(table(1.0, CHEAP))
    idle = [decide(policy, (replace(ROW, num_idle=num_idle), proposal(0))).runs_ahead for num_idle in (0, IDLE_ROUNDS)]
    assert idle == [False, True]


def test_plain_decoding_is_measured_first_where_it_never_was():
    costs = CostTable()
    policy = MeasuredDepth(costs)
    decision = decide(policy, (ROW, proposal(4)))
    assert (decision.lengths, decision.reasons, decision.runs_ahead) == ((0,), (MEASURING,), True)
    costs.count_plain(ONE, 1.0)
    assert decide(policy, (ROW, proposal(4))).lengths == (4,)


def test_plain_decoding_is_measured_for_each_kv_scheme():
    policy = MeasuredDepth(table(1.0, CHEAP))
    for _ in range(MOST_MEASURING):
        decision = decide(policy, (ROW, proposal(4)), where=place(1, 9, KvScheme(8, 32)))
    assert decision.reasons == (MEASURING,)
    assert decide(policy, (ROW, proposal(4))).lengths == (4,)
    assert decide(policy, (ROW, proposal(4)), where=place(1, 9, KvScheme(4, 32))).reasons == (MEASURING,)


@pytest.mark.parametrize("row", [replace(ROW, remaining=20), replace(ROW, can_run_ahead=False)])
def test_short_reply_and_one_that_must_be_waited_for_are_not_kept_for_measuring(row):
    decision = decide(MeasuredDepth(CostTable()), (row, proposal(4)))
    assert (decision.lengths, decision.reasons) == ((4,), (UNMEASURED,))


def test_measuring_that_never_succeeds_ends():
    policy = MeasuredDepth(CostTable())
    lengths = [decide(policy, (ROW, proposal(4))).lengths for _ in range(MOST_MEASURING + 1)]
    assert lengths == [(0,)] * MOST_MEASURING + [(4,)]


def test_drafter_that_needs_forwards_writes_as_far_as_its_time_pays():
    row = replace(ROW, drafter="model:a", chain=CHAIN)
    depths = []
    for seconds in (0.01, 0.3, 5.0):
        costs = table(1.0, {2: 1.1, 5: 1.2})
        for _ in range(2):
            costs.count_draft("model:a", 1, 1, seconds)
        depths += MeasuredDepth(costs).plan([row], ONE)
    assert depths == sorted(depths, reverse=True)
    assert (depths[0], depths[2]) == (4, 0)


def test_drafter_that_writes_a_block_in_one_forward_pays_for_it_once():
    costs = table(1.0, {2: 1.1, 9: 1.3})
    for _ in range(2):
        costs.count_draft("dspark:a", 1, 1, 0.3)
    block = replace(CHAIN, length=7, per_forward=7)
    rows = [replace(ROW, drafter="dspark:a", chain=chain) for chain in (block, replace(block, per_forward=1))]
    whole, cut = (MeasuredDepth(costs).plan([row], ONE)[0] for row in rows)
    assert whole == 7 > cut > 0


def test_drafter_that_doubts_all_that_it_writes_is_asked_no_more():
    costs = table(1.0, {2: 1.1, 9: 1.3})
    for _ in range(2):
        costs.count_draft("dspark:a", 1, 1, 0.3)
    policy, outlook = MeasuredDepth(costs), Outlook()
    row = replace(ROW, drafter="dspark:a", chain=replace(CHAIN, length=7, per_forward=7))
    num_asked = 0
    for _ in range(40):
        row = replace(row, forecast=outlook.forecast, seconds_since_probe=outlook.seconds_since_probe)
        asked = policy.plan([row], ONE)[0]
        num_asked += asked > 0
        doubted = replace(row.chain, length=0, num_doubted=asked)
        decision = decide(policy, (row, doubted))
        outlook.expect(doubted, 0, 0, is_probe=decision.is_probe)
        outlook.observe([], 0, 0)
        outlook.seconds_since_probe += 1.0
    assert 0 < num_asked < 10


def test_drafter_that_was_not_asked_is_not_said_to_have_nothing():
    costs = table(1.0, LINEAR)
    policy = MeasuredDepth(costs)
    row = replace(ROW, drafter="model:a", chain=CHAIN)
    assert policy.plan([row], ONE) == [0]
    assert decide(policy, (row, proposal(0))).reasons == (LITTLE_GAIN,)
    assert decide(policy, (ROW, proposal(0))).reasons == (NOTHING_FOUND,)


def test_forward_over_one_position_is_tried_where_only_wider_ones_are_known():
    costs = CostTable()
    policy = MeasuredDepth(costs)
    row = replace(ROW, drafter="model:a", chain=CHAIN, can_run_ahead=False)
    assert policy.plan([row], ONE) == [4]
    for _ in range(2):
        costs.count_verify(ONE, 5, 9.0)
    assert policy.plan([row], ONE) == [0]
    assert decide(policy, (row, proposal(0))).reasons == (UNMEASURED,)
    for _ in range(2):
        costs.count_verify(ONE, 1, 1.0)
    assert policy.plan([row], ONE) == [0]
    assert decide(policy, (row, proposal(0))).reasons == (LITTLE_GAIN,)


def test_trying_one_position_that_teaches_nothing_ends():
    costs = CostTable()
    policy = MeasuredDepth(costs)
    for _ in range(2):
        costs.count_verify(ONE, 5, 9.0)
    row = replace(ROW, drafter="model:a", chain=CHAIN, can_run_ahead=False)
    depths = [policy.plan([row], ONE) for _ in range(MOST_MEASURING + 1)]
    assert depths == [[0]] * MOST_MEASURING + [[4]]


def test_what_was_drafted_at_a_cost_is_verified():
    decision = decide(MeasuredDepth(table(1.0, LINEAR)), (replace(ROW, chain=CHAIN), Known(2, CHAIN.kind)))
    assert (decision.lengths, decision.reasons, decision.is_probe) == ((2,), (PROBING,), True)


def test_drafting_that_does_not_pay_is_tried_again_within_its_share_of_time():
    costs = table(1.0, {3: 1.5})
    for _ in range(2):
        costs.count_draft("model:a", 1, 2, 5.0)
    row = replace(ROW, drafter="model:a", chain=CHAIN)
    policy = MeasuredDepth(costs)
    assert policy.plan([replace(row, seconds_since_probe=200.0)], ONE) == [0]
    assert policy.plan([replace(row, seconds_since_probe=300.0)], ONE) == [2]


def test_width_that_was_measured_slow_is_tried_again_within_its_share_of_time():
    policy = MeasuredDepth(table(1.0, {2: 9.0, 17: 90.0}))
    early = decide(policy, (replace(ROW, seconds_since_probe=10.0), proposal(1)))
    due = decide(policy, (replace(ROW, seconds_since_probe=1000.0), proposal(1)))
    assert (early.lengths, due.lengths, due.reasons) == ((0,), (1,), (PROBING,))


def test_costs_are_looked_up_once_a_round():
    costs = table(1.0, {5: 1.2})
    policy = MeasuredDepth(costs)
    before = costs.at(ONE)
    assert policy.plan([replace(ROW, chain=CHAIN)], ONE) == [4]
    assert decide(policy, (ROW, proposal(16))).lengths == (16,)
    assert costs.at(ONE) is before
    costs.count_verify(ONE, 5, 1.3)
    assert costs.at(ONE) is not before


def test_rows_that_take_turns_share_one_allowance_for_trying_again():
    policy = MeasuredDepth(table(1.0, {2: 9.0, 17: 90.0}, Place(8, 0)))
    outlooks, spent, total = [Outlook() for _ in range(8)], 0.0, 0.0
    for turn in range(4000):
        rows = [replace(ROW, seconds_since_probe=outlook.seconds_since_probe) for outlook in outlooks]
        known = [proposal(1) if index == turn % 8 else proposal(0) for index in range(8)]
        decision = policy.decide(rows, known, Place(8, 0))
        seconds = 9.0 if any(decision.lengths) else 1.0
        spent, total = spent + seconds - 1.0, total + seconds
        for outlook, one, length in zip(outlooks, known, decision.lengths, strict=True):
            outlook.expect(one, length, 0, is_probe=decision.is_probe)
            outlook.seconds_since_probe += seconds
    assert 0.01 < spent / total < 0.025


def test_full_depth_verifies_all_that_there_is_room_for():
    decision = FullDepth().decide([ROW, replace(ROW, room=2)], [proposal(5), proposal(5)], Place(2, 0))
    assert (decision.lengths, decision.reasons) == ((5, 2), (ALL_VERIFIED,) * 2)


class Copier:
    """A reply that is known beforehand, drafted by prompt lookup in rounds of the given costs."""

    def __init__(self, prompt: Sequence[int], costs: CostTable) -> None:
        self.text = list(prompt)
        self.policy = MeasuredDepth(costs)
        self.lookup = NgramLookup()
        self.outlook = Outlook()

    def write(self, reply: Sequence[int]) -> list[int]:
        """Returns how many tokens each round verified."""
        verified, end = [], len(self.text) + len(reply)
        full = [*self.text, *reply]
        while len(self.text) < end:
            found = self.lookup.look_up(self.text, MAX_DEPTH)
            known = Known(len(found.token_ids), found.kind, found.token_ids) if found else Known(0, ANY)
            candidate = replace(ROW, forecast=self.outlook.forecast, num_idle=self.outlook.num_idle)
            decision = self.policy.decide([candidate], [known], ONE)
            (length,) = decision.lengths
            self.outlook.expect(known, length, len(self.text), is_probe=decision.is_probe)
            start = len(self.text)
            right = next((i for i in range(length) if full[start + i : start + i + 1] != [known.token_ids[i]]), length)
            self.text = full[: start + right + 1]
            self.outlook.observe(self.text, length, right)
            verified.append(length)
        return verified


def test_o28_chance_repeats_stop_being_verified_within_six_of_them_and_a_copy_brings_them_back():
    chance = random.Random(5)
    prompt = [chance.randrange(500) for _ in range(400)]
    copier = Copier(prompt, table(1.0, {2: 1.3, 4: 1.5, 9: 2.2, 17: 3.0}))
    misleading = [token for start in range(0, 240, 6) for token in (*prompt[start : start + 3], 600 + start)]
    verified = copier.write(misleading)
    assert sum(map(bool, verified)) <= 6
    assert not any(verified[60:])
    copied = copier.write(prompt[300:380])
    assert sum(copied) > 50


def test_shadow_learns_from_what_is_not_verified():
    block = list(range(100, 140))
    copier = Copier(block, CostTable())  # measures plain decoding, and verifies nothing yet
    assert not any(copier.write(block))
    assert copier.outlook.forecast.survival(NgramLookup().look_up([*block, *block[:8]], 16).kind, 1)[0] > 0.8
