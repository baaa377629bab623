"""Sidebar: the conversations, and at its foot what the engine is doing."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from app.chat.notes import Action, Note, NoteBar
from app.conversations.titles import NEW_TITLE
from app.sidebar_list import INSET, ConversationDelegate, ConversationModel, Role
from app.theme.buttons import SymbolButton
from app.theme.fonts import font
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

WIDTH, MIN_WIDTH, MAX_WIDTH = 256, 200, 360
HEADER, FOOTER = 48, 52
UNDO_ROOM = 120  # px that the words around a deleted chat's title take
GRIP = 5  # px at the inner edge that drag the width


class Sidebar(QWidget):
    open_asked = Signal(str)
    rename_asked = Signal(str, str)
    delete_asked = Signal(str)
    undo_asked = Signal()
    new_asked = Signal()
    hide_asked = Signal()
    width_asked = Signal(int)

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pulse = pulse
        self.model = ConversationModel(self)
        self.list = ConversationList(self)
        self.footer = Footer(theme, self)
        self.undo_note = NoteBar(theme, self)
        self._hint = QLabel("Your chats appear here. They are saved on this computer as you write.", self)
        self._is_dragging = False
        self._lay_out()
        self._connect()
        self.setMouseTracking(True)

    def _lay_out(self) -> None:
        self.list.setModel(self.model)
        self.list.setItemDelegate(ConversationDelegate(self._theme, self._pulse, self.list))
        self._hint.setFont(font("small"))
        self._hint.setProperty("kind", "caption")
        self._hint.setWordWrap(True)
        self._hint.setContentsMargins(20, 8, 20, 0)
        hide = SymbolButton(self._theme, "sidebar", "Hide the sidebar", self)
        hide.clicked.connect(self.hide_asked)
        new = SymbolButton(self._theme, "edit", "New chat", self)
        new.clicked.connect(self.new_asked)
        header = QHBoxLayout()
        header.setContentsMargins(10, 9, 10, 9)
        header.addWidget(hide)
        header.addStretch(1)
        header.addWidget(new)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 1, 0)
        column.setSpacing(0)
        column.addLayout(header)
        column.addWidget(self._hint)
        column.addWidget(self.list, 1)
        note = QVBoxLayout()
        note.setContentsMargins(INSET, 0, INSET, INSET)
        note.addWidget(self.undo_note)
        column.addLayout(note)
        column.addWidget(self.footer)

    def _connect(self) -> None:
        self.list.activated.connect(self._open)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.undo_note.chosen.connect(lambda action: self.undo_asked.emit())
        self.model.rename_asked.connect(self.rename_asked)
        self.model.modelReset.connect(lambda: self._hint.setVisible(self.model.rowCount() == 0))
        self._pulse.ticked.connect(self.list.viewport().update)
        self._theme.tokens_changed.connect(self.update)

    def offer_undo(self, title: str | None) -> None:
        """Say which chat was deleted, with the way back; None takes the note away."""
        if title is None:
            self.undo_note.hide()
            return
        metrics = QFontMetricsF(font("interface"))
        shown = metrics.elidedText(title or NEW_TITLE, Qt.TextElideMode.ElideRight, self.width() - UNDO_ROOM)
        self.undo_note.show_note(Note(f"Deleted “{shown}”.", (Action.UNDO,)))
        self.undo_note.setToolTip(plain_tooltip(title))

    def _open(self, index: QModelIndex) -> None:
        if conversation_id := index.data(Role.ID):
            self.open_asked.emit(conversation_id)

    def _open_menu(self, point: QPoint) -> None:
        index = self.list.indexAt(point)
        conversation_id = index.data(Role.ID) if index.isValid() else None
        if not conversation_id:
            return
        menu = QMenu("Chat", self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Rename").triggered.connect(lambda: self.list.edit(self.model.index_of(conversation_id)))
        menu.addAction("Delete").triggered.connect(lambda: self.delete_asked.emit(conversation_id))
        menu.popup(self.list.viewport().mapToGlobal(point))

    # Width

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._is_dragging = event.position().x() > self.width() - GRIP

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._is_dragging:
            self.width_asked.emit(max(MIN_WIDTH, min(MAX_WIDTH, round(x))))
        is_edge = self._is_dragging or x > self.width() - GRIP
        self.setCursor(Qt.CursorShape.SizeHorCursor if is_edge else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._is_dragging = False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._theme.tokens
        painter.fillRect(self.rect(), QColor(tokens.sidebar))
        painter.fillRect(QRectF(self.width() - 1, 0, 1, self.height()), QColor(tokens.line))


class ConversationList(QListView):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Chats")
        self.setStyleSheet("QListView { activate-on-singleclick: 1; }")  # one signal for a click and for Enter
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)


class Footer(QWidget):
    """One line: what runs, and how fast or with what."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ("", "")
        self.setFixedHeight(FOOTER)
        theme.tokens_changed.connect(self.update)

    @property
    def words(self) -> tuple[str, str]:
        return self._words

    def set_words(self, start: str, end: str) -> None:
        if (start, end) != self._words:
            self._words = (start, end)
            self.setAccessibleName(f"{start}, {end}".rstrip(", "))
            self.setToolTip(plain_tooltip(end))
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._theme.tokens
        painter.fillRect(QRectF(0, 0, self.width(), 1), QColor(tokens.line))
        start, end = self._words
        strong, plain = QFontMetricsF(font("interface-medium")), QFontMetricsF(font("interface"))
        baseline = self.height() / 2 + strong.capHeight() / 2
        left, right = 18.0, self.width() - 18.0
        painter.setFont(font("interface-medium"))
        painter.setPen(QColor(tokens.ink))
        start = strong.elidedText(start, Qt.TextElideMode.ElideRight, right - left)
        painter.drawText(QPointF(left, baseline), start)
        room = right - left - strong.horizontalAdvance(start) - 12
        shown = plain.elidedText(end, Qt.TextElideMode.ElideRight, max(0.0, room))
        painter.setFont(font("interface"))
        painter.setPen(QColor(tokens.ink2))
        painter.drawText(QPointF(right - plain.horizontalAdvance(shown), baseline), shown)
