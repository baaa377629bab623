"""PrivacyPage: where the data lies and how it leaves: by export, and by what is looked for on the hub."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.conversations.off_thread import run_off_thread
from app.figures import write_bytes
from app.file_dialogs import FileDialog
from app.library.hub import PUBLIC, Hub, address_fault
from app.settings.data_mover import DataMover
from app.settings.folders import named_folder
from app.settings.form import Card, Heading, Row, SettingsPage, Switch, TextField, make_button
from app.settings.moving import size_of
from app.settings.notice import Notice
from app.settings.preferences import LibraryChoice, Preferences, Settings
from app.settings.sources import PrivacyDeeds
from app.settings.token_row import TokenRow
from app.shown_paths import write_place
from app.system.machine import PLACE
from app.tasks import start
from app.theme.labels import StartLabel
from app.theme.theme import Theme

NAME = "Data and privacy"
SHOW = "Show in Finder" if sys.platform == "darwin" else "Show in file manager"
PROMISE = (
    f"Nothing leaves {PLACE} except searches and downloads that you start, and one question a day for a newer release "
    "if you switch that on."
)
NAMED = "SLIPSTREAM_DATA names this folder; change it there."
OFFLINE = "Nothing is searched for, downloaded or asked. Models that are here work as before."
FORMATS = "Chats of Slipstream, ChatGPT and LM Studio can be imported."
REPORT = "What the program noted of its own work, without any text of your chats."
ENDPOINT = "HF_ENDPOINT"
SET_ELSEWHERE = f"{ENDPOINT} is set, and goes before this."


class Buttons(QWidget):
    """Some buttons as the one control of a row."""

    def __init__(self, *buttons: QPushButton) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        for button in buttons:
            line.addWidget(button)


class PrivacyPage(SettingsPage):
    def __init__(self, theme: Theme, settings: Settings, hub: Hub, deeds: PrivacyDeeds) -> None:
        super().__init__(theme, NAME, PROMISE)
        self._settings = settings
        self.mover = DataMover(settings.folder, self)
        hub.closing.connect(self.mover.close)
        self.stay_button = make_button("Stay here", lambda: start(self.mover.stay()), name="Leave the data where it is")
        self.note = Notice(theme, self.stay_button)
        self.show_folder = make_button(SHOW, self._show_folder, name=f"{SHOW}: the data folder")
        self.move_button = make_button("Move…", self._ask_where, name="Move the data folder")
        self.stop_button = make_button("Stop", self.mover.stop, name="Stop copying the data")
        self.size_label = StartLabel("…", "interface", "secondary", wraps=False)
        self.folder_row = Row("Data folder", Buttons(self.show_folder, self.move_button, self.stop_button))
        self.export_all = make_button("Export all chats…", deeds.export_all)
        self.import_chats = make_button("Import…", deeds.import_chats, name="Import chats")
        self.offline = Switch(theme)
        self.hub = TextField(theme, placeholder=PUBLIC, check=_fault_of)
        self.token = TokenRow(theme, hub)
        self.report = make_button("Write report…", deeds.write_report or do_nothing, name="Write a report")
        self._can_report = deeds.write_report is not None
        self._add_cards()
        self._connect()
        self._show(settings.preferences, settings.preferences)
        self._show_move()

    def _add_cards(self) -> None:
        theme = self.theme
        chats = Buttons(self.export_all, self.import_chats)
        self.add(self.note)
        self.add(Card(theme, self.folder_row, Row("Size", self.size_label), Row("Chats", chats, FORMATS)))
        self.add(Heading("Hub"))
        offline = Row("Offline", self.offline, OFFLINE)
        is_set = bool(os.environ.get(ENDPOINT))
        self.hub.setEnabled(not is_set)
        address = Row("Hub address", self.hub, SET_ELSEWHERE if is_set else "")
        self.add(Card(theme, offline, address, self.token))
        if self._can_report:
            self.add(Card(theme, Row("Report", self.report, REPORT)))

    def _connect(self) -> None:
        self.offline.toggled.connect(lambda is_on: self._change(is_offline=is_on))
        self.hub.changed.connect(lambda address: self._change(endpoint=address.rstrip("/")))
        self.mover.changed.connect(self._show_move)
        self._settings.changed.connect(self._show)
        self.restore_asked.connect(self._restore)

    def _change(self, **changes: Any) -> None:
        preferences = self._settings.preferences
        self._settings.change(replace(preferences, library=replace(preferences.library, **changes)))

    def _restore(self) -> None:
        """The hub's settings; the token and the data stay where they are."""
        self._change(is_offline=LibraryChoice().is_offline, endpoint=LibraryChoice().endpoint)

    def _show(self, before: Preferences, preferences: Preferences) -> None:
        self.offline.set_on(preferences.library.is_offline)
        self.hub.show_text(preferences.library.endpoint)

    # The data folder

    def _show_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._settings.folder)))

    def _ask_where(self) -> None:
        dialog = FileDialog(self, "Choose an empty folder for the data")
        dialog.setFileMode(FileDialog.FileMode.Directory)
        dialog.setOption(FileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(lambda name: start(self.mover.move(Path(name))))
        dialog.open()

    def _show_move(self) -> None:
        is_named = named_folder() is not None
        place = write_place(self._settings.folder)
        self.folder_row.set_sentence(f"{place}. {NAMED}" if is_named else place)
        self.move_button.setEnabled(not is_named and not self.mover.is_moving)
        self.stop_button.setVisible(self.mover.is_moving)
        self.stay_button.setVisible(self.mover.is_waiting and not self.mover.is_moving)
        self.note.say(self.mover.words, is_alert=self.mover.has_failed)

    async def count(self) -> None:
        """Say how much the data folder holds."""
        num_bytes = await run_off_thread(lambda: size_of(self._settings.folder))
        self.size_label.setText(write_bytes(num_bytes))
        self.mover.size = num_bytes

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        start(self.count())
        start(self.token.refresh())


def do_nothing() -> None:
    pass


def _fault_of(address: str) -> str:
    """Why an address is none of a hub; an empty one is the usual."""
    return address_fault(address) if address else ""
