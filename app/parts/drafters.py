"""WindowDrafters: the drafters of a window: their page, the chip of every chat, and what Automatic stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.bridge import EngineBridge
from app.library.library import Library
from app.models.drafter_popovers import DrafterPopovers
from app.models.measuring_ends import MeasuringEnds
from app.models.other_models import OtherModels
from app.parts.settings import DRAFTERS
from app.settings.drafters.page import DraftersPage
from app.settings.drafters.picker import Picker
from app.settings.window import PageEntry

if TYPE_CHECKING:
    from app.window import MainWindow


class WindowDrafters(QObject):
    def __init__(self, window: MainWindow, bridge: EngineBridge, library: Library) -> None:
        """`library` is where drafters are looked for beside the folders that the user added."""
        super().__init__(window)
        models, pages = window.models, window.settings_pages
        self.picker = Picker(bridge, models.running, window.settings, library, lambda: models.chooser.target, self)
        MeasuringEnds(bridge, models.chooser, self.picker.measuring, self)
        OtherModels(bridge, models.chooser, self.picker.measuring, self)
        window.upkeep.unload.is_measuring = lambda: self.picker.measuring.is_any
        self.popovers = DrafterPopovers(window.theme, self.picker, self.show_page, self)
        self._pages = pages
        models.planner.use_automatic(self.picker.automatic)
        self.picker.chosen.connect(lambda: models.planner.use_drafter(""))
        models.chooser.target_changed.connect(self._take_target)
        pages.add(PageEntry(DRAFTERS, "drafter", lambda: DraftersPage(window.theme, self.picker)))
        window.workspace.alike.do_to_each(self.popovers.serve)
        window.closed.connect(self.picker.close)

    def show_page(self) -> None:
        """With the drafters of the model that chats go on with."""
        self.show_drafters(self.picker.target)

    def show_drafters(self, target: str) -> None:
        """The page, with the drafters of a model."""
        self._pages.show(DRAFTERS)
        page = self._pages.window.made_page(DRAFTERS) if self._pages.window else None
        if isinstance(page, DraftersPage):
            page.show_target(target)

    def _take_target(self) -> None:
        self.picker.candidates.refresh(self.picker.target)
        self.picker.changed.emit()
