"""TabFind: the find bar over the top end of a tab's transcript, and what it finds there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent

from app.chat.find_bar import WIDTH, FindBar
from app.chat.tab import ChatTab
from app.chat.transcript import Transcript
from app.theme.theme import Theme

MARGIN = 12  # px to the transcript's edges, beside its scroll bar


class TabFind(QObject):
    """Belongs to its tab and goes with it."""

    def __init__(self, theme: Theme, tab: ChatTab) -> None:
        super().__init__(tab)
        self._tab = tab
        self._transcript: Transcript = tab.transcript
        self.bar = FindBar(theme, tab)
        self.bar.words_changed.connect(self._find)
        self.bar.step_asked.connect(self._transcript.step)
        self.bar.closed.connect(self._close)
        self._transcript.found_changed.connect(lambda count, place: self.bar.show_place(place, count))
        for widget in (self._transcript, tab.composer.field):
            widget.installEventFilter(self)
        self._place()

    def open(self) -> None:
        if self._tab.is_empty:
            return
        self.bar.open()
        self._place()

    def show_found(self, words: str, message_id: str) -> None:
        """Go to a message that a search found, at its first hit, which the bar goes on from.

        Where the words do not stand one behind the other there, the longest of them is shown.
        """
        shown = self._transcript.words_in(message_id, words)
        if shown:
            self.bar.show_words(shown)
            self._place()
            self._transcript.find(shown, message_id)

    def _find(self, words: str) -> None:
        if words.strip():
            self._transcript.find(words)
        else:
            self._transcript.clear()

    def _close(self) -> None:
        self._transcript.clear()
        self._tab.composer.field.setFocus()

    def _place(self) -> None:
        gutter = self._transcript.verticalScrollBar().width()
        room = self._transcript.geometry().adjusted(MARGIN, MARGIN, -MARGIN - gutter, 0)
        width = min(WIDTH, room.width())
        self.bar.setGeometry(room.right() + 1 - width, room.top(), width, self.bar.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the transcript's size, and take Esc before the composer does, where it would stop the reply."""
        if event.type() == QEvent.Type.Resize and watched is self._transcript:
            self._place()
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if is_escape and event.type() == QEvent.Type.KeyPress and self.bar.isVisible():
            self.bar.close_bar()
            return True
        return False


def find_in(theme: Theme, tab: ChatTab) -> TabFind:
    """The tab's find bar, made when it is first asked for."""
    return tab.findChild(TabFind) or TabFind(theme, tab)
