"""Here: the models on this computer, what is on its way to them, and what to say where there is none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.library.downloads_list import DownloadsList
from app.library.fits import Fits
from app.library.found import Trouble
from app.library.found_model import FoundModel
from app.library.library import Library
from app.library.model_list import GUTTER, ModelList
from app.library.model_rows import make_rows
from app.library.none_here import no_model_words
from app.library.places import Kind
from app.models.chooser import ModelChooser
from app.settings.form import make_button
from app.settings.preferences import Settings
from app.sidebar.search_field import SearchField
from app.theme.labels import StartLabel
from app.theme.theme import Theme

PURPOSE = "Name, family or folder"
LOOKING = "Looking for models"


class Here(QWidget):
    find_asked = Signal()
    add_asked = Signal()

    def __init__(
        self,
        theme: Theme,
        settings: Settings,
        library: Library,
        fits: Fits,
        chooser: ModelChooser,
        downloads: DownloadsList,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._library = library
        self._fits = fits
        self._chooser = chooser
        self._shown_troubles: tuple[Trouble, ...] = ()
        self.field = SearchField(theme, name=PURPOSE, keys="")
        self.downloads_list = downloads
        self.list = ModelList(theme)
        self.nothing = StartLabel("", "interface", "secondary")
        self.find_button = make_button("Find a model", self.find_asked.emit, kind="primary")
        self.add_button = make_button("Add folder…", self.add_asked.emit)
        self.troubles = QVBoxLayout()
        self._lay_out()
        self.field.search_asked.connect(lambda words: self.refresh())
        self.field.chosen.connect(self._enter_list)
        self.field.step_asked.connect(lambda step: self._enter_list())

    def _lay_out(self) -> None:
        above = QVBoxLayout()
        above.setSpacing(12)
        above.setContentsMargins(*((GUTTER, 0, 0, 0) if self.isRightToLeft() else (0, 0, GUTTER, 0)))
        deeds = QHBoxLayout()
        deeds.setSpacing(8)
        deeds.addWidget(self.find_button)
        deeds.addWidget(self.add_button)
        deeds.addStretch(1)
        self.troubles.setSpacing(4)
        for part in (self.field, self.downloads_list, self.nothing):
            above.addWidget(part)
        above.addLayout(deeds)
        above.addLayout(self.troubles)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(above)
        column.addWidget(self.list, 1000)
        column.addStretch(1)  # where there is no list
        QWidget.setTabOrder(self.field, self.list)

    @property
    def count(self) -> int:
        return len([one for one in self._library.models if not one.is_gone])

    def refresh(self) -> None:
        library, words = self._library, self.field.words
        rows = make_rows(library.models, library.drafters, words, self._chooser, self._fits.verdict_of)
        self.list.show_rows(rows, self._chooser.target)
        self.list.setVisible(bool(rows))
        has_none = not self.count and library.has_looked
        self.field.setVisible(bool(library.models or library.drafters))
        self.nothing.setText(no_model_words() if has_none else self._nothing_words(bool(rows), words))
        self.nothing.setVisible(bool(self.nothing.text()))
        for button in (self.find_button, self.add_button):
            button.setVisible(has_none)
        self._show_troubles()

    def _nothing_words(self, has_rows: bool, words: str) -> str:
        if has_rows:
            return ""
        return f"No model has “{words}” in its name or folder." if words else LOOKING

    def _show_troubles(self) -> None:
        """Each with a way to forget a folder that was added."""
        if self._library.troubles == self._shown_troubles:
            return
        self._shown_troubles = self._library.troubles
        while (item := self.troubles.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        for trouble in self._shown_troubles:
            self.troubles.addWidget(self._trouble_row(trouble))

    def _trouble_row(self, trouble: Trouble) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(16, 0, 0, 0)
        line.addWidget(StartLabel(trouble.text, "small", "secondary"), 1)
        if trouble.place.kind is Kind.ADDED:
            folder = str(trouble.place.folder)
            name = f"Forget the folder {trouble.place.folder.name}"
            line.addWidget(make_button("Forget folder", lambda: self.forget(folder), name=name, kind="link"))
        return row

    def added_folder_of(self, model: FoundModel) -> str:
        """The folder that was added and in which a model was found; "" for one that lies elsewhere."""
        added = self._settings.preferences.library.folders if model.kind == Kind.ADDED.value else ()
        inside = [one for one in added if Path(model.folder).is_relative_to(Path(one).expanduser())]
        return max(inside, key=len, default="")

    def forget(self, folder: str) -> None:
        """Look into an added folder no more."""
        library = self._settings.preferences.library
        kept = tuple(one for one in library.folders if one.rstrip("/") != folder.rstrip("/"))
        self._settings.change(replace(self._settings.preferences, library=replace(library, folders=kept)))

    def _enter_list(self) -> None:
        self.list.setFocus(Qt.FocusReason.TabFocusReason)
