"""Marking and copying: over blocks and messages, by word and by paragraph, as text and as Markdown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.transcript import Transcript
from app.chat.transcript.selection import line_around, word_around
from tests.app.chat.transcripts import button, drag, long_chat, message, point_of

SOURCE = "# Head\n\npara **b** `c` 日本 emoji 😀 <b>x</b>\n\n- a\n  - b\n- c *it*\n\nEnd."


def copied() -> str:
    return QApplication.clipboard().text()


def show(transcript: Transcript, reply: str = SOURCE) -> None:
    transcript.show_messages([message("user", "Why?\nReally?"), message("assistant", reply, number=2)])


def test_all_of_it_is_copied_as_text(transcript: Transcript) -> None:
    show(transcript)
    transcript.selectAll()
    transcript.copy()
    assert copied().startswith("Why?\nReally?\n\nHead\n\npara b c 日本 emoji 😀 <b>x</b>\n\n• a\n")
    assert copied().endswith("End.")


def test_all_of_it_is_copied_as_markdown(transcript: Transcript) -> None:
    show(transcript)
    transcript.selectAll()
    transcript.copy_markdown()
    assert copied() == f"Why?\nReally?\n\n{SOURCE}"


def test_a_drag_marks_from_one_message_into_another(transcript: Transcript) -> None:
    show(transcript, "Ice **floats** well.")
    drag(transcript, point_of(transcript, 0, 5), point_of(transcript, 1, 10))
    assert transcript.selected_text() == "Really?\n\nIce floats"


def test_a_drag_upwards_marks_the_same(transcript: Transcript) -> None:
    show(transcript, "Ice **floats** well.")
    drag(transcript, point_of(transcript, 1, 10), point_of(transcript, 0, 5))
    assert transcript.selected_text() == "Really?\n\nIce floats"


def test_whole_blocks_are_copied_as_their_source(transcript: Transcript) -> None:
    show(transcript, "Ice **floats** well.\n\nIt *is* less dense.")
    drag(transcript, point_of(transcript, 1, 0), point_of(transcript, 1, 5, block=1))
    transcript.copy_markdown()
    assert copied() == "Ice **floats** well.\n\nIt *is*"


def test_a_double_click_marks_a_word_and_a_third_the_paragraph(transcript: Transcript) -> None:
    show(transcript, "Ice floats well.")
    point = point_of(transcript, 1, 6)
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=point)
    QTest.mouseDClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert transcript.selected_text() == "floats"
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert transcript.selected_text() == "Ice floats well."


def test_a_click_takes_the_mark_away(transcript: Transcript) -> None:
    show(transcript)
    transcript.selectAll()
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=point_of(transcript, 1, 2))
    assert transcript.selected_text() == ""


def test_a_drag_that_is_held_outside_scrolls(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages(long_chat(20))
    start = transcript.offset
    viewport = transcript.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=QPoint(400, 200))
    QTest.mouseMove(viewport, QPoint(400, -60))
    qtbot.waitUntil(lambda: transcript.offset < start - 100, timeout=2000)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=QPoint(400, -60))
    assert len(transcript.selected_text()) > 100


def test_a_whole_long_chat_is_copied(transcript: Transcript, qtbot: QtBot) -> None:
    transcript.show_messages(long_chat(300))
    QApplication.clipboard().clear()
    transcript.selectAll()
    transcript.copy()
    qtbot.waitUntil(lambda: copied() != "", timeout=5000)
    assert copied().count("Why ") == 300


def test_copy_under_a_reply_gives_it_as_it_was_written(transcript: Transcript) -> None:
    show(transcript)
    button(transcript, "Copy this message").click()
    assert copied() == SOURCE


@pytest.mark.parametrize(("address", "is_opened"), [("https://example.org/", True), ("mailto:a@b.c", True)])
def test_a_click_on_a_link_asks_the_systems_browser(
    transcript: Transcript, monkeypatch: pytest.MonkeyPatch, address: str, is_opened: bool
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    show(transcript, f"[here is the place]({address})")
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=point_of(transcript, 1, 5))
    assert (opened == [address]) is is_opened


def test_what_is_no_web_address_is_never_opened(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    show(transcript, "[the place](file:///etc/passwd) ![p](http://127.0.0.1:9/a.png)")
    QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=point_of(transcript, 1, 5))
    assert opened == []
    assert "[picture: p] http://127.0.0.1:9/a.png" in transcript.plain_text()


def test_words_and_lines_are_counted_in_units_of_the_layout() -> None:
    assert word_around("😀 ice", 4) == (3, 6)
    assert line_around("😀\nice\nx", 4) == (3, 6)
