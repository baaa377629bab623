"""What runs come to, and how they are paired."""

from __future__ import annotations

import pytest

from engine.bench.measure import OURS, THEIRS, Entry, measure
from engine.bench.spread import Spread
from engine.bench.summary import summarise
from engine.messages import Statistics
from tests.engine.bench.contests import contender, contest, run_of

IDS = (1, 2, 3)
STATISTICS = Statistics(
    num_tokens=3,
    num_rounds=2,
    num_accepted=1,
    proposed_by_position=(1, 1),
    num_forwards_saved=1,
    extra_seconds=0.1,
    draft_seconds=0.01,
    verify_seconds=0.4,
    speedup=1.5,
)


def summaries_of(*contenders, repeats=1, num_batches=1):
    played = contest(*contenders, num_batches=num_batches)
    return summarise(played, list(measure([played], repeats, lambda text: None)))


def test_ratios_are_of_runs_of_the_same_repeat():
    theirs = contender(THEIRS, "stream_generate", [run_of(seconds, IDS) for seconds in (2.0, 20.0, 8.0)])
    ours = contender(OURS, "ngram", [run_of(seconds, IDS) for seconds in (1.0, 5.0, 1.0)])
    baseline, summary = summaries_of(theirs, ours, repeats=3)
    assert baseline.comparisons == ()
    assert baseline.decode_tokens_per_second == baseline.full_tokens_per_second
    assert baseline.full_tokens_per_second.median == 2 / 8.0
    assert summary.wall_seconds.median == 1.0
    (comparison,) = summary.comparisons
    assert comparison.against == "mlx-lm stream_generate"
    assert comparison.decode_ratio == comparison.full_ratio == comparison.wall_ratio == Spread(4.0, 3.0, 6.0, 3)


def test_rates_are_of_all_tokens_of_a_repeat_and_seconds_of_a_batch():
    theirs = contender(THEIRS, "stream_generate", [run_of(1.0, IDS), run_of(3.0, (1, 2, 3, 4, 5, 6, 7))])
    (summary,) = summaries_of(theirs, num_batches=2)
    assert summary.decode_tokens_per_second.median == 2.0
    assert (summary.wall_seconds.median, summary.num_tokens) == (2.0, 10)


def test_ids_are_the_same_only_where_every_repeat_agrees():
    theirs = contender(THEIRS, "BatchGenerator", [run_of(1.0, IDS, IDS)] * 2)
    ours = contender(OURS, "none", [run_of(1.0, IDS, IDS), run_of(1.0, IDS, (1, 2, 4))])
    _, summary = summaries_of(theirs, ours, repeats=2)
    assert (summary.comparisons[0].num_same_ids, summary.comparisons[0].num_prompts) == (1, 2)


def test_a_drafter_is_compared_with_mlx_lm_s_own_speculation_too():
    runs = [run_of(1.0, IDS)]
    contenders = [
        contender(THEIRS, "stream_generate", runs),
        contender(THEIRS, "speculative model:x", runs, "model:x"),
        contender(OURS, "none", runs),
        contender(OURS, "model:x", runs, "model:x"),
    ]
    against = [[other.against for other in summary.comparisons] for summary in summaries_of(*contenders)]
    plain, speculative = "mlx-lm stream_generate", "mlx-lm speculative model:x"
    assert against == [[], [plain], [plain], [plain, speculative]]


def test_a_round_that_was_stopped_counts_for_nobody():
    played = contest(contender(THEIRS, "stream_generate"), contender(OURS, "none"), num_batches=2)
    labels = ["mlx-lm stream_generate", "slipstream none", "mlx-lm stream_generate"]
    entries = [Entry(1, 0, index // 2, label, run_of(1.0, IDS)) for index, label in enumerate(labels)]
    assert [summary.num_tokens for summary in summarise(played, entries)] == [3, 3]
    assert summarise(played, entries[:1]) == []


def test_figures_of_proposals_are_means_over_all_replies():
    runs = [
        run_of(1.0, IDS, statistics=(STATISTICS,)),
        run_of(3.0, IDS, statistics=(Statistics(num_tokens=3, num_rounds=2),)),
    ]
    (summary,) = summaries_of(contender(OURS, "ngram", runs), num_batches=2)
    figures = summary.proposals
    assert (figures.acceptance_length, figures.tokens_per_forward, figures.num_forwards_saved) == (2.0, 1.5, 1)
    assert figures.extra_share == pytest.approx(0.1 / 4)
    assert (figures.draft_milliseconds, figures.verify_milliseconds) == pytest.approx((2.5, 100.0))
    assert figures.speedup.median == 1.5
