"""Exporter: asks where chats are to be written, and says what was written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.bridge import EngineBridge
from app.conversations.catalogue import Catalogue
from app.conversations.exporting.files import ExportKind, file_name
from app.conversations.exporting.json_file import OWN_ENDING
from app.conversations.titles import NEW_TITLE
from app.figures import write_amount
from app.file_dialogs import SaveDialog
from app.shown_paths import write_place
from app.tasks import start
from engine.messages import Event, ModelLoaded

MARKDOWN, JSON = "Markdown (*.md)", "JSON, which can be imported again (*.json)"
OWN = f"Slipstream’s own, which a double click opens here (*.{OWN_ENDING})"
MARKDOWN_FOLDER = "Markdown, a folder with one file a chat (*)"
_ENDINGS = {MARKDOWN: ("md", "markdown", "txt"), JSON: ("json",), OWN: (OWN_ENDING,), MARKDOWN_FOLDER: ()}


class Exporter(QObject):
    told = Signal(str)  # a sentence on what was written

    def __init__(self, catalogue: Catalogue, bridge: EngineBridge, window: QWidget) -> None:
        super().__init__(window)
        self._catalogue = catalogue
        self._window = window
        bridge.received.connect(self._learn_tags)

    def _learn_tags(self, event: Event) -> None:
        """Take in how each model that is loaded marks its reasoning."""
        if isinstance(event, ModelLoaded):
            self._catalogue.tags[event.facts.target] = event.facts.reasoning

    def export_all(self) -> None:
        ids = tuple(one.id for one in self._catalogue.conversations)
        if ids:
            self.export(ids)
        else:
            self.told.emit("There is no chat to export.")

    def export(self, conversation_ids: Sequence[str]) -> None:
        """Ask for a file, or for a folder that is made where many chats become Markdown."""
        is_one = len(conversation_ids) == 1
        title = self._catalogue.title_of(conversation_ids[0]) if is_one else "Slipstream chats"
        words = "Export this chat" if is_one else f"Export {write_amount(len(conversation_ids), 'chat')}"
        offered = (MARKDOWN, JSON, OWN) if is_one else (JSON, OWN, MARKDOWN_FOLDER)
        endings = {name_filter: _ENDINGS[name_filter] for name_filter in offered}
        dialog = SaveDialog(self._window, words, file_name(title or NEW_TITLE), endings)
        dialog.fileSelected.connect(
            lambda name: start(
                self.write(conversation_ids, dialog.chosen_path(name), dialog.selectedNameFilter()), saves=True
            )
        )
        dialog.open()

    async def write(self, conversation_ids: Sequence[str], path: Path, name_filter: str) -> None:
        kind = ExportKind.JSON if name_filter in (JSON, OWN) else ExportKind.MARKDOWN
        is_folder = name_filter == MARKDOWN_FOLDER
        num_chats = await self._catalogue.export(conversation_ids, path, kind, is_folder)
        if num_chats is not None:
            verb = "was" if num_chats == 1 else "were"
            self.told.emit(f"{write_amount(num_chats, 'chat')} {verb} exported to {write_place(path)}.")
