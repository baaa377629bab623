"""ModelsPage: the models on this computer and those to be found, with the detail of one beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLayout, QMenu, QStackedWidget, QVBoxLayout, QWidget

from app.chat.notes import Action, Note, NoteBar
from app.conversations.off_thread import run_off_thread
from app.file_dialogs import FileDialog
from app.library.downloads import Downloads
from app.library.downloads_list import DownloadsList
from app.library.find_more import FindMore
from app.library.fits import Fits
from app.library.found_model import FoundModel
from app.library.here import Here
from app.library.hub import Hub
from app.library.library import Library
from app.library.model_detail import ModelDetail
from app.library.model_list import GUTTER
from app.library.model_rows import HERE
from app.library.removal import Removal, RemovalError, plan_removal, remove
from app.library.removal_sheet import RemovalSheet
from app.models.chooser import ModelChooser
from app.settings.form import make_button
from app.settings.preferences import Settings
from app.statistics.page_layout import Head
from app.statistics.segments import Segments
from app.statistics.sizes import scaled
from app.tasks import start
from app.theme.theme import Theme

TITLE = "Models"
HERE_KEY, MORE_KEY = "here", "more"
INSET, NARROW = 32, 760  # px of the page, at the text size of 100 %; below it the detail lies over the list
STACKED_HEAD = 500  # px below which the head takes two lines


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the page shows and acts on."""

    settings: Settings
    library: Library
    fits: Fits
    hub: Hub
    downloads: Downloads
    chooser: ModelChooser
    num_running: Callable[[], int] = lambda: 0  # replies


