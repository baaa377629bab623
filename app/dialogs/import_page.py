"""ImportPage: says what was found in a file before anything is imported, and takes an import back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.figures import write_amount
from app.theme.fonts import font
from app.theme.labels import make_label
from app.theme.theme import Theme

COLUMN, SIDE = 560, 28
PURPOSE = (
    "From Slipstream, ChatGPT or LM Studio: an exported file, the .zip that ChatGPT sends, or LM Studio's folder of "
    "conversations. Files are read on this computer, and nothing is added before you say so."
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What a file holds; `unreadable` has a sentence for each part that cannot be read."""

    num_chats: int
    num_known: int = 0  # of them here already
    unreadable: tuple[str, ...] = ()

    @property
    def num_new(self) -> int:
        return self.num_chats - self.num_known


def words_of(finding: Finding) -> str:
    """ "212 chats, 4 of them already here, 3 files that cannot be read." """
    parts = [write_amount(finding.num_chats, "chat") if finding.num_chats else "No chats"]
    if finding.num_known:
        parts.append(f"{finding.num_known:,} of them already here")
    if num_bad := len(finding.unreadable):
        parts.append(f"{write_amount(num_bad, 'file')} that cannot be read")
    return f"{', '.join(parts)}."


class ImportPage(QWidget):
    """Shows a state; who made the page acts on its signals and sets the next state."""

    paths_chosen = Signal(object)  # paths of files or folders that were dropped
    files_asked = Signal()
    folder_asked = Signal()
    import_asked = Signal()
    undo_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Import")
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.words = make_label("", "heading", "title", self, wraps=True)
        self.reason = make_label("", "interface", "secondary", self, wraps=True)
        self.list = QPlainTextEdit(self)
        self.list.setReadOnly(True)
        self.list.setTabChangesFocus(True)
        self.list.setFont(font("interface"))
        self.list.setAccessibleName("What cannot be read")
        self.act = self._make_button("Import", "primary")
        self.show_bad = self._make_button("Show", "plain")
        self.undo = self._make_button("Undo", "plain")
        self.files = self._make_button("Choose files…", "plain")
        self.folder = self._make_button("Choose a folder…", "plain")
        self._lay_out()
        self._connect()
        self.show_start()

    def _make_button(self, words: str, kind: str) -> QPushButton:
        button = QPushButton(words, self)
        button.setProperty("kind", kind)
        button.setFont(font("interface-medium"))
        button.setAccessibleName(words)
        return button

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        for button in (self.act, self.show_bad, self.undo):
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
        self.show_bad.clicked.connect(lambda: self.list.setVisible(self.list.isHidden()))

    # States

    def show_start(self) -> None:
        self._show("")

    def show_reading(self, name: str) -> None:
        self._show(f"Reading {name}")

    def show_finding(self, finding: Finding) -> None:
        self._show(words_of(finding))
        self.list.setPlainText("\n".join(finding.unreadable))
        self.show_bad.setText(f"Show the {len(finding.unreadable):,}")
        self.show_bad.setAccessibleName("Show what cannot be read")
        self.show_bad.setVisible(bool(finding.unreadable))
        self.act.setText(f"Import {write_amount(finding.num_new, 'chat')}")
        self.act.setAccessibleName(self.act.text())
        self.act.setVisible(finding.num_new > 0)
        if finding.num_new > 0:
            self.act.setFocus(Qt.FocusReason.OtherFocusReason)
        elif finding.num_chats:
            self.reason.setText("All of them are here already, so there is nothing to import.")
            self.reason.show()

    def show_importing(self, count: int) -> None:
        self._show(f"Importing {write_amount(count, 'chat')}")

    def show_imported(self, count: int, problem: str = "") -> None:
        """`problem` is a sentence where nothing or not all was imported."""
        done = "was" if count == 1 else "were"
        self._show(f"{write_amount(count, 'chat')} {done} imported." if count else "Nothing was imported.", problem)
        self.undo.setVisible(count > 0)

    def show_undone(self) -> None:
        self._show("The import was undone.")

    def show_problem(self, sentence: str) -> None:
        self._show("This cannot be imported.", sentence)

    def _show(self, words: str, reason: str = "") -> None:
        self.words.setText(words)
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        for widget in (self.act, self.show_bad, self.undo, self.list):
            widget.hide()

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
