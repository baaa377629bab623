"""WindowLibrary: the models on this computer and those on their way to it, for all that a window shows of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.bridge import EngineBridge
from app.library.downloads import Downloads
from app.library.fits import Fits
from app.library.found_model import FoundModel
from app.library.library import Library
from app.models.names import model_name
from app.upkeep.wakefulness import DOWNLOADS

if TYPE_CHECKING:
    from app.library.models_page import ModelsPage
    from app.window import MainWindow

SYMBOL = "model"


class WindowLibrary(QObject):
    def __init__(self, window: MainWindow, bridge: EngineBridge, data_dir: Path) -> None:
        super().__init__(window)
        self._hub = window.settings_pages.hub
        self.library = Library(bridge, window.settings, data_dir, self)
        self.downloads = Downloads(self._hub, data_dir, self)
        self.fits = Fits(bridge, window.settings, self)
        self._page: ModelsPage | None = None
        self._window = window
        self._serve(window)
        self.library.changed.connect(self._show)
        self.fits.changed.connect(self._show)
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
        popovers.models, popovers.refusal_of = lambda: library.models, self._refusal_of
        popovers.opened.connect(lambda: self.fits.follow(library.models))
        self.fits.changed.connect(popovers.refresh)
        popovers.show_models = self.show_page
        window.sidebar.models_asked.connect(self.show_page)
        window.workspace.page_shown.connect(self._mark_row)
        window.workspace.lasting[SYMBOL] = self._make_page
        window.welcome.find_model = self.show_more
        window.welcome.add_folder = self.ask_for_folder

    def _close(self) -> None:
        self.library.close()
        self.fits.close()
        self._hub.close()

    def _keep_awake(self) -> None:
        """While something is downloaded."""
        is_loading = any(download.is_active for download in self.downloads.downloads)
        self._window.upkeep.wakefulness.set_needed(DOWNLOADS, is_loading)

    def name_of(self, target: str) -> str:
        found = self.library.find(target)
        return found.name if found is not None else ""

    def _refusal_of(self, model: FoundModel) -> str:
        found = self.library.find(model.target)
        return self.fits.refusal_of(found) if found is not None else model.refusal

    def whole_name_of(self, target: str) -> str:
        """With its quantisation: one model may be here in several."""
        found = self.library.find(target)
        return f"{found.name}  {found.quantisation}".rstrip() if found is not None else model_name(target)

    # The page

    def show_page(self) -> None:
        self._show_page(lambda page: page.show_here())

    def show_more(self) -> None:
        """The page where models are found that are not here."""
        self._show_page(lambda page: page.show_more())

    def ask_for_folder(self) -> None:
        """Have a folder chosen in which models are looked for too."""
        self._show_page(lambda page: page.ask_for_folder())

    def follow(self, action: QAction) -> None:
        """Name the keys of the action where the page is offered."""

        def take() -> None:
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            self._window.models.popovers.models_keys = keys

        action.changed.connect(take)
        take()

    def _show_page(self, deed: Callable[[ModelsPage], None]) -> None:
        """And do something there; on one that is made only now, behind the turn of the loop that shows it."""
        workspace = self._window.workspace
        workspace.show_page(SYMBOL, self._make_page, is_large=True)
        self._window.shell.close_overlay()
        page = self._page
        assert page is not None
        if page in workspace.pages:
            deed(page)
        else:
            QTimer.singleShot(0, page, lambda: deed(page))

    def _make_page(self) -> QWidget:
        from app.library.models_page import ModelsPage, Shelf  # not with the program, which is to start in a second

        window = self._window
        running = window.models.running
        self.fits.automatic = window.drafters.picker.automatic.resolve
        shelf = Shelf(
            window.settings,
            self.library,
            self.fits,
            self._hub,
            self.downloads,
            window.chooser,
            lambda: running.count,
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

    def _with_misfits(self) -> tuple[FoundModel, ...]:
        """The models, with the reason why one needs too much memory."""
        return tuple(replace(one, refusal=self.fits.refusal_of(one)) for one in self.library.models)

    def _show(self) -> None:
        if self.library.has_looked and any(tab.empty.is_welcoming for tab in self._window.workspace.tabs):
            self.fits.follow(self.library.models)
        if self.library.has_looked or self.library.models:
            self._window.welcome.take_models(self._with_misfits(), is_certain=self.library.has_looked)
            self._window.chooser.changed.emit()  # another name may be known
