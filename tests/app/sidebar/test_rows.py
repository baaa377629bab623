"""Which rows the sidebar has, and under which captions."""

from __future__ import annotations

from app.sidebar.rows import Kind, rows_of
from tests.app.sidebar.conversations import TODAY, conversation


def texts(*conversations, folded=()):
    return [row.text for row in rows_of(conversations, TODAY.date(), folded)]


def test_chats_stand_under_pinned_then_folders_by_name_then_times():
    chats = (
        conversation("loose"),
        conversation("in thesis", folder="Thesis"),
        conversation("pin", 1, is_pinned=True),
        conversation("in atlas", 3, folder="atlas"),
        conversation("second in thesis", 90, folder="Thesis"),
        conversation("old", 1),
    )
    found = texts(*chats)
    assert found[:2] == ["Pinned", "pin"]
    assert found[2:7] == ["atlas", "in atlas", "Thesis", "in thesis", "second in thesis"]
    assert found[7:] == ["Today", "loose", "Yesterday", "old"]


def test_months_are_named_and_years_where_they_are_others():
    found = texts(conversation("a", 4), conversation("b", 30), conversation("c", 40), conversation("d", 400))
    assert found == ["Last week", "a", "October", "b", "c", "October 2025", "d"]


def test_a_chat_of_the_future_stands_under_today():
    assert texts(conversation("clock set back", -3)) == ["Today", "clock set back"]


def test_a_folded_folder_hides_its_chats_and_counts_them():
    rows = rows_of([conversation("a", folder="F"), conversation("b", folder="F")], TODAY.date(), {"F"})
    assert [(row.kind, row.num_chats, row.is_folded) for row in rows] == [(Kind.FOLDER, 2, True)]


def test_a_pinned_chat_of_a_folder_stands_under_pinned_alone():
    assert texts(conversation("a", folder="F", is_pinned=True)) == ["Pinned", "a"]
