"""The tables and sentences behind the charts, and the rows of shares."""

from __future__ import annotations

from app.figures import NO_BREAK
from app.statistics.shares import cause_of, disk_words, memory_shares, memory_words, prompt_rows
from app.statistics.tables import (
    positions_of,
    positions_sentence,
    positions_table,
    rounds_sentence,
    rounds_table,
    series_table,
)
from app.statistics.time_chart import stretches
from app.statistics.views import depth_sentence, replies_table, scene_of, segments_of
from engine.messages import CacheReport, MemoryReport
from tests.app.statistics.replies import Talk


def drafting(talk: Talk) -> Talk:
    talk.begin(1)
    for num_accepted in (2, 2, 1, 0):
        talk.round(1, 2, num_accepted)
    return talk


def test_acceptance_by_position_has_survival_and_acceptance_where_reached(talk: Talk) -> None:
    positions = positions_of(drafting(talk).history.replies())
    assert positions_table(positions).rows == (("1", "4", "3", "75%", "75%"), ("2", "4", "2", "50%", "67%"))
    assert positions_sentence(positions).startswith("Accepted of what was proposed, from position 1 on: 75%, 50%.")


def test_positions_of_several_replies_are_added(talk: Talk) -> None:
    drafting(talk)
    talk.begin(2)
    talk.round(2, 1, 1)
    assert [one.num_proposed for one in positions_of(talk.history.replies())] == [5, 4]


def test_rounds_are_told_newest_first_with_their_times(talk: Talk) -> None:
    rounds = tuple(drafting(talk).history.rounds)
    first = [cell.replace(NO_BREAK, " ") for cell in rounds_table(rounds).rows[0]]
    assert first == ["1", "50.0 ms", "10.0 ms", "0 of 2", "1"]
    assert "A round takes 60.0 ms" in rounds_sentence(rounds).replace(NO_BREAK, " ")


def test_the_time_chart_can_be_read_in_steps_of_ten_seconds(talk: Talk) -> None:
    drafting(talk)
    talk.now += 20
    talk.round(1, 2, 2)
    rows = series_table(scene_of(talk.history).points).rows
    assert [row[1:] for row in rows] == [("3.0", "2.0", "1"), ("2.2", "2.0", "4")]


def test_no_line_is_drawn_over_a_pause(talk: Talk) -> None:
    drafting(talk)
    talk.now += 60
    talk.round(1, 2, 2)
    assert [len(stretch) for stretch in stretches(scene_of(talk.history).points)] == [1, 1]


def test_a_change_of_depth_is_told_with_its_reason(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1, 5, 2)
    talk.round(1, 2, 1, depth_reason="Depth 5 measured 8% slower than plain here.")
    replies = talk.history.replies()
    assert depth_sentence(replies, talk.now) == "Depth fell from 5 to 2. Depth 5 measured 8% slower than plain here."
    assert ", 40\u00a0s ago. " in depth_sentence(replies, talk.now + 40)


def test_the_table_of_replies_has_the_newest_first_and_no_invented_number(talk: Talk) -> None:
    drafting(talk)
    talk.end(1)
    talk.begin(2, "", drafter="none")
    talk.round(2)
    table, looks = replies_table(talk.history)
    assert [row[0] for row in table.rows] == ["New chat", "Why does ice float?"]
    assert table.rows[0][1:] == ("None", "", "", "", "40, 10", "", "")
    assert table.rows[1][3] == "not measured"
    assert looks[0, 0].is_running


def test_the_chosen_chat_keeps_its_segment_after_its_end(talk: Talk) -> None:
    drafting(talk)
    assert segments_of(talk.history) == (("", "All replies"), ("ice", "Why does ice float?"))
    talk.end(1)
    assert segments_of(talk.history) == (("", "All replies"),)
    assert segments_of(talk.history, "ice")[1:] == (("ice", "Why does ice float?"),)


def test_memory_is_told_part_by_part_and_against_the_limit() -> None:
    report = MemoryReport(4_600_000_000, 800_000_000, 1_600_000_000, 200_000_000, 1_500_000_000, 27_000_000_000, 2)
    assert memory_words(report).replace(NO_BREAK, " ") == "8.7 of 27.0 GB"
    assert memory_shares(report)[2].name.replace(NO_BREAK, " ") == "Model cache, 2 replies"
    assert memory_words(MemoryReport(weight_bytes=4_600_000_000)).replace(NO_BREAK, " ") == "4.6 GB"


def test_prompt_tokens_are_told_by_source_and_what_was_read_again_by_cause(talk: Talk) -> None:
    talk.begin(1)
    talk.round(
        1, num_reread=6, reread_reason="6 tokens were read again: the chat's text changed at token 41 (an edit)."
    )
    talk.begin(2)
    talk.round(2, num_reread=3, reread_reason="3 tokens were read again: the chat's text changed at token 7 (an edit).")
    rows = [(row.name.replace(NO_BREAK, " "), row.value) for row in prompt_rows(talk.history.replies())]
    assert rows == [
        ("Prompt tokens, 2 replies", "100"),
        ("From the cache", "80"),
        ("Read for the first time", "11"),
        ("Read again: the chat's text changed", "9"),
    ]
    assert cause_of("") == "cause unknown"


def test_the_disk_is_told_against_its_budget_once_the_engine_has_answered() -> None:
    assert disk_words(None) == ""
    report = CacheReport(disk_bytes=11_400_000_000, budget_bytes=20_000_000_000)
    assert disk_words(report).replace(NO_BREAK, " ") == "11.4 of 20.0 GB"
