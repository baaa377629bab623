"""Bias, penalties and masks: each window position sees its own history."""

from __future__ import annotations

import mlx.core as mx
import pytest
from mlx_lm.sample_utils import make_logits_processors

from engine.messages import Grammar, Sampling
from engine.sampling import Choice
from engine.sampling.processors import process, unpack_masks

VOCABULARY = 40
WINDOWS = [[3, 3, 7, 1], [9, 0, 0, 0]]
HISTORIES = [[5, 3, 11, 11, 30, 2, 2, 2, 8, 4], [1]]


@pytest.mark.parametrize("window", [1, 4, 20, 10_000])
def test_penalties_equal_mlx_lm_s_at_every_position_with_the_proposal_as_history(window):
    rules = Sampling(
        repetition_penalty=1.3,
        presence_penalty=0.5,
        frequency_penalty=0.25,
        penalty_window=window,
        logit_bias=((3, 1.5), (12, -4.0)),
    )
    logits = mx.random.normal((2, 4, VOCABULARY), key=mx.random.key(6))
    choices = [Choice(rules, 0, history) for history in HISTORIES]
    processed = process(logits, mx.array(WINDOWS), choices)
    processors = make_logits_processors(dict(rules.logit_bias), 1.3, window, 0.5, window, 0.25, window)
    for row, history in enumerate(HISTORIES):
        for position in range(4):
            tokens = mx.array([*history, *WINDOWS[row][: position + 1]])
            expected = mx.array(logits[row, position][None])
            for processor in processors:
                expected = processor(tokens, expected)
            assert mx.allclose(processed[row, position], expected[0], atol=1e-5).item()


def test_rows_without_rules_keep_their_logits_untouched():
    logits = mx.random.normal((2, 4, VOCABULARY)).astype(mx.bfloat16)
    assert process(logits, mx.array(WINDOWS), [Choice(Sampling(), 0)] * 2) is logits


def test_masks_forbid_what_is_not_in_them_and_the_padding_of_the_output():
    masks = [(0b1010).to_bytes(4, "little") + (1).to_bytes(4, "little")], [b"\xff" * 8, bytes(8)]
    allowed = unpack_masks(masks, 2, 70).tolist()
    assert [index for index, is_allowed in enumerate(allowed[0][0]) if is_allowed] == [1, 3, 32]
    assert allowed[0][1] == allowed[0][0]
    assert allowed[1][0] == [True] * 64 + [False] * 6
    assert not any(allowed[1][1])


def test_masked_tokens_cannot_be_chosen():
    rules = Sampling(grammar=Grammar("regex", "x"))
    masks = [(1 << 5).to_bytes(8, "little")]
    processed = process(mx.zeros((1, 1, VOCABULARY)), mx.array([[0]]), [Choice(rules, 0, (), masks)])
    assert (mx.argmax(processed).item(), mx.sum(processed > -mx.inf).item()) == (5, 1)