class ModelsPage(QWidget):
    chat_asked = Signal()  # a new one, with the model that is chosen

    def __init__(self, theme: Theme, shelf: Shelf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(TITLE)
        self._shelf = shelf
        self._is_narrow = False
        self._is_detail_asked = False
        self.segments = Segments(theme, "Models to show")
        self.add = make_button("Add folder…", self.ask_for_folder)
        self.note = NoteBar(theme, self)
        downloads = DownloadsList(theme, shelf.hub, shelf.downloads)
        self.here = Here(theme, shelf.settings, shelf.library, shelf.fits, shelf.chooser, downloads)
        self.find_more = FindMore(theme, shelf.hub, shelf.downloads, shelf.fits.judge, shelf.library.has_repository)
        self.detail = ModelDetail(theme, shelf.settings, shelf.chooser, shelf.fits, shelf.num_running, self._is_coming)
        self._head = Head(self.segments, self.add, TITLE, STACKED_HEAD)
        self._pages = QStackedWidget()
        self._left = QWidget()
        self._lay_out()
        self._connect()
        self.refresh()

    def _lay_out(self) -> None:
        self._pages.addWidget(self.here)
        self._pages.addWidget(self.find_more)
        column = QVBoxLayout(self._left)
        column.setContentsMargins(INSET, 20, INSET - GUTTER, 0)
        column.setSpacing(16)
        above = QVBoxLayout()
        above.setContentsMargins(*((GUTTER, 0, 0, 0) if self.isRightToLeft() else (0, 0, GUTTER, 0)))
        above.addWidget(self._head)
        above.addWidget(self.note)
        column.addLayout(above)
        column.addWidget(self._pages, 1)
        self.note.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)  # where both have no room, the detail goes
        row.addWidget(self._left, 1)
        row.addWidget(self.detail)
        self.setFocusProxy(self.here.list)

    def _connect(self) -> None:
        shelf, here, detail = self._shelf, self.here, self.detail
        self.segments.chosen.connect(self._choose_segment)
        here.list.chosen.connect(self._take_model)
        here.list.opened.connect(self._open)
        here.list.delete_asked.connect(self.delete)
        here.list.menu_asked.connect(self._open_menu)
        here.find_asked.connect(self.show_more)
        here.add_asked.connect(self.ask_for_folder)
        detail.load_asked.connect(self.load)
        detail.chat_asked.connect(self.begin_chat)
        detail.delete_asked.connect(self.delete)
        detail.show_asked.connect(show_files)
        detail.left.connect(self._close_detail)
        self.note.chosen.connect(lambda action: self.note.hide())
        shelf.library.changed.connect(self._take_library)
        shelf.fits.changed.connect(self.find_more.refresh)  # the memory that is allowed may be known only now
        for signal in (shelf.fits.changed, shelf.chooser.changed, shelf.downloads.changed):
            signal.connect(self._refresh_if_seen)

    # What is shown

    def show_here(self, target: str = "") -> None:
        self.segments.choose(HERE_KEY)
        self.here.list.choose(target or self._shelf.chooser.target)

    def show_more(self) -> None:
        self.segments.choose(MORE_KEY)
        self.find_more.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def refresh(self) -> None:
        count = self.here.count
        self.segments.show_segments([(HERE_KEY, f"{HERE}  {count}" if count else HERE), (MORE_KEY, "Find more")])
        self.here.refresh()
        self._arrange()

    def _refresh_if_seen(self) -> None:
        if self.isVisible():
            self.refresh()

    def _take_library(self) -> None:
        if self.isVisible():
            self._shelf.fits.follow(self._shelf.library.models)
            self.find_more.refresh()
            self.refresh()

    def _take_model(self, model: FoundModel | None) -> None:
        self.detail.show_model(model)

    def _arrange(self) -> None:
        """Which of list and detail are seen, by what is asked for and the width."""
        is_here = self.segments.key != MORE_KEY
        has_model = self.detail.model is not None and is_here
        is_over = self._is_narrow and self._is_detail_asked and has_model
        self._pages.setCurrentIndex(0 if is_here else 1)
        self.detail.set_over(self._is_narrow)
        self.detail.setVisible(is_over or (has_model and not self._is_narrow))
        self._left.setVisible(not is_over)

    def _choose_segment(self, key: str) -> None:
        if key == MORE_KEY:
            self.find_more.refresh()  # more may be known of the memory by now
        self._arrange()

    def _open(self, model: FoundModel) -> None:
        self._is_detail_asked = True
        self._arrange()
        if self._is_narrow:
            self.detail.back.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self.here.list.has_keyboard_focus and self.detail.load.isVisible():
            self.detail.load.setFocus(Qt.FocusReason.TabFocusReason)

    def _close_detail(self) -> None:
        self._is_detail_asked = False
        self._arrange()
        self.here.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc goes back from a detail that lies over the list."""
        if event.key() == Qt.Key.Key_Escape and self._is_narrow and self.detail.isVisible():
            self._close_detail()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._is_narrow = self.width() < scaled(NARROW)
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._shelf.fits.follow(self._shelf.library.models)
        self._shelf.fits.renew()
        self.refresh()

    # What is done

    def load(self, model: FoundModel) -> None:
        self._shelf.chooser.choose(model.target)

    def begin_chat(self, model: FoundModel) -> None:
        if model.target != self._shelf.chooser.target:
            self.load(model)
        self.chat_asked.emit()

    def ask_for_folder(self) -> None:
        dialog = FileDialog(self, "Add a folder with models")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.filesSelected.connect(self._add_folders)
        dialog.open()

    def _add_folders(self, folders: Sequence[str]) -> None:
        for folder in folders:
            self.add_folder(folder)

    def add_folder(self, folder: str) -> None:
        """Look into one more folder from now on."""
        preferences = self._shelf.settings.preferences
        if folder not in preferences.library.folders:
            library = replace(preferences.library, folders=(*preferences.library.folders, folder))
            self._shelf.settings.change(replace(preferences, library=library))
        self.show_here()

    def delete(self, model: FoundModel) -> None:
        """Ask, then delete, off the GUI thread both."""
        if self.detail.delete_button.isEnabled() and not model.is_gone:
            start(self._ask_to_delete(model))

    async def _ask_to_delete(self, model: FoundModel) -> None:
        try:
            removal = await run_off_thread(lambda: plan_removal(model))
        except RemovalError as error:
            self._tell(error)
            return
        sheet = RemovalSheet(removal, self)
        sheet.accepted.connect(lambda: self._delete(removal))
        sheet.open()

    def _delete(self, removal: Removal) -> None:
        """A load or a download may have begun since the question; the keys leave what would delete another model."""
        self._close_detail()
        if refusal := self.detail.refusal_of(removal.model):
            self._tell(RemovalError(f"{removal.model.name} was not deleted. {refusal}"))
        else:
            start(self._remove(removal))

    async def _remove(self, removal: Removal) -> None:
        try:
            await run_off_thread(lambda: remove(removal))
        except RemovalError as error:
            self._tell(error)
        self._shelf.library.refresh()

    def _tell(self, error: RemovalError) -> None:
        self.note.show_note(Note(str(error), (Action.CLOSE,)))
        self._shelf.library.refresh()

    def _open_menu(self, model: FoundModel, point: QPoint) -> None:
        menu = QMenu(model.name, self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        detail = self.detail
        for button in (detail.load, detail.chat, detail.show_files, detail.delete_button):
            if not button.isHidden():
                action = menu.addAction(button.text(), button.click)
                action.setEnabled(button.isEnabled())
        if folder := self.here.added_folder_of(model):
            menu.addSeparator()
            menu.addAction(f"Forget folder “{Path(folder).name}”", lambda: self.here.forget(folder))
        menu.popup(point)

    def _is_coming(self, repo_id: str) -> bool:
        return bool(repo_id) and any(one.repo_id == repo_id for one in self._shelf.downloads.downloads)


def show_files(model: FoundModel) -> None:
    """Open the folder in the system's own window for files."""
    folder = str(Path(model.target).parent) if model.is_gguf else model.folder
    QDesktopServices.openUrl(QUrl.fromLocalFile(folder))
