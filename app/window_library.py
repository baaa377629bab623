"""WindowLibrary: the models on this computer, the page that shows them, and who else is told of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.bridge import EngineBridge
from app.library.downloads import Downloads
from app.library.fits import Fits
from app.library.found_model import FoundModel
from app.library.library import Library
from app.library.places import phrase_of
from app.wakefulness import DOWNLOADS

if TYPE_CHECKING:
    from app.library.models_page import ModelsPage
    from app.window import MainWindow

SYMBOL, TITLE = "model", "Models"


class WindowLibrary(QObject):
    def __init__(self, window: MainWindow, bridge: EngineBridge, data_dir: Path) -> None:
        super().__init__(window)
        self._window = window
        self.library = Library(bridge, window.settings, data_dir, self)
        self.fits = Fits(bridge, window.settings, self)
        self.downloads = Downloads(window.settings_pages.hub, data_dir, self)
        self._page: ModelsPage | None = None
        self._connect()

    def _connect(self) -> None:
        window, library = self._window, self.library
        library.changed.connect(self._take_models)
        self.fits.changed.connect(self._offer)
        self.downloads.finished.connect(lambda download: library.refresh())
        self.downloads.changed.connect(self._stay_awake)
        window.closed.connect(self.close)
        window.sidebar.models_asked.connect(self.show_page)
        window.workspace.page_shown.connect(self._mark_row)
        popovers = window.models.popovers
        popovers.models = self.offered
        popovers.show_models = self.show_page
        window.welcome.find_model = self.show_more
        window.welcome.add_folder = self.ask_for_folder

    def begin(self) -> None:
        """Look for models, and again whenever the user comes back."""
        self.library.refresh()
        self.library.follow_activation()

    def follow(self, action: QAction) -> None:
        """Name the keys of the action where the page is offered."""

        def take() -> None:
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            self._window.models.popovers.models_keys = keys

        action.changed.connect(take)
        take()

    def close(self) -> None:
        self.library.close()
        self.fits.close()
        self.downloads.close()

    def offered(self) -> tuple[FoundModel, ...]:
        """Every model with the reason why it cannot be used, its size included."""
        return tuple(
            replace(model, refusal=self.fits.refusal_of(model), place=phrase_of(model.kind, model.place))
            for model in self.library.models
        )

    # The page

    def show_page(self) -> None:
        self._shown().show_here()

    def show_more(self) -> None:
        """The page where models are found that are not here."""
        self._shown().show_more()

    def ask_for_folder(self) -> None:
        self._shown().ask_for_folder()

    def _shown(self) -> ModelsPage:
        self._window.workspace.show_page(SYMBOL, self._make_page)
        self._window.shell.close_overlay()
        assert self._page is not None
        return self._page

    def _make_page(self) -> QWidget:
        from app.library.models_page import ModelsPage, Shelf  # not with the program, which is to start in a second

        window = self._window
        shelf = Shelf(
            window.settings,
            self.library,
            self.fits,
            window.settings_pages.hub,
            self.downloads,
            window.chooser,
            lambda: window.models.running.count,
        )
        page = ModelsPage(window.theme, shelf)
        page.chat_asked.connect(window.workspace.new_tab)
        page.destroyed.connect(self._lose_page)
        self._page = page
        return page

    def _lose_page(self) -> None:
        self._page = None

    def _mark_row(self) -> None:
        is_shown = self._page is not None and self._window.workspace.current_page is self._page
        self._window.sidebar.models_row.set_current(is_shown)

    # Who else is told

    def _take_models(self) -> None:
        self.fits.follow(self.library.models)
        if self.library.has_looked:
            self._offer()

    def _offer(self) -> None:
        if self.library.has_looked:
            self._window.welcome.take_models(tuple(one for one in self.offered() if not one.is_gone))

    def _stay_awake(self) -> None:
        is_active = any(one.is_active for one in self.downloads.downloads)
        self._window.upkeep.wakefulness.set_needed(DOWNLOADS, is_active)
