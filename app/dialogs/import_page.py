"""ImportPage: says what was found in a file before anything is imported, and takes an import back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.chat.announcing import announce
from app.conversations.importing.found import Found
from app.conversations.whole_chat import WholeChat
from app.dialogs.import_list import EDGE, ImportList
from app.figures import write_amount
from app.frame.focus_place import FocusPlace
from app.system.machine import PLACE
from app.theme.fonts import font
from app.theme.labels import make_label

COLUMN, SIDE = 560, 28
MOST_TOLD = 3  # reasons that are shown beside the chats at once
LINES_OF_REASON = 3  # that a long one takes
PURPOSE = (
    "From Slipstream, ChatGPT or LM Studio: an exported file, the .zip that ChatGPT sends, or LM Studio's folder of "
    f"conversations, chosen or dropped here. Files are read on {PLACE}, and nothing is added before you say so."
)
NOTHING = "There is nothing to import."
KEPT = "A chat that is here stays as it is: messages that were deleted in it do not come back."


class ImportPage(QWidget):
    """Shows a state; who made the page acts on its signals and sets the next state."""

    paths_chosen = Signal(object)  # paths of files or folders that were dropped
    files_asked = Signal()
    folder_asked = Signal()
    import_asked = Signal()
    undo_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import")
        self.setAcceptDrops(True)
        self._place = FocusPlace(self)  # since the last reading began
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.words = make_label("", "heading", "title", self, wraps=True)
        self.reason = make_label("", "interface", "secondary", self, wraps=True)
        self.chats = ImportList(self)
        self.list = QPlainTextEdit(self)
        self.list.setReadOnly(True)
        self.list.setProperty("kind", "card")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setTabChangesFocus(True)
        self.list.setFont(font("interface"))
        self.list.setAccessibleName("What cannot be read")
        self.act = self._make_button("Import", "primary")
        self.choose_all = self._make_button("Choose none", "plain")
        self.show_bad = self._make_button("Show", "plain")
        self.show_bad.setAccessibleName("Show what cannot be read")
        self.undo = self._make_button("Undo", "plain")
        self.files = self._make_button("Choose files…", "plain")
        self.folder = self._make_button("Choose a folder…", "plain")
        self._lay_out()
        self._connect()
        self.show_start()
        self.offer_undo(0)

    def _make_button(self, words: str, kind: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setProperty("kind", kind)
        button.setFont(font("interface-medium"))
        button.setAccessibleName(words)
        return button

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.act, self.choose_all, self.show_bad, self.undo):
            buttons.addWidget(button)
        buttons.addStretch(1)
        sources = QHBoxLayout()
        sources.setSpacing(8)
        for button in (self.files, self.folder):
            sources.addWidget(button)
        sources.addStretch(1)
        inner = QVBoxLayout()
        inner.setSpacing(10)
        inner.addWidget(make_label("Import chats", "page-title", "title", self))
        inner.addWidget(make_label(PURPOSE, "interface", "secondary", self, wraps=True))
        inner.addSpacing(6)
        inner.addLayout(sources)
        inner.addSpacing(18)
        for widget in (self.words, self.reason):
            inner.addWidget(widget)
        inner.addLayout(buttons)
        inner.addWidget(self.chats, 3)
        inner.addWidget(self.list, 1)
        inner.addStretch(0)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(SIDE, SIDE, SIDE, SIDE)
        holder = QWidget(self)
        holder.setLayout(inner)
        holder.setMaximumWidth(COLUMN)
        inner.setContentsMargins(0, 0, 0, 0)
        outer.addStretch(1)
        outer.addWidget(holder, 1000)
        outer.addStretch(1)

    def _connect(self) -> None:
        self.files.clicked.connect(self.files_asked)
        self.folder.clicked.connect(self.folder_asked)
        self.act.clicked.connect(self.import_asked)
        self.undo.clicked.connect(self.undo_asked)
        self.choose_all.clicked.connect(lambda: self.chats.found.choose_all(not self.chosen))
        self.chats.found.choice_changed.connect(self._show_choice)
        self.show_bad.clicked.connect(lambda: self.list.setVisible(self.list.isHidden()))

    @property
    def chosen(self) -> tuple[WholeChat, ...]:
        """The chats that are to be imported."""
        return self.chats.found.chosen

    def _show_choice(self) -> None:
        num_chosen = len(self.chosen)
        self.act.setText(f"Import {write_amount(num_chosen, 'chat')}")
        self.act.setAccessibleName(self.act.text())
        self.act.setEnabled(num_chosen > 0)
        self.choose_all.setText("Choose none" if num_chosen else "Choose all")
        self.choose_all.setAccessibleName(self.choose_all.text())

    # States

    def show_start(self) -> None:
        self._show("")

    def show_reading(self, name: str) -> None:
        self._show(f"Reading {name}")
        self._place = FocusPlace(self)

    def show_found(self, found: Found) -> None:
        num_new, num_bad = len(found.chats), len(found.unreadable)
        reasons = (NOTHING, KEPT) if found.num_known and not num_new else (KEPT,) if found.num_known else ()
        self._show(found.describe(), " ".join(reasons))
        self.list.setPlainText("\n".join(found.unreadable))
        self.list.setMaximumHeight(EDGE + LINES_OF_REASON * num_bad * self.list.fontMetrics().lineSpacing())
        self.show_bad.setText(f"Show the {num_bad:,}")
        is_told = num_bad > 0 and (not num_new or num_bad <= MOST_TOLD)
        self.list.setVisible(is_told)
        self.show_bad.setVisible(num_bad > 0 and not is_told)
        self.chats.found.show(found.chats)
        self.chats.fit()
        self._show_choice()
        for widget in (self.act, self.chats):
            widget.setVisible(num_new > 0)
        self.choose_all.setVisible(num_new > 1)
        if num_new and self._place.is_kept:
            self.act.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_importing(self, count: int) -> None:
        self._show(f"Importing {write_amount(count, 'chat')}")

    def show_imported(self, count: int, problem: str = "") -> None:
        """`problem` is a sentence where nothing was imported."""
        verb = "was" if count == 1 else "were"
        self._show(f"{write_amount(count, 'chat')} {verb} imported." if count else "Nothing was imported.", problem)

    def show_undone(self, count: int) -> None:
        verb = "was" if count == 1 else "were"
        self._show(f"{write_amount(count, 'chat')} {verb} removed again.")

    def offer_undo(self, count: int) -> None:
        """Offer to remove what the last import brought; 0 for none."""
        self.undo.setText(f"Undo the import of {write_amount(count, 'chat')}")
        self.undo.setAccessibleName(self.undo.text())
        self.undo.setVisible(count > 0)

    def _show(self, words: str, reason: str = "") -> None:
        self.words.setText(words)
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        for widget in (self.act, self.choose_all, self.show_bad, self.chats, self.list):
            widget.hide()
        if words:
            announce(self, f"{words} {reason}".strip())

    # Dropping

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _paths_of(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if paths := _paths_of(event):
            event.acceptProposedAction()
            self.paths_chosen.emit(paths)


def _paths_of(event: QDropEvent) -> Sequence[Path]:
    return tuple(Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile())
