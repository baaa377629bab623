"""The words of the strip and of the notes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from app.chat.notes import Action, note_for
from app.chat.strip import (
    describe,
    fit_progress,
    fit_strip,
    progress_words,
    reread_words,
    speedup_item,
    spoken,
    strip_items,
)
from app.chat.wake import LEAST_ROUNDS, NUM_ROUNDS, Round, Wake
from app.conversations.records import Message, ReplyState
from app.figures import NO_BREAK, write_clock
from app.theme.fonts import font
from engine.messages import Delta, Progress, Statistics

STATISTICS = Statistics(
    num_prompt=6332,
    num_cached=6214,
    num_tokens=666,
    num_rounds=196,
    num_proposed=980,
    num_verified=480,
    num_accepted=470,
    num_forwards_saved=470,
    speedup=1.94,
    depth=5,
    depth_reason="Every proposal is verified.",
    extra_seconds=1.5,
    verify_seconds=1.96,
    reached_by_position=(196, 159),
    proposed_by_position=(196, 196),
    accepted_by_position=(159, 98),
    acceptance_length=3.1,
    tokens_per_forward=1.9,
    tokens_per_second=62.0,
    time_to_first_token_seconds=0.42,
)


def test_the_strip_says_what_was_measured_in_order_of_weight() -> None:
    words = [item.text.replace(NO_BREAK, " ") for item in strip_items(STATISTICS)]
    assert words == [
        "62 tok/s",
        "×1.9 vs plain",
        "first token 0.42 s",
        "6,214 cached, 118 read",
        "acceptance length 3.1",
        "mean depth 5.0",
    ]


def test_the_speedup_is_coloured_by_what_it_is_worth() -> None:
    tones = [speedup_item(speedup).tone for speedup in (1.05, 1.04, 0.95, 0.94)]
    assert tones == ["target", "ink2", "ink2", "alert"]
    assert speedup_item(0.94).value == "×0.9"
    assert speedup_item(0.0).text.replace(NO_BREAK, " ") == "not measured vs plain"


def test_nothing_unmeasured_is_shown() -> None:
    assert strip_items(Statistics()) == ()
    plain = strip_items(Statistics(num_tokens=1, num_rounds=1, tokens_per_forward=1.0))
    assert plain == ()


def test_the_details_have_every_count_and_acceptance_by_position() -> None:
    words = describe(STATISTICS).replace(NO_BREAK, " ")
    for line in (
        "Position 1: accepted 159 of 196, 81%",
        "Position 2: accepted 98 of 196, 50%; 62% where reached",
        "Rounds: 196",
        "Tokens per forward: 1.90",
        "Accepted of proposed: 470 of 980, 48%",
        "Acceptance length: 3.1, of 196 rounds that proposed",
        "Accepted of the reply: 470 tokens, 71%",
        "Forwards saved: 470",
        "Verified, not delivered: 10",
        "Depth: 5.0 a round on average",
        "Depth of the last round: 5. Every proposal is verified.",
        "Verify, draft: 10.0 ms, 0.0 ms",
        "Prompt: 6,214 cached, 118 read",
    ):
        assert line in words.split("\n")


def test_a_reply_without_proposals_says_nothing_of_verifying_or_drafting() -> None:
    plain = Statistics(num_tokens=9, num_rounds=9, verify_seconds=0.09, speedup=1.0, num_rows=1)
    lines = describe(plain).replace(NO_BREAK, " ").split("\n")
    assert "Forward: 10.0 ms" in lines
    assert "Against plain: nothing was drafted" in lines
    assert not [line for line in lines if line.startswith(("Verify", "Acceptance", "Depth", "Forwards saved"))]
    assert "×1.0" not in " ".join(item.text for item in strip_items(plain))


def test_a_drafter_that_found_nothing_is_told_from_none() -> None:
    lines = describe(Statistics(num_tokens=2, num_rounds=2, verify_seconds=0.02, draft_seconds=0.002))
    assert "Forward, looking for a draft: 10.0 ms, 1.0 ms" in lines.replace(NO_BREAK, " ").split("\n")


def test_the_details_say_what_wrote_the_reply_and_how_it_ended() -> None:
    wrote = replace(reply(ReplyState.LIMIT), model="/models/Tiny", quantisation="4-bit", drafter="auto:/models/Small")
    sampled = replace(wrote, finish_reason="length", temperature=0.7, seed=42)
    lines = describe(STATISTICS, sampled).split("\n")
    assert lines[-5:] == [
        "State: reached the limit of tokens",
        "Model: Tiny, 4-bit",
        "Drafter: Small",
        "Temperature: 0.7",
        "Seed: 42",
    ]
    assert "State: running" in describe(STATISTICS, reply(ReplyState.RUNNING))
    assert "Seed" not in describe(STATISTICS, wrote)


def test_the_depth_of_an_ended_reply_is_the_mean_of_its_rounds() -> None:
    fallen = replace(STATISTICS, depth=0, num_proposed=98)
    assert [item.text for item in strip_items(fallen)][-1] == "mean depth 0.5"
    assert [item.text for item in strip_items(fallen, is_running=True)][-1] == "depth 0"


def test_the_rate_is_live_while_a_reply_runs_and_of_the_whole_at_its_end() -> None:
    for is_running, rate, expected in ((True, 12.4, "12"), (True, 0.0, "0.0"), (True, None, "62"), (False, 12.4, "62")):
        assert strip_items(STATISTICS, is_running=is_running, rate=rate)[0].value == expected


def test_the_strip_can_be_said_aloud() -> None:
    assert spoken(STATISTICS).startswith(
        "Statistics: 62 tokens per second, 1.9 times plain, first token 0.42 seconds, 6,214 cached, 118 read"
    )
    assert "not measured against plain" in spoken(replace(STATISTICS, speedup=0.0))


def test_what_was_read_again_is_counted_and_its_reason_told() -> None:
    reason = "38 tokens were read again: the model's files changed."
    again = replace(STATISTICS, num_reread=38, reread_reason=reason)
    assert describe(again).count("read again") == 1
    assert f"\nRead again: {reason}\n" in describe(again)
    unexplained = reread_words(Statistics(num_reread=1))
    assert unexplained.replace(NO_BREAK, " ") == "1 token was read again."
    assert reread_words(STATISTICS) == ""


LONG = replace(STATISTICS, num_prompt=123_000, num_cached=111_214, speedup=0.0, time_to_first_token_seconds=9.87)


@pytest.mark.parametrize(
    ("room", "least", "most"), [(688, LEAST_ROUNDS, NUM_ROUNDS), (600, LEAST_ROUNDS, NUM_ROUNDS - 1), (550, 0, 0)]
)
def test_what_was_cached_stays_before_the_wake(qapp: QApplication, room: float, least: int, most: int) -> None:
    num_rounds, items = fit_strip(strip_items(LONG), room, has_wake=True)
    assert [item.behind for item in items][3:4] == ["cached, 11,786 read"]
    assert least <= num_rounds <= most


def test_a_strip_too_narrow_for_what_was_cached_has_its_whole_wake(qapp: QApplication) -> None:
    num_rounds, items = fit_strip(strip_items(STATISTICS), 408, has_wake=True)
    assert num_rounds == NUM_ROUNDS
    assert [item.behind or item.before for item in items] == ["tok/s", "vs plain", "first token"]


def test_a_wide_strip_has_everything(qapp: QApplication) -> None:
    assert fit_strip(strip_items(STATISTICS), 1000, has_wake=True) == (NUM_ROUNDS, strip_items(STATISTICS))


def test_what_was_read_before_a_stop_is_less_than_what_was_not_cached() -> None:
    stopped = replace(STATISTICS, num_read=64)
    assert "6,214 cached, 64 read" in [item.text.replace(NO_BREAK, " ") for item in strip_items(stopped)]
    assert "Prompt: 6,214 cached, 64 read" in describe(stopped).replace(NO_BREAK, " ")


def test_progress_is_said_in_words() -> None:
    reading = progress_words(Progress(1, "reading", 11_400, 19_650), "Tiny").replace(NO_BREAK, " ")
    assert reading == "Reading 11,400 of 19,650 tokens"
    restored = progress_words(Progress(1, "reading", 1_204, 1_242, num_cached=1_204), "Tiny")
    assert restored.replace(NO_BREAK, " ") == "Reading 1,204 of 1,242 tokens, 1,204 cached"
    loading = progress_words(Progress(1, "loading", 100_000_000, 500_000_000), "SmolLM2 135M")
    assert loading.replace(NO_BREAK, " ") == "Loading SmolLM2 135M, 0.1 of 0.5 GB"


def test_progress_in_a_narrow_column_leaves_out_what_is_behind_the_comma(qapp: QApplication) -> None:
    words = progress_words(Progress(1, "reading", 42, 47, num_cached=25), "Tiny")
    whole = QFontMetricsF(font("small")).horizontalAdvance(words)
    assert fit_progress(words, whole) == words
    assert fit_progress(words, whole - 1).replace(NO_BREAK, " ") == "Reading 42 of 47 tokens"


def test_the_wake_counts_rounds_from_totals() -> None:
    wake = Wake()
    for proposed, accepted in ((5, 3), (5, 0), (13, 8)):
        wake.add(Delta(1, "", (), accepted, Statistics(num_proposed=proposed)))
    assert list(wake.rounds) == [Round(5, 3), Round(0, 0), Round(8, 8)]
    for _ in range(40):
        wake.add(Delta(1, "", (), 0, Statistics(num_proposed=13)))
    assert len(wake.rounds) == 22


def reply(state: ReplyState, tokens: int = 318, error: str = "") -> Message:
    ids = tuple(range(tokens))
    return Message("m", "c", None, "assistant", "x", ids, state=state, error=error, updated_at=1000.0)


def test_notes_say_what_happened_and_what_can_be_done() -> None:
    cut_off = note_for(reply(ReplyState.CUT_OFF))
    assert cut_off is not None
    assert cut_off.text.replace(NO_BREAK, " ") == f"Cut off at {write_clock(1000.0)}. 318 tokens were saved."
    assert Action.CONTINUE in cut_off.actions
    stopped = note_for(reply(ReplyState.STOPPED, 212))
    assert stopped is not None
    assert stopped.text.replace(NO_BREAK, " ") == "Stopped after 212 tokens."
    failed = note_for(reply(ReplyState.FAILED, 0, "the prompt is too long"))
    assert failed is not None
    assert failed.text == "This reply failed: the prompt is too long."
    assert failed.is_alert
    assert note_for(reply(ReplyState.COMPLETE)) is None


def test_a_wake_that_begins_in_the_middle_counts_no_earlier_rounds() -> None:
    wake = Wake()
    for rounds, proposed, accepted in ((11, 105, 3), (12, 110, 0)):
        wake.add(Delta(1, "", (), accepted, Statistics(num_rounds=rounds, num_proposed=proposed)))
    assert list(wake.rounds) == [Round(3, 3), Round(5, 0)]


def test_a_note_counts_tokens_whose_ids_were_given_up() -> None:
    bare = reply(ReplyState.STOPPED, 0)
    for message, words in (
        (replace(bare, statistics=Statistics(num_tokens=7)), "Stopped after 7 tokens."),
        (bare, "Stopped."),
        (replace(bare, text=""), "Stopped before the first token."),
    ):
        note = note_for(message)
        assert note is not None
        assert note.text.replace(NO_BREAK, " ") == words


def test_the_strip_of_a_continued_reply_counts_its_prompt_once() -> None:
    both = Statistics(num_prompt=556, num_cached=1_070, num_read=2)
    assert [(item.value, item.behind) for item in strip_items(both)] == [("554", "cached, 2 read")]
