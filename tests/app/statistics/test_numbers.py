"""The big numbers: never flattering, never invented, and each with what it is of."""

from __future__ import annotations

from app.figures import NO_BREAK, write_clock
from app.statistics.numbers import UNKNOWN, big_numbers, when
from tests.app.statistics.replies import Talk


def said(talk: Talk, conversation_id: str = "") -> list[str]:
    talk.history.measure()
    return [number.text.replace(NO_BREAK, " ") for number in big_numbers(talk.history, conversation_id)]


def test_there_are_none_before_the_first_reply(talk: Talk) -> None:
    assert big_numbers(talk.history) == ()
    talk.begin(1)
    assert big_numbers(talk.history) == ()


def test_a_running_reply_has_its_numbers(talk: Talk) -> None:
    talk.begin(1)
    for _ in range(21):
        talk.round(1, 3, 2, speedup=1.94, time_to_first_token_seconds=0.42)
    assert said(talk) == [
        "tok/s: 30",
        "vs plain, measured here: ×1.9",
        "acceptance length, 21 rounds: 3.0",
        "tokens per forward: 3.0",
        "first token: 0.42 s",
    ]


def test_nothing_is_said_over_plain_where_nothing_was_drafted_or_measured(talk: Talk) -> None:
    talk.begin(1, drafter="none")
    talk.round(1, speedup=1.0)
    assert "vs plain, nothing was drafted: unknown" in said(talk)
    talk.round(1, 2, 1, speedup=0.0)
    assert "vs plain, not measured: unknown" in said(talk)


def test_a_loss_is_shown_as_one(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1, 2, 0, speedup=0.9)
    number = big_numbers(talk.history)[1]
    assert (number.value, number.tone) == ("×0.9", "alert")


def test_replies_that_run_together_are_told_together(talk: Talk) -> None:
    talk.begin(1)
    talk.begin(2, "rust")
    for _ in range(21):
        talk.together(1, 2, speedup=1.5, time_to_first_token_seconds=0.5)
    words = said(talk)
    assert words[0] == "tok/s, 2 replies together: 40"
    assert words[1] == "vs plain, of 2 replies: ×1.5"
    assert words[3] == "tokens per forward, last 21: 4.0"
    assert words[4] == "first token, median of 2: 0.50 s"
    assert said(talk, "rust")[3] == "tokens per forward: 2.0"


def test_after_the_end_the_last_values_stay_with_their_time(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1)
    talk.round(1, tokens_per_second=12.0)
    talk.end(1)
    (reply,) = talk.history.replies()
    talk.now += 500
    assert when([reply]) == f"when {write_clock(reply.told_at)}"
    assert said(talk)[0] == f"tok/s, when {write_clock(reply.told_at)}: 12"


def test_a_rate_of_too_little_is_no_number(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1)
    assert big_numbers(talk.history)[0].value == UNKNOWN
