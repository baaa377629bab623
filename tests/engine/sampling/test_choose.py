"""Choosing: the right distribution, and noise that depends on nothing but seed and position."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.sample_utils import make_logits_processors

from engine.acceptance import count_accepted
from engine.messages import Sampling
from engine.sampling import Choice, choose, draw, noise_key
from engine.sampling.filters import keep_likely
from tests.engine.sampling.chi_square import is_plausible

VOCABULARY = 8
NUM_DRAWS = 20_000
HISTORY = [2, 2, 2, 5]
PENDING = 1
WRONG = 5  # what the wrong-headed drafter always proposes; one draw in 200
RULES: list[dict[str, Any]] = [
    {},
    {"temperature": 0.7},
    {"top_p": 0.9},
    {"top_k": 3},
    {"min_p": 0.1},
    {"top_p": 0.9, "top_k": 5, "min_p": 0.02, "temperature": 1.3},
    {"repetition_penalty": 1.5},
    {"presence_penalty": 0.8, "frequency_penalty": 0.4},
    {"logit_bias": ((0, 2.0), (3, -100.0))},
    {"repetition_penalty": 1.2, "frequency_penalty": -0.3, "top_k": 4, "temperature": 0.8},
]


def sampled(seed: int = 0, **rules: Any) -> Sampling:
    return Sampling(**{"temperature": 1.0, "seed": seed, **rules})


def windows_for(logits: mx.array) -> mx.array:
    return mx.zeros(logits.shape[:2], dtype=mx.int32)


def pick(logits: mx.array, *choices: Choice) -> list[list[int]]:
    return choose(logits, windows_for(logits), choices).ids.tolist()


def one_step_logits() -> mx.array:
    return mx.random.normal((VOCABULARY,), key=mx.random.key(3)) * 1.5


def exact(rules: Sampling) -> list[float]:
    """The distribution of one step by mlx-lm's processors, our definition of the filters and a softmax."""
    processors = make_logits_processors(
        dict(rules.logit_bias),
        rules.repetition_penalty,
        rules.penalty_window,
        rules.presence_penalty,
        rules.penalty_window,
        rules.frequency_penalty,
        rules.penalty_window,
    )
    logits = one_step_logits()[None]
    for processor in processors:
        logits = processor(mx.array([*HISTORY, PENDING]), logits)
    return mx.softmax(keep_likely(logits, rules)[0] / rules.temperature).tolist()


def one_step_counts(rules: dict[str, Any], first_seed: int, proposal: list[int]) -> list[int]:
    """How often each token comes out of one round, over as many seeds; the drafter proposes the same each time."""
    windows = mx.broadcast_to(mx.array([PENDING, *proposal], dtype=mx.int32), (NUM_DRAWS, 1 + len(proposal)))
    logits = mx.broadcast_to(one_step_logits(), (*windows.shape, VOCABULARY))
    choices = [Choice(sampled(first_seed + draw, **rules), 0, HISTORY) for draw in range(NUM_DRAWS)]
    ids = choose(logits, windows, choices).ids
    num_proposed = mx.full((NUM_DRAWS,), len(proposal), dtype=mx.int32)
    num_accepted = count_accepted(ids, windows[:, 1:], num_proposed)
    if proposal:
        was_accepted = ids[:, 0] == proposal[0]
        assert mx.all((num_accepted > 0) == was_accepted).item()
    return [mx.sum(ids[:, 0] == token_id).item() for token_id in range(VOCABULARY)]


def test_greedy_rows_take_the_greatest_logit():
    logits = mx.random.normal((3, 4, VOCABULARY), key=mx.random.key(1))
    chosen = pick(logits, *[Choice(Sampling(seed=5), 0)] * 3)
    assert chosen == mx.argmax(logits, axis=-1).tolist()


def test_greedy_choice_is_the_same_on_every_path():
    logits = mx.random.normal((1, 40, 500), key=mx.random.key(1)).astype(mx.bfloat16)  # has many ties
    plain = pick(logits, Choice(Sampling(), 0))
    assert pick(logits, Choice(Sampling(num_logprobs=3), 0)) == plain
    assert pick(logits, Choice(Sampling(logit_bias=((7, -0.0),)), 0)) == plain
    assert pick(logits, Choice(Sampling(top_p=0.3, top_k=2), 0)) == plain


@pytest.mark.parametrize("rules", RULES)
def test_draw_is_the_same_at_any_window_position_and_in_any_batch(rules):
    logits = mx.random.normal((1, 6, 500), key=mx.random.key(2))
    own = sampled(9, **rules | {"repetition_penalty": 1.0, "presence_penalty": 0.0, "frequency_penalty": 0.0})
    (window,) = pick(logits, Choice(own, 10))
    singly = [pick(logits[:, index : index + 1], Choice(own, 10 + index))[0][0] for index in range(6)]
    neighbours = mx.concatenate([logits + 1, logits, logits * 2, logits])
    others = (Choice(sampled(3, temperature=0.5), 0), Choice(Sampling(), 0), Choice(sampled(4, **rules), 3))
    batched = pick(neighbours, others[0], Choice(own, 10), *others[1:])[1]
    assert window == singly == batched


def test_seeds_and_positions_have_keys_of_their_own():
    keys = {noise_key(seed, position) for seed in (0, 1, 2**62, 2**63 - 1) for position in range(500)}
    assert len(keys) == 4 * 500


@pytest.mark.parametrize("rules", RULES)
def test_o25_one_step_samples_have_the_exact_distribution_with_a_wrong_headed_drafter_and_without(rules):
    distribution = exact(sampled(**rules))
    assert is_plausible(one_step_counts(rules, 0, []), distribution)
    assert is_plausible(one_step_counts(rules, NUM_DRAWS, [WRONG]), distribution)


def test_the_histogram_test_bites_for_a_drafter_that_is_believed():
    counts = one_step_counts({}, 0, [WRONG])
    counts[WRONG] += NUM_DRAWS // 50  # believed in one round of fifty
    assert not is_plausible(counts, exact(sampled()))


@pytest.mark.parametrize("rules", [rules for rules in RULES if "repetition_penalty" not in rules])
def test_drafter_with_the_target_s_logits_draws_what_the_target_draws(rules):
    logits = mx.random.normal((3, 4, 200), key=mx.random.key(4))
    own = rules | {"presence_penalty": 0.0, "frequency_penalty": 0.0, "logit_bias": ()}
    choices = [Choice(sampled(1, **own), 5), Choice(Sampling(), 0), Choice(sampled(2, **own), 0)]
    chosen = mx.array(pick(logits, *choices))
    for index in range(4):
        assert draw(logits[:, index], choices, index).tolist() == chosen[:, index].tolist()
