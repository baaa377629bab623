"""The page begins with the last replies of earlier starts, and says what of them is not known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.conversations.recorded_statistics import RecordedReply, read_recorded
from app.conversations.records import Conversation, Message
from app.statistics.history import NUM_REPLIES
from app.statistics.numbers import big_numbers
from app.statistics.page import EMPTY, RECALLED
from app.statistics.recalling import recall
from app.statistics.views import replies_table
from engine.messages import Statistics
from tests.app.driver import Driver
from tests.app.statistics.replies import Talk

TOLD = Statistics(
    num_tokens=40, num_rounds=20, num_proposed=50, num_accepted=20, time_to_first_token_seconds=0.5, num_prompt=9
)
MARCH = 1_772_600_000.0


def earlier(number: int, conversation_id: str = "ice", **changes: object) -> RecordedReply:
    reply = RecordedReply(f"e{number}", conversation_id, "/models/Tiny", "ngram", 7, MARCH + number, "stop", "", TOLD)
    return replace(reply, **changes)  # type: ignore[arg-type]


def test_earlier_replies_stand_behind_those_of_this_run(talk: Talk) -> None:
    talk.history.recall([recall(earlier(1)), recall(earlier(2, error="no memory"))])
    talk.begin(1)
    talk.round(1, 2, 1)
    replies = talk.history.replies()
    assert [one.message_id for one in replies] == ["m1", "e2", "e1"]
    assert [one.message.error for one in replies] == ["", "no memory", ""]
    assert talk.history.reply_of("e1") is None
    table, _ = replies_table(talk.history)
    assert table.rows[2][0] == "Why does ice float?"
    assert table.rows[2][-1] == "mean 2.5"


def test_one_that_goes_on_stands_there_once(talk: Talk) -> None:
    talk.history.recall([recall(earlier(1, message_id="m1"))])
    talk.begin(1)
    talk.round(1)
    assert [one.message_id for one in talk.history.replies()] == ["m1"]
    assert talk.history.replies()[0].is_running


def test_there_are_never_more_than_the_page_lists(talk: Talk) -> None:
    talk.history.recall([recall(earlier(number)) for number in range(NUM_REPLIES)])
    talk.begin(1)
    talk.round(1)
    replies = talk.history.replies()
    assert (len(replies), replies[0].message_id, replies[-1].message_id) == (NUM_REPLIES, "m1", "e1")


def test_they_go_with_their_chat(talk: Talk) -> None:
    talk.history.recall([recall(earlier(1)), recall(earlier(2, "rust"))])
    talk.history.forget("ice")
    assert [one.message_id for one in talk.history.replies()] == ["e2"]


def test_the_numbers_are_of_the_last_one_and_name_its_day(talk: Talk) -> None:
    talk.history.recall([recall(earlier(1))])
    assert "when 4 Mar" in big_numbers(talk.history)[0].text


def test_the_last_ones_are_read(ask) -> None:
    def build(store):
        store.create_conversation(Conversation("c", "T", "m", "", 1.0, 1.0))
        for number in range(3):
            reply = Message(f"r{number}", "c", None, "assistant", "Hi", statistics=TOLD, created_at=float(number))
            store.add_message(reply)
        return [one.message_id for one in read_recorded(store, most=2)]

    assert ask(build) == ["r1", "r2"]


def test_the_page_of_the_next_start_has_them_until_its_own_come(make_driver: Callable[[], Driver]) -> None:
    driver = make_driver()
    driver.type("one")
    driver.wait_idle()
    driver.window.leave()
    again = make_driver()
    page = again.show_statistics()
    again.wait(lambda: page.replies.figures.rowCount() == 1)
    assert page.empty.text() == RECALLED
    assert (page.numbers.isVisible(), page.series.isVisible(), page.rounds.isVisible()) == (True, False, False)
    again.window.workspace.new_tab()
    again.type("two")
    again.wait_idle()
    page = again.show_statistics()
    again.wait(lambda: page.replies.figures.rowCount() == 2)
    assert (page.empty.isVisible(), page.rounds.isVisible()) == (False, True)


def test_only_those_within_the_days_that_are_looked_back_are_there(make_driver: Callable[[], Driver], ask) -> None:
    driver = make_driver()
    driver.type("one")
    driver.wait_idle()
    ask(lambda store: store.connection.execute("UPDATE messages SET created_at = created_at - 864000") and None)
    settings = driver.window.settings
    settings.change(replace(settings.preferences, statistics=replace(settings.preferences.statistics, keep_days=7)))
    again = make_driver()
    page = again.show_statistics()
    settings = again.window.settings
    assert page.empty.text() == EMPTY
    settings.change(replace(settings.preferences, statistics=replace(settings.preferences.statistics, keep_days=30)))
    again.wait(lambda: page.replies.figures.rowCount() == 1)
