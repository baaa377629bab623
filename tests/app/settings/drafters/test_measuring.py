"""Measure here: plain and drafted replies in turns, beside which the user's own always come first."""

from __future__ import annotations

import pytest

from app.settings.drafters.measurements import TOGETHER
from app.settings.drafters.measuring import Job
from app.settings.drafters.trial import rate_of
from engine.messages import Cancel, Delta, Failed, Statistics
from tests.app.settings.drafters.known_drafters import PLAIN_RATE, TARGET

DFLASH, EAGLE = "dflash:/m/dflash", "eagle3:/m/eagle3"


def begin(picker, *drafters: str) -> None:
    scan = picker.candidates.of(TARGET)
    picker.measure(TARGET, [scan.candidate(drafter) for drafter in drafters])


def test_it_gives_the_speed_against_plain_with_one_reply_and_with_four(picker, wait):
    begin(picker, DFLASH, EAGLE)
    wait(lambda: not picker.measuring.is_any)
    speedups = [picker.measurements.of(TARGET, one, n).speedup for one in (DFLASH, EAGLE) for n in (1, TOGETHER)]
    assert speedups == pytest.approx([2.1, 2.1, 0.9, 0.9])
    assert picker.measurements.plain(TARGET).plain_rate == pytest.approx(PLAIN_RATE)
    assert picker.measurements.of(TARGET, DFLASH, TOGETHER).plain_rate == pytest.approx(4 * PLAIN_RATE)


def test_plain_and_drafted_replies_come_in_turns_and_are_trials(picker, fake_engine, wait):
    begin(picker, DFLASH)
    wait(lambda: not picker.measuring.is_any)
    alone = [one.drafter for one in fake_engine.trials[2:14]]
    assert alone == ["none", DFLASH, DFLASH, "none"] * 3
    assert all(one.sampling.temperature == 0 for one in fake_engine.trials)


def test_it_waits_while_the_user_s_reply_runs(picker, fake_engine, user, wait):
    user.begin()
    begin(picker, DFLASH)
    wait(lambda: picker.measuring.progress is not None and picker.measuring.progress.is_waiting)
    assert fake_engine.trials == []
    user.end()
    wait(lambda: picker.measurements.of(TARGET, DFLASH) is not None)


def test_it_gives_way_to_the_user_and_makes_the_item_again(picker, fake_engine, user, wait):
    fake_engine.holds_trials = True
    begin(picker, DFLASH)
    wait(lambda: len(fake_engine.trials) == 1)
    user.begin()
    wait(lambda: Cancel(fake_engine.trials[0].request_id) in fake_engine.commands)
    fake_engine.holds_trials = False
    user.end()
    wait(lambda: not picker.measuring.is_any)
    assert picker.measurements.of(TARGET, DFLASH).speedup == pytest.approx(2.1)


def test_stop_keeps_what_is_complete(picker, fake_engine, wait):
    picker.measurements.changed.connect(lambda target: setattr(fake_engine, "holds_trials", True))
    begin(picker, DFLASH, EAGLE)
    wait(lambda: bool(fake_engine.trials) and fake_engine.holds_trials)
    picker.measuring.stop()
    wait(lambda: not picker.measuring.is_any)
    assert picker.measurements.of(TARGET, DFLASH) is not None
    assert picker.measurements.of(TARGET, DFLASH, TOGETHER) is None
    assert picker.measurements.of(TARGET, EAGLE) is None


def test_stop_of_one_goes_on_with_the_next(picker, fake_engine, wait):
    fake_engine.holds_trials = True
    begin(picker, DFLASH, EAGLE)
    wait(lambda: bool(fake_engine.trials))
    fake_engine.holds_trials = False
    picker.measuring.stop(TARGET, DFLASH)
    wait(lambda: not picker.measuring.is_any)
    assert picker.measurements.of(TARGET, DFLASH) is None
    assert picker.measurements.of(TARGET, EAGLE) is not None


def test_stop_of_a_drafter_of_one_model_leaves_that_of_another(picker, fake_engine, wait):
    fake_engine.holds_trials = True
    picker.measuring.measure([Job("/m/first", "suffix"), Job("/m/other", "ngram"), Job(TARGET, "ngram")])
    wait(lambda: bool(fake_engine.trials))
    picker.measuring.stop(TARGET, "ngram")
    assert not picker.measuring.is_queued(TARGET, "ngram")
    assert picker.measuring.is_queued("/m/other", "ngram")
    assert picker.measuring.progress_of("/m/first", "suffix")


def test_a_drafter_that_fails_says_why_and_the_next_is_measured(picker, fake_engine, wait, monkeypatch):
    fake_engine.holds_trials = True
    begin(picker, DFLASH, EAGLE)
    wait(lambda: bool(fake_engine.trials))
    fake_engine.holds_trials = False
    fake_engine.emit(Failed(fake_engine.trials[0].request_id, "drafter", "Its file is damaged."))
    wait(lambda: not picker.measuring.is_any)
    assert picker.measuring.errors == {(TARGET, DFLASH): "Its file is damaged."}
    assert picker.measurements.of(TARGET, EAGLE) is not None


def deltas(*rounds: tuple[int, float, int]) -> list[Delta]:
    """Of (tokens so far, seconds since the first, rows)."""
    return [
        Delta(1, "", (), 0, Statistics(num_tokens=tokens, tokens_per_second=(tokens - 1) / seconds, num_rows=rows))
        for tokens, seconds, rows in rounds
    ]


def test_a_rate_is_over_the_rounds_that_all_replies_took_part_in():
    first = deltas((10, 1.0, 1), (20, 2.0, 2), (60, 6.0, 2), (99, 7.0, 1))
    second = deltas((2, 1.0, 2), (42, 5.0, 2))
    assert rate_of([first, second]) == pytest.approx(20.0)


def test_a_reply_that_ends_too_soon_gives_no_rate():
    assert rate_of([deltas((2, 1.0, 1), (5, 2.0, 1))]) is None
    assert rate_of([[]]) is None
