"""What a history gathers of the replies that it follows."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.conversations.recorder import Recorder
from app.conversations.records import Message, ReplyState
from app.statistics.history import NUM_REPLIES, History
from app.statistics.tracked import NUM_ROUNDS
from engine.messages import Delta, Failed, Statistics
from tests.app.fake_engine import FakeEngine
from tests.app.statistics.replies import Talk


def test_times_of_a_round_are_differences_between_deltas(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1, 3, 2)
    talk.round(1, 3, 0)
    last = talk.history.rounds[-1]
    assert (round(last.verify, 6), round(last.draft, 6)) == (0.05, 0.01)
    assert (last.num_proposed, last.num_accepted, last.num_tokens) == (3, 0, 1)


def test_a_forward_of_two_replies_is_one_round_with_the_tokens_of_both(talk: Talk) -> None:
    talk.begin(1)
    talk.begin(2)
    for _ in range(3):
        talk.together(1, 2)
    assert len(talk.history.rounds) == 3
    assert [(one.num_tokens, one.num_rows) for one in talk.history.rounds] == [(4, 2)] * 3
    assert round(talk.history.rounds[-1].verify, 6) == 0.05


def test_replies_that_do_not_share_a_batch_have_rounds_of_their_own(talk: Talk) -> None:
    talk.begin(1)
    talk.begin(2)
    talk.round(1)
    talk.round(2)
    assert len(talk.history.rounds) == 2


def test_a_request_that_was_not_begun_here_counts_nowhere(talk: Talk) -> None:
    talk.bridge.answer(Delta(7, "x", (1,), 0, Statistics(num_tokens=1, num_rounds=1)))
    assert not talk.history.rounds
    assert not talk.history.replies()


def test_the_live_rate_is_of_the_last_two_seconds_and_the_final_one_of_the_whole(talk: Talk) -> None:
    talk.begin(1)
    for _ in range(10):
        talk.round(1, 4, 4, seconds=1.0)  # 5 tokens a second
    for _ in range(2):
        talk.round(1, seconds=1.0)
    (reply,) = talk.history.replies()
    assert rate_at(talk, talk.now) == talk.history.rate == 1.0
    assert rate_at(talk, talk.now + 5) == 0.0
    talk.round(1, tokens_per_second=4.0)
    talk.end(1)
    assert talk.history.rate_of(reply) == 4.0
    assert talk.history.rate == 0.0


def test_all_who_show_a_rate_show_the_same_until_it_is_measured_anew(talk: Talk) -> None:
    talk.begin(1)
    for _ in range(10):
        talk.round(1, 4, 4, seconds=1.0)
    before = rate_at(talk, talk.now)
    talk.round(1, seconds=1.0)
    (reply,) = talk.history.replies()
    assert talk.history.rate_of(reply) == talk.history.rate == before == 5.0
    assert rate_at(talk, talk.now) == 3.0


def test_a_rate_falls_while_a_reply_runs_and_tells_nothing(qtbot: QtBot, talk: Talk) -> None:
    talk.begin(1)
    for _ in range(4):
        talk.round(1, seconds=1.0)
    assert rate_at(talk, talk.now) == 1.0
    talk.now += 5
    qtbot.waitUntil(lambda: talk.history.rate == 0.0)


def test_the_rate_of_a_reply_that_went_on_is_of_all_of_it(talk: Talk) -> None:
    talk.begin(1, text="x", statistics=Statistics(num_tokens=11, num_rounds=11, tokens_per_second=10.0))
    talk.round(1, tokens_per_second=20.0)
    talk.end(1)
    (reply,) = talk.history.replies()
    assert talk.history.rate_of(reply) == reply.statistics.tokens_per_second


def test_tokens_of_the_first_round_are_in_no_rate(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1, 8, 8)
    assert rate_at(talk, talk.now) is None
    assert rate_at(talk, talk.now + 1) == 0.0


def test_depths_are_told_as_stretches_or_as_their_mean(talk: Talk) -> None:
    talk.begin(1)
    for depth in (2, 2, 0, 0):
        talk.round(1, depth)
    (reply,) = talk.history.replies()
    assert reply.depth_words == "0"
    talk.end(1)
    assert reply.depth_words == "2, then 0"
    talk.begin(2)
    for depth in (2, 0, 2, 0):
        talk.round(2, depth)
    talk.end(2)
    assert talk.history.replies()[0].depth_words == "mean 1.0"


def test_a_reply_without_proposals_has_no_depth(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1)
    assert talk.history.replies()[0].depth_words == ""


def test_what_is_kept_is_bounded(talk: Talk) -> None:
    for request_id in range(NUM_REPLIES + 5):
        talk.begin(request_id)
        for _ in range(2):
            talk.round(request_id)
        talk.end(request_id)
    assert len(talk.history.replies()) == NUM_REPLIES
    assert len(talk.history.rounds) == NUM_ROUNDS


def test_points_older_than_five_minutes_are_left_out(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1, 2, 1)
    talk.now += 290
    talk.round(1, 2, 2)
    assert [point.acceptance_length for point in talk.history.series.points(talk.now)] == [2.0, 3.0]
    assert [point.acceptance_length for point in talk.history.series.points(talk.now + 30)] == [3.0]


def test_a_second_without_proposals_has_a_depth_and_no_acceptance_length(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1)
    (point,) = talk.history.series.points(talk.now)
    assert (point.acceptance_length, point.depth) == (None, 0.0)


def test_a_continued_reply_is_told_whole_and_its_request_alone(talk: Talk) -> None:
    before = Statistics(num_prompt=50, num_cached=9, num_read=41, num_tokens=5, num_rounds=5)
    talk.begin(1, text="half", statistics=before)
    talk.round(1)
    reply = talk.history.reply_of("m1")
    assert reply is not None
    assert (reply.own.num_tokens, reply.statistics.num_tokens) == (1, 6)
    assert (reply.statistics.num_cached, reply.statistics.num_read) == (49, 51)


def test_a_failed_reply_runs_no_more(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1)
    assert talk.history.running_chats() == ("ice",)
    talk.bridge.answer(Failed(1, "engine", "The forward failed."))
    assert talk.history.running_chats() == ()
    assert talk.history.replies()[0].message.error == "The forward failed."


def test_a_deleted_chat_leaves_no_trace_and_its_events_are_ignored(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1)
    talk.history.forget("ice")
    talk.round(1)
    assert talk.history.replies() == ()
    assert not talk.history.is_running


def test_replies_are_followed_from_the_recorder_on(
    qtbot: QtBot, bridge: EngineBridge, fake_engine: FakeEngine, recorder: Recorder
) -> None:
    history = History(bridge)
    recorder.began.connect(history.begin)
    recorder.begin(5, Message("m5", "ice", None, "assistant", "", state=ReplyState.RUNNING))
    fake_engine.emit(Delta(5, "x", (1,), 0, Statistics(num_tokens=1, num_rounds=1)))
    qtbot.waitUntil(lambda: bool(history.rounds))
    recorder.abandon("ice")
    assert history.reply_of("m5") is not None


def rate_at(talk: Talk, now: float) -> float | None:
    """Of the one reply, as it is shown from then on."""
    before, talk.now = talk.now, now
    talk.history.measure()
    talk.now = before
    return talk.history.rate_of(talk.history.replies()[0])
