"""Files and long pastes become chips of the message that is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QImage
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.chat.composer import Composer
from app.chat.composer_attaching import num_that_fit
from app.chat.draft import Draft
from app.conversations.records import Attachment
from app.tasks import finish
from tests.app.driver import RunAsync

LOG = "2026-11-20 21:04:00 INFO started\n" * 1000


def mime_of(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def paste(composer: Composer, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    composer.field.insertFromMimeData(data)


def drop(composer: Composer, data: QMimeData) -> None:
    copy, left, no = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    composer.dropEvent(QDropEvent(QPointF(QPoint(5, 5)), copy, data, left, no))


def test_dropped_files_go_with_the_message(
    composer: Composer, sent: list[Draft], qtbot: QtBot, run_async: RunAsync, tmp_path: Path
) -> None:
    (tmp_path / "notes.md").write_text("# Notes")
    (tmp_path / "a.csv").write_text("a,b")

    async def drop_both() -> None:
        drop(composer, mime_of(tmp_path / "notes.md", tmp_path / "a.csv"))
        await finish()

    run_async(drop_both())
    assert composer.foot.send_button.isEnabled()
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == [Draft("", (Attachment("notes.md", "# Notes"), Attachment("a.csv", "a,b")))]
    assert composer.draft == Draft()


def test_what_is_not_text_is_refused_with_a_sentence_and_the_rest_is_attached(
    composer: Composer, run_async: RunAsync, tmp_path: Path
) -> None:
    (tmp_path / "photo.heic").write_bytes(b"\0\0\0\x18ftypheic")
    (tmp_path / "notes.md").write_text("# Notes")

    async def paste_both() -> None:
        composer.field.insertFromMimeData(mime_of(tmp_path / "photo.heic", tmp_path / "notes.md"))
        await finish()

    run_async(paste_both())
    assert composer.note.text == "photo.heic is not text. Text, Markdown, code, CSV and JSON can be attached."
    assert [chip.attachment.name for chip in composer.attachments.chips] == ["notes.md"]


def test_a_picture_of_the_clipboard_is_refused(composer: Composer) -> None:
    data = QMimeData()
    data.setImageData(QImage(4, 4, QImage.Format.Format_RGB32))
    composer.field.insertFromMimeData(data)
    assert composer.note.text.startswith("A picture is not text.")


def test_a_long_paste_becomes_an_attachment_and_undo_makes_it_text(composer: Composer, qtbot: QtBot) -> None:
    paste(composer, LOG)
    assert composer.draft == Draft("", (Attachment("Pasted text", LOG),))
    assert composer.note.text == "The paste has 33,000\u00a0characters, so it is attached."
    qtbot.mouseClick(composer.note.button, Qt.MouseButton.LeftButton)
    assert composer.draft == Draft(LOG)
    assert composer.note.text == ""


def test_the_undo_key_takes_back_a_long_paste_but_only_as_the_last_thing_done(composer: Composer, qtbot: QtBot) -> None:
    paste(composer, LOG)
    qtbot.keyClick(composer.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert composer.draft == Draft(LOG)
    composer.field.clear()
    paste(composer, LOG)
    qtbot.keyClicks(composer.field, "x")
    qtbot.keyClick(composer.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert composer.draft == Draft("", (Attachment("Pasted text", LOG),))


def test_a_paste_that_was_sent_is_not_undone_any_more(composer: Composer, sent: list[Draft], qtbot: QtBot) -> None:
    paste(composer, LOG)
    composer.submit()
    qtbot.keyClick(composer.field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert sent == [Draft("", (Attachment("Pasted text", LOG),))]
    assert (composer.draft, composer.note.text) == (Draft(), "")


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_an_attachment_is_taken_off_by_its_button_or_a_key(composer: Composer, qtbot: QtBot, key: Qt.Key) -> None:
    composer.put_back(Draft("", (Attachment("a", "1"), Attachment("b", "2"))))
    first, second = composer.attachments.chips
    assert (first.accessibleName(), first.remove_button.accessibleName()) == ("Show a", "Remove a")
    qtbot.mouseClick(first.remove_button, Qt.MouseButton.LeftButton)
    assert composer.draft.attachments == (Attachment("b", "2"),)
    qtbot.keyClick(second, key)
    assert composer.draft == Draft()
    assert composer.attachments.isHidden()


def test_a_press_on_an_attachment_shows_its_text_to_be_read(composer: Composer, qtbot: QtBot) -> None:
    composer.put_back(Draft("", (Attachment("notes.md", "# Notes"),)))
    qtbot.mouseClick(composer.attachments.chips[0], Qt.MouseButton.LeftButton)
    view = QApplication.activeModalWidget()
    assert view is not None
    (text,) = view.findChildren(QPlainTextEdit)
    assert (view.windowTitle(), text.toPlainText(), text.isReadOnly()) == ("notes.md", "# Notes", True)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert QApplication.activeModalWidget() is None


def test_no_more_files_are_attached_than_a_message_may_have(
    composer: Composer, run_async: RunAsync, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(25)]
    for path in paths:
        path.write_text(path.name)

    async def take() -> None:
        composer.take_files(paths)
        await finish()

    run_async(take())
    assert len(composer.attachments.chips) == 20
    said = composer.note.text.replace("\u00a0", " ")
    assert said == "A message can quote 20 files with 4,000,000 characters. Send the others with the next one."


def test_files_are_attached_up_to_what_a_message_may_quote_together() -> None:
    half, small = Attachment("a", "x" * 2_000_001), Attachment("b", "y")
    assert [num_that_fit(files) for files in ((half, small), (half, half, small), ())] == [2, 1, 0]


def test_a_paste_that_no_message_may_quote_is_refused_with_its_size(composer: Composer) -> None:
    paste(composer, "x" * 4_000_001)
    assert composer.draft == Draft()
    said = composer.note.text.replace("\u00a0", " ")
    assert said == "The paste has 4,000,001 characters; a message can quote 4,000,000. Paste a part of it."


@pytest.mark.parametrize("text", ["word " * 200_000, "line\n" * 200_000], ids=["a megabyte", "200,000 lines"])
def test_o53_a_huge_paste_is_a_chip_that_undo_takes_off_again(composer: Composer, qtbot: QtBot, text: str) -> None:
    qtbot.keyClicks(composer.field, "see ")
    paste(composer, text)
    assert composer.draft == Draft("see ", (Attachment("Pasted text", text),))
    assert composer.attaching.undo_paste()
    assert composer.draft == Draft("see ")


def test_what_is_said_of_a_paste_goes_with_its_attachment(composer: Composer) -> None:
    paste(composer, LOG)
    assert composer.note.text
    composer.attachments.remove(composer.attachments.chips[0])
    assert composer.note.text == ""
