"""WindowLibrary: the models on this computer and those on their way to it, for all that a window shows of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from app.bridge import EngineBridge
from app.file_dialogs import FileDialog
from app.library.downloads import Downloads
from app.library.library import Library
from app.model_fits import ModelFits
from app.model_names import model_name
from app.wakefulness import DOWNLOADS

if TYPE_CHECKING:
    from app.window import MainWindow


class WindowLibrary(QObject):
    def __init__(self, window: MainWindow, bridge: EngineBridge, data_dir: Path) -> None:
        super().__init__(window)
        self._hub = window.settings_pages.hub
        self.library = Library(bridge, window.settings, data_dir, self)
        self.downloads = Downloads(self._hub, data_dir, self)
        self.fits = ModelFits(bridge, self)
        self._window = window
        self._serve(window)
        self.library.changed.connect(self._show)
        self.downloads.finished.connect(lambda download: self.library.refresh())
        self.downloads.changed.connect(self._keep_awake)
        window.closed.connect(self._close)

    def begin(self) -> None:
        """Look for models, from here on whenever the user comes back."""
        self.library.refresh()
        self.library.follow_activation()

    def _serve(self, window: MainWindow) -> None:
        """Name and offer what is found."""
        library, popovers = self.library, window.models.popovers
        window.chooser.name_of = self.name_of
        popovers.models, popovers.fits = lambda: library.models, self.fits
        window.welcome.add_folder = self.ask_for_folder

    def _close(self) -> None:
        self.library.close()
        self._hub.close()

    def _keep_awake(self) -> None:
        """While something is downloaded."""
        is_loading = any(download.is_active for download in self.downloads.downloads)
        self._window.upkeep.wakefulness.set_needed(DOWNLOADS, is_loading)

    def name_of(self, target: str) -> str:
        found = self.library.find(target)
        return found.name if found is not None else model_name(target)

    def ask_for_folder(self) -> None:
        """Have a folder chosen in which models are looked for too."""
        dialog = FileDialog(self._window, "Add a folder with models")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.add_folder)
        dialog.open()

    def add_folder(self, folder: str) -> None:
        settings = self._window.settings
        preferences = settings.preferences
        folders = tuple(dict.fromkeys((*preferences.library.folders, folder)))
        settings.change(replace(preferences, library=replace(preferences.library, folders=folders)))

    def _show(self) -> None:
        if self.library.has_looked or self.library.models:
            self._window.welcome.take_models(self.library.models, is_certain=self.library.has_looked)
            self._window.chooser.changed.emit()  # another name may be known
