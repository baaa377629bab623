"""DownloadsList: the card of models on their way; it is gone when none is."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from app.library.card import Card, start_side
from app.library.download import OPEN_PAGE
from app.library.download_row import DownloadRow
from app.library.downloads import Downloads
from app.library.hub import Hub
from app.statistics.sizes import scaled
from app.theme.labels import make_label
from app.theme.theme import Theme

LEAST_HEIGHT = 132  # px at 100 %: one and a half rows, so that one sees that there are more


class _Room(QScrollArea):
    """As high as what it holds, or scrolled where there is no room for that."""

    def __init__(self, held: QWidget) -> None:
        super().__init__()
        self._held = held
        self.setWidget(held)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def sizeHint(self) -> QSize:
        held = self._held
        height = held.heightForWidth(self.width()) if held.hasHeightForWidth() else held.sizeHint().height()
        return QSize(held.sizeHint().width(), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(self.sizeHint().height(), scaled(LEAST_HEIGHT)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


class DownloadsList(QWidget):
    """Rows stay with their downloads, so that a button under the keyboard stays where it is."""

    rows_changed = Signal()  # there is one more, or one less, or a row has other buttons

    def __init__(self, theme: Theme, hub: Hub, downloads: Downloads, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hub = hub
        self._downloads = downloads
        self.rows: dict[str, DownloadRow] = {}
        self._card = Card(theme, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self._caption = make_label("Downloading", "interface", "secondary", self)
        self._caption.setContentsMargins(16, 0, 16, 0)
        column.addWidget(self._caption)
        self._room = _Room(self._card)
        column.addWidget(self._room)
        downloads.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        shown = {one.key: one for one in self._downloads.downloads}
        before = tuple(self.rows)
        self._caption.setAlignment(start_side(self))
        for key in [key for key in self.rows if key not in shown]:
            self._remove(self.rows.pop(key))
        for place, (key, download) in enumerate(shown.items()):
            row = self.rows.get(key) or self._add(key)
            row.is_first = not place
            row.show_download(download)
        self._room.updateGeometry()
        self.setVisible(bool(shown))
        if tuple(self.rows) != before:
            self.rows_changed.emit()

    def _add(self, key: str) -> DownloadRow:
        row = DownloadRow(self._theme, self._card)
        row.chosen.connect(self._do)
        row.buttons_changed.connect(self.rows_changed)
        self.rows[key] = row
        self._card.column.addWidget(row)
        row.show()
        return row

    def _remove(self, row: DownloadRow) -> None:
        self._card.column.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _do(self, key: str, words: str) -> None:
        download = self._downloads.find(key)
        if download is None:
            return
        if words == "Pause":
            self._downloads.pause(key)
        elif words == "Cancel":
            self._downloads.cancel(key)
        elif words == OPEN_PAGE:
            QDesktopServices.openUrl(QUrl(self._hub.page_of(download.repo_id)))
        else:
            self._downloads.resume(key)
