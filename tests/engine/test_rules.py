"""Sampling rules through the whole engine: the same reply with any drafter, alone and in a batch."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import mlx.core as mx
import pytest

from engine.messages import Delta, Grammar, Submit, TokenLogprob
from engine.sampling import processors
from engine.sampling.processors import count_recent
from tests.engine.harness import Harness, submit
from tests.engine.sampling.chi_square import is_plausible

PROMPT = "one two three one two three one two"
OTHERS = ("The quick brown fox", "x", "aaaa bbbb aaaa bbbb")
RULES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "temperature": {"temperature": 1.0},
    "top_p": {"temperature": 1.0, "top_p": 0.9},
    "top_k": {"temperature": 1.0, "top_k": 3},
    "min_p": {"temperature": 1.2, "min_p": 0.05},
    "filters": {"temperature": 0.8, "top_p": 0.95, "top_k": 20, "min_p": 0.01},
    "greedy_penalties": {"repetition_penalty": 1.3, "presence_penalty": 0.4, "frequency_penalty": 0.3},
    "penalties": {"temperature": 0.9, "repetition_penalty": 1.2, "frequency_penalty": 0.5, "penalty_window": 8},
    "bias": {"temperature": 0.7, "logit_bias": ((65, 3.0), (66, -100.0))},
    "logprobs": {"temperature": 1.0, "num_logprobs": 3, "presence_penalty": 0.5},
    "regex": {"temperature": 1.0, "grammar": Grammar("regex", "([a-z]{2,9} ?){3,30}")},
}
NUM_REPLIES = 240
DRAFTERS = ("none", "ngram", "scripted", "scripted")


@pytest.fixture
def alone(data_dir):
    """The engine after one request with no drafter and no neighbour."""

    def generate(target, text: str = PROMPT, **options: Any) -> Harness:
        engine = Harness(data_dir)
        engine.send(submit(1, target, text, seed=11, **options))
        engine.run()
        return engine

    return generate


@pytest.mark.parametrize("name", RULES)
def test_seeded_reply_is_the_same_with_every_drafter_alone_and_in_a_batch_of_four(engine, target, alone, script, name):
    truth = alone(target, **RULES[name]).ids_of(1)
    script("scripted", truth, [6, 0, 3, 1])
    for drafter in sorted(set(DRAFTERS)):
        assert alone(target, drafter=drafter, **RULES[name]).ids_of(1) == truth
    engine.send(*(submit(i, target, PROMPT, seed=11, drafter=DRAFTERS[i], **RULES[name]) for i in range(4)))
    engine.run()
    assert [engine.ids_of(i) for i in range(4)] == [truth] * 4
    assert engine.statistics_of(2).num_accepted > 0
    assert engine.most_rows_of(2) == 4


def test_rows_with_different_rules_share_a_batch(engine, target, alone, script):
    names = ("penalties", "filters", "regex", "logprobs")
    truths = [alone(target, **RULES[name]).ids_of(1) for name in names]
    for index, truth in enumerate(truths):
        drafter = script(f"scripted-{index}", truth, [2, 6, 0])
        engine.send(submit(index, target, PROMPT, seed=11, drafter=drafter, **RULES[names[index]]))
    engine.run()
    assert [engine.ids_of(index) for index in range(4)] == truths
    assert engine.most_rows_of(0) == 4


REPEATING: list[dict[str, Any]] = [
    {"repetition_penalty": 1.6, "frequency_penalty": 0.4},
    {"temperature": 1.0, "presence_penalty": 1.5, "penalty_window": 3},
    {"temperature": 1.0, "frequency_penalty": -0.7, "penalty_window": 6, "top_p": 0.9},
]


def long_reply(request_id: int, target, drafter: str, **rules: Any) -> Submit:
    """Of a target with so few tokens that each window repeats some; its end token is kept away."""
    return submit(request_id, target, "abcab", seed=11, drafter=drafter, logit_bias=((7, -100.0),), **rules)


def run_alone(data_dir, *arguments: Any, **rules: Any) -> Harness:
    engine = Harness(data_dir)
    engine.send(long_reply(1, *arguments, **rules))
    engine.run()
    return engine


@pytest.mark.parametrize("rules", REPEATING)
def test_penalties_see_the_proposal_tokens_before_each_position(data_dir, eight_target, script, rules):
    truth = run_alone(data_dir, eight_target, "none", **rules).ids_of(1)
    temperature = rules.get("temperature", 0.0)
    assert truth != run_alone(data_dir, eight_target, "none", temperature=temperature).ids_of(1)
    drafted = run_alone(data_dir, eight_target, script("scripted", truth, [6]), **rules)
    assert drafted.ids_of(1) == truth
    assert drafted.statistics_of(1).num_accepted == drafted.statistics_of(1).num_proposed > 25


@pytest.mark.parametrize("rules", REPEATING)
def test_the_equality_bites_where_positions_do_not_see_the_proposal(data_dir, eight_target, script, rules, monkeypatch):
    def count_without_proposal(windows, histories, limit, vocabulary):
        counts = count_recent(windows[:, :1], histories, limit, vocabulary)
        return mx.broadcast_to(counts, (*windows.shape, vocabulary))

    truth = run_alone(data_dir, eight_target, "none", **rules).ids_of(1)
    drafter = script("scripted", truth, [6])
    monkeypatch.setattr(processors, "count_recent", count_without_proposal)
    assert run_alone(data_dir, eight_target, drafter, **rules).ids_of(1) != truth


def logprobs_of(engine: Harness, request_id: int) -> list[TokenLogprob]:
    for delta in engine.deltas_of(request_id):
        assert [entry.token_id for entry in delta.logprobs] == list(delta.token_ids)
    return [entry for delta in engine.deltas_of(request_id) for entry in delta.logprobs]


@pytest.mark.parametrize("name", ["greedy", "filters", "penalties"])
def test_each_delivered_token_has_its_log_probability_drafted_or_not(target, alone, script, name):
    plain = alone(target, num_logprobs=4, **RULES[name])
    drafter = script("scripted", plain.ids_of(1), [6, 2, 0])
    drafted = alone(target, num_logprobs=4, drafter=drafter, **RULES[name])
    for entry, other in zip(logprobs_of(plain, 1), logprobs_of(drafted, 1), strict=True):
        assert math.isclose(entry.logprob, other.logprob, abs_tol=1e-4)
        assert [token_id for token_id, _ in entry.top] == [token_id for token_id, _ in other.top]
        values = [value for _, value in entry.top]
        assert values == sorted(values, reverse=True)
        assert len(values) == 4
        assert entry.logprob <= values[0] <= 0
        assert dict(entry.top).get(entry.token_id, entry.logprob) == entry.logprob


def test_log_probabilities_are_those_before_filters_and_temperature(eight_target, alone):
    engine = alone(eight_target, "abc", num_logprobs=20, temperature=0.3, top_k=1, max_tokens=4)
    for entry in logprobs_of(engine, 1):
        assert math.isclose(sum(math.exp(value) for _, value in entry.top), 1, abs_tol=1e-4)


def test_end_token_and_unasked_tokens_have_no_log_probability(engine, eight_target):
    rules = {"temperature": 1.0, "num_logprobs": 1, "drafter": "ngram"}
    engine.send(*(submit(seed, eight_target, "abcabc", seed=seed, **rules) for seed in range(8)))
    engine.send(submit(8, eight_target, "abcabc"))
    engine.run()
    assert "stop" in {engine.reason_of(request_id) for request_id in range(8)}
    for request_id in range(8):
        assert len(logprobs_of(engine, request_id)) == engine.statistics_of(request_id).num_tokens
    assert not any(delta.logprobs for delta in engine.deltas_of(8))


def first_tokens(engine: Harness, target, drafter: str, first_seed: int, **rules: Any) -> Counter[int]:
    """Of NUM_REPLIES replies; the end token, which is not delivered, counts as the last id."""
    requests = range(first_seed, first_seed + NUM_REPLIES)
    engine.send(*(submit(seed, target, "abcab", seed=seed, drafter=drafter, **rules) for seed in requests))
    engine.run()
    return Counter((engine.ids_of(seed) or [7])[0] for seed in requests)


@pytest.mark.parametrize("filters", [{}, {"top_p": 0.9}, {"top_k": 3}, {"repetition_penalty": 1.4}])
def test_o25_replies_begin_with_the_exact_distribution_whatever_is_proposed(
    engine, eight_target, alone, script, filters
):
    penalty = {name: value for name, value in filters.items() if name == "repetition_penalty"}
    (start, *_) = logprobs_of(alone(eight_target, "abcab", num_logprobs=8, logit_bias=((7, -0.0),), **penalty), 1)
    distribution = [math.exp(dict(start.top)[token_id]) for token_id in range(8)]
    kept = kept_by(distribution, **filters)
    distribution = [value / sum(kept) if value in kept else 0.0 for value in distribution]
    rules = {"temperature": 1.0, "max_tokens": 2, **filters}
    for first_seed, drafter in ((0, "none"), (NUM_REPLIES, script("wrong-headed", [3] * 99, [6]))):
        counts = first_tokens(engine, eight_target, drafter, first_seed, **rules)
        assert is_plausible([counts[token_id] for token_id in range(8)], distribution)
    assert sum(engine.statistics_of(seed).num_proposed for seed in range(NUM_REPLIES, 2 * NUM_REPLIES)) >= NUM_REPLIES


def kept_by(distribution: list[float], top_p: float = 1.0, top_k: int = 8, **_: float) -> list[float]:
    """The probabilities that top-p and top-k keep, by their definitions."""
    falling = sorted(distribution, reverse=True)
    return [value for rank, value in enumerate(falling) if rank < top_k and sum(falling[:rank]) < top_p]


def test_bias_can_end_a_reply_at_once_and_keep_it_from_ending(engine, eight_target):
    engine.send(submit(1, eight_target, "abc", logit_bias=((7, 100.0),)))
    engine.send(*(submit(seed, eight_target, "abc", temperature=1.0, logit_bias=((7, -100.0),)) for seed in (2, 3)))
    engine.run()
    assert (engine.ids_of(1), engine.reason_of(1)) == ([], "stop")
    assert [engine.reason_of(request_id) for request_id in (2, 3)] == ["length"] * 2
    assert not [event for event in engine.events_of(1) if isinstance(event, Delta)]
