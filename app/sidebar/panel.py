"""Sidebar: search, pages and chats, and at its foot what the engine is doing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget

from app.chat.announcing import announce
from app.chat.notes import Action, Note, NoteBar
from app.conversations.records import Conversation
from app.conversations.search import Hit
from app.conversations.titles import NEW_TITLE
from app.figures import write_amount
from app.frame.focus_order import in_order
from app.sidebar.delegate import INSET, ConversationDelegate
from app.sidebar.footer import Footer
from app.sidebar.grip import Grip
from app.sidebar.list_model import ConversationModel
from app.sidebar.list_view import ConversationList
from app.sidebar.page_row import PageRow
from app.sidebar.results import ResultList
from app.sidebar.row_menus import RowMenus
from app.sidebar.search_field import SearchField
from app.system.machine import PLACE
from app.theme.buttons import SymbolButton
from app.theme.fonts import font
from app.theme.labels import make_label
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.tooltips import plain_tooltip

MOST_NAMED = 12  # of the chats that were deleted at once, in a tooltip
UNDO_ROOM = 120  # px that the words around a deleted chat's title take


class Sidebar(QWidget):
    open_asked = Signal(str)
    hit_chosen = Signal(object)  # Hit
    search_asked = Signal(str)
    delete_asked = Signal(object)  # conversation ids
    undo_asked = Signal()
    new_asked = Signal()
    hide_asked = Signal()
    models_asked = Signal()
    statistics_asked = Signal()
    folding_changed = Signal(object)  # names of the folders that are folded
    left = Signal()  # the keyboard wants to go on

    def __init__(self, theme: Theme, pulse: Pulse, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pulse = pulse
        self._waiting: tuple[Conversation, ...] | None = None  # to be listed when a title is no longer edited
        self.model = ConversationModel(self)
        self.field = SearchField(theme, self)
        self.models_row = PageRow(theme, "model", "Models", self)
        self.statistics_row = PageRow(theme, "statistics", "Statistics", self)
        self.list = ConversationList(self.model, self)
        self.results = ResultList(theme, self)
        self.menus = RowMenus(self.model, self.list)
        self.footer = Footer(theme, self)
        self.undo_note = NoteBar(theme, self)
        self.grip = Grip(self)
        self._hint = _make_hint(f"Your chats appear here. They are saved on {PLACE} as you write.", self)
        self.nothing = _make_hint("", self)
        self._pages = QStackedLayout()
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.list.setItemDelegate(ConversationDelegate(self._theme, self._pulse, self.list))
        hide = SymbolButton(self._theme, "sidebar", "Hide the sidebar", self)
        hide.clicked.connect(self.hide_asked)
        new = SymbolButton(self._theme, "edit", "New chat", self)
        new.clicked.connect(self.new_asked)
        header = QHBoxLayout()
        header.setContentsMargins(10, 9, 10, 9)
        header.addWidget(hide)
        header.addStretch(1)
        header.addWidget(new)
        search = QHBoxLayout()
        search.setContentsMargins(INSET, 0, INSET, 6)
        search.addWidget(self.field)
        for widgets in ((self.models_row, self.statistics_row, self._hint, self.list), (self.nothing, self.results)):
            self._pages.addWidget(_column_of(*widgets))
        note = QHBoxLayout()
        note.setContentsMargins(INSET, 0, INSET, INSET)
        note.addWidget(self.undo_note)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 1, 0)
        column.setSpacing(0)
        for part in (header, search, self._pages, note):
            column.addLayout(part)
        column.setStretchFactor(self._pages, 1)
        column.addWidget(self.footer)
        self.first = hide  # that Tab comes to
        in_order((hide, new, self.field, self.models_row, self.statistics_row, self.list, self.results, self.footer))

    def _connect(self) -> None:
        self.list.chat_chosen.connect(self.open_asked)
        self.list.fold_asked.connect(self._fold)
        self.list.itemDelegate().closeEditor.connect(self._end_editing)
        self.menus.delete_asked.connect(self.delete_asked)
        self.model.modelReset.connect(lambda: self._hint.setVisible(not self.model.conversations))
        self.field.search_asked.connect(self._take_words)
        self.field.step_asked.connect(self._step)
        self.field.chosen.connect(self.results.choose_current)
        self.field.left.connect(self.left)
        self.results.hit_chosen.connect(self.hit_chosen)
        self.models_row.clicked.connect(self.models_asked)
        self.statistics_row.clicked.connect(self.statistics_asked)
        self.footer.clicked.connect(self.statistics_asked)
        self.undo_note.chosen.connect(lambda action: self.undo_asked.emit())
        self._pulse.ticked.connect(self.list.viewport().update)
        self._theme.tokens_changed.connect(self.update)

    # What is listed

    def show_conversations(self, conversations: Collection[Conversation]) -> None:
        """List them; a title that is being edited stays in hand."""
        self._waiting = tuple(conversations)
        if not self.list.is_editing:
            self._list_waiting()

    def edit_title(self, conversation: Conversation) -> None:
        """Let a title be edited in its row, which is brought into view."""
        self.field.clear()
        if not self.model.index_of(conversation.id).isValid():
            self._fold(conversation.folder, False)
        self.list.edit_chat(conversation.id)

    def _end_editing(self) -> None:
        QTimer.singleShot(0, self, self._list_waiting)  # when the view has let go of the field

    def _list_waiting(self) -> None:
        if self._waiting is not None:
            self.model.show(self._waiting)
            self._waiting = None

    def _fold(self, folder: str, is_folded: bool) -> None:
        others = self.model.folded - {folder}
        self.model.set_folded(others | {folder} if is_folded else others)
        self.folding_changed.emit(tuple(sorted(self.model.folded)))

    # Search

    def start_search(self) -> None:
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def show_hits(self, words: str, hits: Sequence[Hit]) -> None:
        """Show what was found, unless other words are looked for by now."""
        if words != self.field.words:
            return
        self.results.show_hits(hits)
        self.nothing.setText(f"No chat contains “{words}”.")
        self.nothing.setVisible(not hits)
        self._pages.setCurrentIndex(1)

    def _take_words(self, words: str) -> None:
        if words:
            self.search_asked.emit(words)
        else:
            self._pages.setCurrentIndex(0)

    def _step(self, places: int) -> None:
        if self.field.words:
            self.results.step(places)
        else:
            self.list.setFocus(Qt.FocusReason.TabFocusReason)

    # Undo

    def offer_undo(self, titles: Sequence[str]) -> None:
        """Say which chats were deleted, with the way back; none takes the note away."""
        if not titles:
            self.undo_note.hide()
            return
        named = [title or NEW_TITLE for title in titles]
        if len(named) == 1:
            metrics = QFontMetricsF(font("interface"))
            shown = metrics.elidedText(named[0], Qt.TextElideMode.ElideRight, self.width() - UNDO_ROOM)
            shown, whole, them = f"“{shown}”", f"“{named[0]}”", "It"
        else:
            shown = whole = write_amount(len(named), "chat")
            them = "They"
        self.undo_note.show_note(Note(f"Deleted {shown}.", (Action.UNDO,)))
        self.undo_note.setToolTip(plain_tooltip("\n".join(named[:MOST_NAMED])).replace("\n", "<br>"))
        announce(self, f"Deleted {whole}. {them} can be had back for ten seconds.")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.grip.place(self.width(), self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = self._theme.tokens
        painter.fillRect(self.rect(), QColor(tokens.sidebar))
        edge = 0 if self.isRightToLeft() else self.width() - 1
        painter.fillRect(QRectF(edge, 0, 1, self.height()), QColor(tokens.line))


def _make_hint(words: str, parent: QWidget) -> QLabel:
    hint = make_label(words, "small", "caption", parent, wraps=True)
    hint.setContentsMargins(20, 8, 20, 0)
    return hint


def _column_of(*widgets: QWidget) -> QWidget:
    """The widgets under one another; the last one takes what room is left."""
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for widget in widgets:
        column.addWidget(widget, 1 if widget is widgets[-1] else 0)
    return holder
