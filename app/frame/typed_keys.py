"""TypedKeys: what is typed where nothing can be written goes to the composer of the chat that is shown."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from app.frame.page_stack import PageStack
from app.theme.keys import is_typed


class TypedKeys(QObject):
    """Hears the keys that no widget of the window took."""

    def __init__(self, window: QWidget, pages: PageStack) -> None:
        super().__init__(window)
        self._pages = pages
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._take(event)

    def _take(self, event: QKeyEvent) -> bool:
        tab = self._pages.current
        is_paste = event.matches(QKeySequence.StandardKey.Paste)
        if tab is None or tab.composer.field.hasFocus() or not (is_paste or is_typed(event)):
            return False
        tab.composer.field.setFocus()
        QCoreApplication.sendEvent(tab.composer.field, event.clone())
        return True
