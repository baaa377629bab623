"""The equalities that hold for every drafter, token for token on a tiny fp32 target."""

from __future__ import annotations

import pytest

from engine.drafters.name import split_name
from engine.drafters.table import DRAFTERS
from engine.kv.extent import Extent
from engine.messages import Cancel
from tests.engine.drafters.reading import KINDS
from tests.engine.harness import DRAFTED, submit

PROMPTS = ("aaaa bbbb aaaa bbbb", "The quick brown fox", "x", "one two three one two three one two", "é ü 日本 🙂")
SAMPLINGS = ({"temperature": 0.0}, {"temperature": 0.8, "seed": 7}, {"temperature": 1.3, "seed": 2**62 + 1})


def test_every_drafter_is_put_to_the_equalities(drafters):
    kinds = {split_name(name)[0] for name in drafters.values()}
    assert kinds | KINDS | {"auto"} == set(DRAFTERS)  # those that read their target have targets of their own
    assert set(drafters) == set(DRAFTED)


def test_plain_text_of_the_tiny_target_varies(alone):
    assert len({tuple(alone(text)) for text in PROMPTS}) == len(PROMPTS)
    assert len(set(alone(PROMPTS[1]))) > 5


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("drafter", DRAFTED, indirect=True)
def test_drafted_equals_undrafted(engine, target, alone, drafter, sampling):
    for request_id, text in enumerate(PROMPTS, start=1):
        engine.send(submit(request_id, target, text, drafter=drafter, **sampling))
        engine.run()
        assert engine.ids_of(request_id) == alone(text, **sampling)


@pytest.mark.parametrize("drafter", DRAFTED, indirect=True)
def test_batched_equals_alone_with_unequal_sampling_and_limits(engine, target, alone, drafter):
    options = [{**SAMPLINGS[index % 3], "max_tokens": 10 + 9 * index} for index in range(len(PROMPTS))]
    for request_id, (text, option) in enumerate(zip(PROMPTS, options, strict=True), start=1):
        engine.send(submit(request_id, target, text, drafter=drafter, **option))
        engine.step(2)
    engine.run()
    for request_id, (text, option) in enumerate(zip(PROMPTS, options, strict=True), start=1):
        assert engine.ids_of(request_id) == alone(text, **option)
        assert engine.reason_of(request_id) == "length"
        assert engine.most_rows_of(request_id) > 1


@pytest.mark.parametrize("drafter", ["ngram", "suffix", "other model"], indirect=True)
def test_copies_of_text_that_repeats_itself_are_accepted_and_change_no_token(engine, looping_target, alone, drafter):
    texts = [PROMPTS[index % len(PROMPTS)] for index in range(8)]
    engine.send(*(submit(i, looping_target, text, drafter=drafter, max_tokens=90) for i, text in enumerate(texts)))
    engine.run()
    assert [engine.ids_of(i) for i in range(8)] == [alone(text, looping_target, max_tokens=90) for text in texts]
    assert min(engine.statistics_of(i).num_accepted for i in range(8)) > 5


def test_rows_of_different_drafters_share_a_batch(engine, target, alone, drafters):
    names = [drafters[name] for name in ("none", "ngram", "other model", "suffix", "other model")]
    engine.send(*(submit(index, target, PROMPTS[index], drafter=names[index]) for index in range(5)))
    engine.run()
    assert [engine.ids_of(index) for index in range(5)] == [alone(text) for text in PROMPTS]
    assert all(engine.most_rows_of(index) == 5 for index in range(5))
    assert [engine.statistics_of(index).num_proposed > 0 for index in (0, 2, 4)] == [False, True, True]


@pytest.mark.parametrize("drafter", DRAFTED, indirect=True)
def test_cancelled_neighbour_equals_no_neighbour(engine, target, alone, drafter):
    engine.send(*(submit(index, target, PROMPTS[index], drafter=drafter) for index in range(3)))
    engine.step_until(lambda: len(engine.ids_of(1)) > 4)
    engine.send(Cancel(1))
    engine.run()
    assert engine.reason_of(1) == "cancelled"
    assert [engine.ids_of(index) for index in (0, 2)] == [alone(PROMPTS[index]) for index in (0, 2)]


def test_o29_rows_of_very_unequal_length_that_join_one_after_the_other_equal_their_solo_runs(engine, target, alone):
    texts = ["a" * 50, "d" * 7, "c" * 200]
    for request_id, text in enumerate(texts):
        engine.send(submit(request_id, target, text, max_tokens=60))
        engine.step_until(lambda request_id=request_id: len(engine.ids_of(request_id)) > 3)
    engine.run()
    assert [engine.ids_of(index) for index in range(3)] == [alone(text, max_tokens=60) for text in texts]
    assert engine.most_rows_of(2) >= 2


def test_o31_row_that_finishes_early_leaves_the_others_intact(engine, target, alone):
    limits = (3, 20, 40)
    engine.send(*(submit(index, target, PROMPTS[index], max_tokens=limit) for index, limit in enumerate(limits)))
    engine.run()
    assert [engine.ids_of(index) for index in range(3)] == [
        alone(PROMPTS[index], max_tokens=limit) for index, limit in enumerate(limits)
    ]


@pytest.mark.parametrize("accepts", [[0], [2], [6], [0, 6, 3, 1]])
def test_forced_acceptance_changes_no_token(engine, target, alone, script, accepts):
    truths = [alone(text, max_tokens=60) for text in PROMPTS]
    for request_id, truth in enumerate(truths):
        name = script(f"scripted-{request_id}", truth, accepts[request_id % len(accepts) :] + accepts)
        engine.send(submit(request_id, target, PROMPTS[request_id], drafter=name, max_tokens=60))
    engine.run()
    assert [engine.ids_of(request_id) for request_id in range(len(PROMPTS))] == truths
    assert sum(engine.statistics_of(0).accepted_by_position) == engine.statistics_of(0).num_accepted


def test_the_equality_bites_when_rewinding_is_switched_off(engine, target, alone, script, monkeypatch):
    keep_all = lambda extent, kept: setattr(extent, "lengths", [n + extent.forward.width for n in extent.lengths])  # noqa: E731
    truth = alone(PROMPTS[1])
    name = script("scripted", truth, [0])
    monkeypatch.setattr(Extent, "commit", keep_all)
    engine.send(submit(1, target, PROMPTS[1], drafter=name))
    engine.run()
    assert engine.ids_of(1) != truth
