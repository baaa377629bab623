"""Exporting: the button that writes the statistics to a file, and what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget

from app.chat.notes import Action, Note, NoteBar
from app.file_dialogs import SaveDialog
from app.shown_paths import write_place
from app.statistics.export import as_csv, as_json, write_file
from app.statistics.history import History
from app.statistics.memory import MemoryWatch
from app.tasks import start
from app.theme.fonts import font
from app.theme.theme import Theme

KINDS = {"CSV": "One line a reply (*.csv)", "JSON": "Everything (*.json)"}


class Exporting:
    """`chosen` is the chat whose replies are written, "" for all; `text` gives the page as text."""

    def __init__(
        self,
        theme: Theme,
        history: History,
        memory: MemoryWatch,
        chosen: Callable[[], str],
        text: Callable[[], str],
        parent: QWidget,
    ) -> None:
        self._history = history
        self._memory = memory
        self._chosen = chosen
        self._text = text
        self._parent = parent
        self.note = NoteBar(theme, parent)
        self.note.chosen.connect(lambda action: self.note.hide())
        self.button = QPushButton("Export…", parent)
        self.button.setProperty("kind", "plain")
        self.button.setFont(font("interface-medium"))
        self.button.setAccessibleName("Export these statistics")
        self.button.clicked.connect(self._open_menu)

    def _open_menu(self) -> None:
        menu = QMenu("Export", self._parent)
        for kind in KINDS:
            menu.addAction(f"{kind}…").triggered.connect(lambda checked=False, kind=kind: self._ask(kind))
        menu.addAction("Copy as text").triggered.connect(lambda: QApplication.clipboard().setText(self._text()))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.button.mapToGlobal(self.button.rect().bottomLeft()))

    def _ask(self, kind: str) -> None:
        endings = {KINDS[kind]: (kind.lower(),)}
        dialog = SaveDialog(self._parent, f"Export statistics as {kind}", "statistics", endings)
        dialog.fileSelected.connect(lambda name: start(self.write(str(dialog.chosen_path(name)), kind), saves=True))
        dialog.open()

    async def write(self, path: str, kind: str) -> None:
        """Write a file off this thread and say what came of it."""
        chosen = self._chosen()
        text = (
            as_csv(self._history, chosen)
            if kind == "CSV"
            else as_json(self._history, self._memory.report, self._memory.cache, chosen)
        )
        try:
            await asyncio.to_thread(write_file, path, text)
        except OSError as error:
            reason = error.strerror or "it could not be written"
            self._tell(f"{Path(path).name} was not written: {reason}. Choose another folder.", is_alert=True)
        else:
            self._tell(f"The statistics were written to {write_place(Path(path))}.")

    def _tell(self, sentence: str, *, is_alert: bool = False) -> None:
        self.note.show_note(Note(sentence, (Action.CLOSE,), is_alert=is_alert))
        self.note.setMinimumHeight(self.note.height_for(self.note.width()))
