"""Files that are dropped on a chat, wherever on it."""

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import QApplication

COPY, LEFT, NO = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def drop_on_transcript(driver, *paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    enter = QDragEnterEvent(QPoint(9, 9), COPY, data, LEFT, NO)
    QApplication.sendEvent(driver.tab.transcript.viewport(), enter)
    assert enter.isAccepted()
    QApplication.sendEvent(driver.tab, QDropEvent(QPointF(9, 9), COPY, data, LEFT, NO))


def test_files_dropped_over_the_transcript_are_attached_and_the_rest_is_refused(driver, tmp_path):
    driver.type("One")
    driver.wait_idle()
    (tmp_path / "folder").mkdir()
    for name in ("a.txt", "b.md"):
        (tmp_path / name).write_text(name)
    QImage(4, 4, QImage.Format.Format_RGB32).save(str(tmp_path / "photo.png"))
    drop_on_transcript(driver, *(tmp_path / name for name in ("a.txt", "folder", "photo.png", "b.md")))
    composer = driver.tab.composer
    driver.wait(lambda: composer.note.isVisible())
    assert [chip.attachment.name for chip in composer.attachments.chips] == ["a.txt", "b.md"]
    assert "folder is a folder. Attach the files in it." in composer.note.text
    assert "photo.png is not text." in composer.note.text
    assert composer.field.hasFocus()
