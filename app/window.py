"""MainWindow: sidebar, tabs and menus, wired to conversations and engine."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QWidget

from app.bridge import EngineBridge
from app.chat.session import ChatSession
from app.chat.tab_notes import TabNotes
from app.conversations.cache_keeper import CacheKeeper
from app.conversations.catalogue import Catalogue
from app.conversations.database import Database
from app.conversations.deletion import Deletion
from app.conversations.recorder import Recorder
from app.conversations.reminder import Reminder
from app.desktop.desktop import Desktop
from app.dialogs.exporter import Exporter
from app.dialogs.importer import Importer
from app.dialogs.quit_sheet import QuitSheet
from app.frame.actions import Actions, WindowDeeds
from app.frame.focus_place import FocusPlace
from app.frame.looks import LooksKeeper, begin_looks
from app.frame.regions import regions_of
from app.frame.shell import Shell
from app.frame.troubles import connect_troubles
from app.frame.typed_keys import TypedKeys
from app.frame.window_place import PlaceKeeper
from app.parts.drafters import WindowDrafters
from app.parts.library import WindowLibrary
from app.parts.models import WindowModels
from app.parts.palette import WindowPalette
from app.parts.plan import plan_of
from app.parts.settings import WindowSettings
from app.parts.statistics import WindowStatistics
from app.parts.upkeep import WindowUpkeep
from app.parts.welcome import WindowWelcome
from app.parts.wiring import connect_sidebar, connect_workspace
from app.reports.showing import show_folder, show_report
from app.settings.preferences import Settings
from app.settings.sources import CacheSources, PrivacyDeeds
from app.sidebar.folding import read_folding
from app.sidebar.footer_words import FooterWords
from app.sidebar.panel import Sidebar
from app.system.single import Handed
from app.tabs.chat_deeds import ChatDeeds
from app.tabs.open_chat import OpenChat
from app.tabs.teller import Teller
from app.tabs.undoing import Undoing
from app.tabs.workspace import Workspace
from app.tasks import start
from app.theme.pulse import Pulse
from app.theme.symbols import app_icon
from app.theme.theme import Theme
from app.upkeep.cache_notes import CacheNotes
from app.upkeep.disk_full import DiskFull

SIZE = (1320, 860)
MIN_SIZE = (480, 400)


class MainWindow(QMainWindow):
    closed = Signal()

    def __init__(
        self,
        theme: Theme,
        database: Database,
        bridge: EngineBridge,
        recorder: Recorder,
        *,
        data_dir: Path,
        target: str = "",
        drafter: str = "",
        desktop: Desktop | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.settings = Settings(data_dir, self)
        begin_looks(theme, self.settings)
        self.theme = theme
        self.pulse = Pulse(self)
        self.models = WindowModels(theme, bridge, recorder, self.settings, target, drafter, self)
        self.chooser = self.models.chooser
        self.catalogue = Catalogue(database, recorder, self)
        self.reminder = Reminder(database, bridge, self)
        self.cache_keeper = CacheKeeper(database, bridge, self)
        self.deletion = Deletion(self.catalogue, self.reminder, self.cache_keeper, self)
        self._database = database
        self._is_closed = False
        self._is_leaving = False
        self._data_dir = data_dir

        def make_session() -> ChatSession:
            return ChatSession(database, bridge, recorder, self.models.planner, parent=self)

        # In the order that Tab goes through them.
        self.workspace = Workspace(theme, self.pulse, self.chooser, make_session, data_dir)
        self.sidebar = Sidebar(theme, self.pulse)
        self.shell = Shell(self.sidebar, self.workspace, self)
        self.setCentralWidget(self.shell)
        self.setWindowTitle("Slipstream")
        self.setWindowIcon(app_icon())
        self.setMinimumSize(*MIN_SIZE)
        self.resize(*SIZE)
        self._disk_full = DiskFull(database, self.workspace)
        self._make_helpers(bridge, recorder, desktop or Desktop())
        connect_sidebar(self, data_dir)
        connect_workspace(self)
        connect_troubles(self.teller, self._disk_full, self.workspace, self.catalogue, recorder, self.chooser)
        self._restore()

    def _make_helpers(self, bridge: EngineBridge, recorder: Recorder, desktop: Desktop) -> None:
        """What joins the parts of the window with what they show."""
        catalogue, workspace, sidebar = self.catalogue, self.workspace, self.sidebar
        self.teller = Teller(workspace)
        sources = CacheSources(bridge, self._database, catalogue)
        self.importer = Importer(catalogue, workspace)
        self.exporter = Exporter(catalogue, bridge, self)
        deeds = PrivacyDeeds(self.exporter.export_all, self.importer.show_page, lambda: show_report(self))
        self.settings_pages = WindowSettings(self.theme, self.settings, sources, deeds, self)
        self.cache_notes = CacheNotes(self.cache_keeper, self.teller, self._data_dir, self.settings_pages.show_cache)
        self.notes = TabNotes((workspace.bar,), self)  # on what concerns every page
        self.chats = ChatDeeds(catalogue, sidebar)
        self.exporter.told.connect(self.teller.say)
        self.regions = regions_of(workspace, sidebar)
        TypedKeys(self, workspace)
        self._undoing = Undoing(workspace, self.deletion)
        self.statistics = WindowStatistics(
            self.theme, bridge, recorder, catalogue, workspace, self._database, self.settings
        )
        self.statistics.serve(sidebar)
        self._footer_words = FooterWords(sidebar.footer, workspace, self.chooser, self.statistics.history)
        self.looks = LooksKeeper(self.settings, self.theme, self.pulse, workspace, self.statistics)
        self.welcome = WindowWelcome(workspace, self.settings, self)
        self.upkeep = WindowUpkeep(bridge, self.models, workspace, self.settings, desktop, catalogue, self)
        self.upkeep.engine.started.connect(self.cache_keeper.tell_again)
        self.upkeep.engine.show_report = lambda: show_report(self, "The engine stopped.")
        self.plan = plan_of(self, bridge)
        self.library = WindowLibrary(self, bridge, self._data_dir)
        self.drafters = WindowDrafters(self, bridge, self.library.library)
        self.command_palette = WindowPalette(self)
        self.open_chat = OpenChat(workspace, sidebar, self.shell)
        keys = self.settings_pages.keys
        self.actions_of_window = Actions(self, self.theme, workspace, self.open_chat, self._deeds(), keys)
        sidebar.field.follow(self.actions_of_window.search)
        self.library.follow(self.actions_of_window.models)
        self.drafters.popovers.follow(self.actions_of_window.all_drafters)

    def _restore(self) -> None:
        """Bring back what was kept of the last time, but for the tabs."""
        self.sidebar.model.set_folded(read_folding(self._data_dir).folded)
        self._place = PlaceKeeper(self, self.shell, self.workspace.body, self._data_dir)
        self.statistics.set_inspector_wanted(self._place.is_inspector_wanted, is_over=False)
        self.refresh()

    async def open(self) -> None:
        """Load the model behind the window and bring back what was open."""
        place = FocusPlace(self)
        self.chooser.load()
        await self.catalogue.refresh()
        await self.workspace.restore(reopens=self.settings.preferences.general.reopens_tabs)
        self.teller.say_what_waits()
        self.library.begin()
        if place.is_kept:
            self.workspace.focus_page()

    # What changes

    def refresh(self) -> None:
        tab = self.workspace.current
        current = tab.session.conversation_id if tab else None
        marks = self.workspace.marks
        known = {conversation.id for conversation in self.catalogue.conversations}
        if current and current not in known:
            self.refresh_list()
        self.sidebar.model.set_states(marks, current or "")
        self.actions_of_window.refresh()
        self._pace()
        page = self.workspace.current_page
        title = ("" if tab.is_empty else tab.title) if tab else page.windowTitle() if page else ""
        self.setWindowTitle(f"{title} · Slipstream" if title else "Slipstream")

    def refresh_list(self) -> None:
        if not self._is_closed:
            start(self.catalogue.refresh())

    def show_conversations(self) -> None:
        self.sidebar.show_conversations(self.catalogue.conversations)
        self.welcome.take_chats(bool(self.catalogue.conversations))

    def take_title(self, conversation_id: str, title: str) -> None:
        for tab in self.workspace.tabs:
            tab.session.apply_title(conversation_id, title)

    def show_chat(self, conversation_id: str) -> None:
        """Come to the front with a chat."""
        self.raise_window()
        self.go_to_chat(conversation_id)

    def go_to_chat(self, conversation_id: str, message_id: str = "", words: str = "") -> None:
        self.workspace.open_chat(conversation_id, message_id, words)
        self.shell.close_overlay()

    def leave_sidebar(self) -> None:
        """Go on writing; a sidebar that lies over the chat goes."""
        self.shell.close_overlay()
        self.workspace.focus_page()

    def show_trouble(self, sentence: str) -> None:
        self.teller.show_trouble(sentence)

    # What menus and keys ask of the window

    def _deeds(self) -> WindowDeeds:
        return WindowDeeds(
            toggle_sidebar=self.shell.toggle_sidebar,
            toggle_inspector=self.statistics.toggle_inspector,
            set_tint=self.statistics.set_tint,
            show_models=self.library.show_page,
            show_statistics=self.statistics.show_page,
            show_cache=self.cache_notes.show,
            show_settings=self.settings_pages.show,
            search=self.search_chats,
            import_chats=self.importer.show_page,
            export_all=self.exporter.export_all,
            undo=self._undoing.undo,
            redo=self._undoing.redo,
            step_region=self.regions.step,
            show_drafters=self.drafters.show_page,
            show_welcome=self.welcome.show,
            eject=self.chooser.eject,
            can_eject=lambda: self.chooser.can_eject,
            write_report=lambda: show_report(self),
            show_reports=lambda: show_folder(self._data_dir),
            show_palette=self.command_palette.show,
            change_text_size=self.looks.step_text_size,
        )

    def search_chats(self) -> None:
        self.shell.show_sidebar()
        self.sidebar.start_search()

    # The clock of the glyphs

    def _pace(self) -> None:
        is_seen = self.isVisible() and not self.isMinimized()
        self.pulse.set_running(is_seen and bool(self.workspace.busy_sessions))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self._pace()

    def _ask_to_quit(self, num_running: int) -> None:
        if self.findChild(QuitSheet) is not None:  # who quits twice means it
            QTimer.singleShot(0, self, self.leave)  # not while Qt closes it
            return
        sheet = QuitSheet(num_running, self)
        sheet.accepted.connect(self.leave)
        sheet.open()

    def raise_window(self) -> None:
        """Come to the front."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def take_over(self, handed: Handed) -> None:
        """Come to the front for a second start, and use what it was to use."""
        self.models.use(handed.model, handed.drafter)
        self.raise_window()

    def leave(self) -> None:
        """Close without asking."""
        self._is_leaving = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        if (num_running := len(self.workspace.busy_sessions)) and not self._is_leaving:
            event.ignore()
            self._ask_to_quit(num_running)
            return
        super().closeEvent(event)
        self._is_closed = True
        self.catalogue.leave()
        self._place.save()
        self.settings_pages.close()
        self.deletion.finish()
        self.reminder.close()
        self._disk_full.close()
        self.workspace.hold()  # or the end of a reply would send what waits for it
        self.pulse.set_running(False)
        self.closed.emit()
