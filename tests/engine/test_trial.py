"""A trial measures and leaves nothing: no cache is read or filled, and no drafter learns from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.messages import DescribeCache, ForgetConversation
from tests.engine.harness import TEXT, Harness, submit


@pytest.fixture
def engine(data_dir: Path, tmp_path: Path) -> Harness:
    return Harness(data_dir, cache_dir=tmp_path / "cache")


def ask(engine: Harness, request_id: int, target: Path, *, is_trial: bool, **options: object) -> None:
    request = submit(request_id, target, TEXT * 8, chat="chat", **options)  # type: ignore[arg-type]
    engine.send(replace(request, is_trial=is_trial))
    engine.run()


def test_trial_reads_its_prompt_though_it_is_cached_and_keeps_nothing_of_it(engine, target):
    ask(engine, 1, target, is_trial=False, max_tokens=8)
    engine.send(DescribeCache(2))
    engine.run()
    ask(engine, 3, target, is_trial=True, max_tokens=8)
    statistics = engine.statistics_of(3)
    assert (statistics.num_cached, statistics.num_read) == (0, statistics.num_prompt)
    assert statistics.reread_reason == ""
    assert engine.ids_of(3) == engine.ids_of(1)
    engine.send(DescribeCache(4))
    engine.run()
    assert engine.answer_to(4) == engine.answer_to(2)
    engine.close()


def test_reply_after_a_trial_finds_nothing_of_it(engine, target, drafters):
    for request_id, is_trial in ((1, True), (2, False)):
        ask(engine, request_id, target, is_trial=is_trial, drafter=drafters["other model"], max_tokens=4)
    assert engine.statistics_of(2).num_cached == 0
    engine.close()


@pytest.mark.parametrize("is_trial", [True, False])
def test_suffix_drafter_learns_nothing_from_a_trial(engine, target, is_trial):
    ask(engine, 1, target, is_trial=is_trial)
    ask(engine, 2, target, is_trial=True, drafter="suffix")
    assert (engine.statistics_of(2).num_accepted > 20) != is_trial
    engine.send(ForgetConversation("chat"))
    engine.run()
    engine.close()


def test_trials_of_several_drafters_share_a_batch_with_replies(engine, target, alone):
    engine.send(*(replace(submit(index, target, TEXT, drafter="ngram"), is_trial=index > 1) for index in (1, 2, 3)))
    engine.run()
    assert engine.ids_of(1) == engine.ids_of(2) == engine.ids_of(3) == alone(TEXT)
    assert engine.most_rows_of(3) == 3
    engine.close()
