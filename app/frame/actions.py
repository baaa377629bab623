"""The window's actions: menu, button and shortcut share each."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QMenuBar, QWidget

from app.dialogs.about import AboutSheet
from app.dialogs.shortcuts import ShortcutList
from app.frame.action_keys import ActionKeys
from app.settings.window import SettingsWindow
from app.sidebar.search_field import SEARCH_KEYS
from app.tabs.deeds import TabDeeds, edit_in_focus
from app.tabs.menus import TabMenus
from app.tabs.open_chat import OpenChat
from app.tabs.workspace import Workspace
from app.theme.theme import Theme

IS_MAC = sys.platform == "darwin"
SIDEBAR_KEYS = "Meta+Ctrl+S" if IS_MAC else "Ctrl+Shift+S"
# macOS's own are taken by the window managers of many Linux desktops, where menus name the first; Alt moves by words on
# macOS.
CONTINUE_KEYS = ("Ctrl+Alt+Return",) if IS_MAC else ("Ctrl+Shift+Return", "Ctrl+Alt+Return")
PREVIOUS_BRANCH_KEYS = ("Ctrl+Alt+Left",) if IS_MAC else ("Alt+Left", "Ctrl+Alt+Left")
NEXT_BRANCH_KEYS = ("Ctrl+Alt+Right",) if IS_MAC else ("Alt+Right", "Ctrl+Alt+Right")
TINT_KEYS = ("Ctrl+Alt+T",) if IS_MAC else ("Ctrl+Shift+H", "Ctrl+Alt+T")


@dataclass(frozen=True, slots=True)
class WindowDeeds:
    """What the menus ask of the window itself."""

    toggle_sidebar: Callable[[], None]
    toggle_inspector: Callable[[], None]
    set_tint: Callable[[bool], None]
    show_models: Callable[[], None]
    show_statistics: Callable[[], None]
    show_cache: Callable[[], object]
    show_settings: Callable[[], None]
    search: Callable[[], None]
    import_chats: Callable[[], object]
    export_all: Callable[[], None]
    undo: Callable[[], None]
    redo: Callable[[], None]
    step_region: Callable[[int], None]
    show_drafters: Callable[[], None]
    show_welcome: Callable[[], None]
    eject: Callable[[], None]
    can_eject: Callable[[], bool]
    write_report: Callable[[], None]
    show_reports: Callable[[], None]
    show_palette: Callable[[], object]
    change_text_size: Callable[[int], None]  # by so many steps; 0 goes back to 100 %


class Actions:
    """Makes every action of a window; on macOS in the menu bar, elsewhere behind one button."""

    def __init__(
        self,
        window: QMainWindow,
        theme: Theme,
        workspace: Workspace,
        chat: OpenChat,
        deeds: WindowDeeds,
        keys: ActionKeys,
    ) -> None:
        self._window = window
        self._workspace = workspace
        self._chat = chat
        self._deeds = deeds
        self.keys = keys
        self._tab = TabDeeds(workspace, theme)
        self.tab_menus = TabMenus(workspace, chat)
        self._menus = [self._chat_menu(), self._reply_menu(), self._edit_menu(), self._view_menu()]
        self._menus.append(self._help_menu())
        self._add_numbers()
        chat.listen(self.refresh)
        for menu in self._menus:
            menu.aboutToShow.connect(self.refresh)
        if IS_MAC:
            bar = QMenuBar()
            for menu in self._menus:
                bar.addMenu(menu)
            window.setMenuBar(bar)

    def open_by_keys(self) -> None:
        """Show the menus with the first of them open at its first line, from where arrow keys go on."""
        first = self._menus[0]
        self.pop_up(self._workspace.row.menu_button).setActiveAction(first.menuAction())
        first.setActiveAction(first.actions()[0])

    def pop_up(self, button: QWidget) -> QMenu:
        """Show the menus under a button at the window's end side."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for part in self._menus:
            menu.addMenu(part)
        menu.popup(button.mapToGlobal(QPoint(button.width() - menu.sizeHint().width(), button.height() + 2)))
        return menu

    def _chat_menu(self) -> QMenu:
        menu = QMenu("Chat", self._window)
        self.new = self._add(menu, "new_chat", "New chat", self._workspace.new_tab, "Ctrl+N", "Ctrl+T")
        self.reopen = self._add(menu, "reopen_tab", "Reopen closed tab", self._workspace.reopen_tab, "Ctrl+Shift+T")
        self.close = self._add(menu, "close_tab", "Close tab", self._close, "Ctrl+W")
        menu.addSeparator()
        self._add_chat_deeds(menu)
        menu.addSeparator()
        self.palette = self._add(menu, "palette", "Command palette", self._deeds.show_palette, "Ctrl+K")
        self.search = self._add(menu, "search_chats", "Search chats", self._deeds.search, SEARCH_KEYS)
        menu.addSeparator()
        self.import_chats = self._add(menu, "import", "Import…", self._deeds.import_chats)
        self.export_all = self._add(menu, "export_all", "Export all…", self._deeds.export_all)
        menu.addSeparator()
        self.settings = self._add(menu, "settings", "Settings…", self._deeds.show_settings, "Ctrl+,")
        self.settings.setMenuRole(QAction.MenuRole.PreferencesRole)
        self.quit = self._add(menu, "quit", "Quit", self._window.close, "Ctrl+Q")
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        return menu

    def _close(self) -> None:
        """The menu bar of macOS gives the key to this action whichever window has the keyboard."""
        active = QApplication.activeWindow()
        if isinstance(active, SettingsWindow):
            active.close()
        else:
            self._tab.close_tab()

    def _add_chat_deeds(self, menu: QMenu) -> None:
        """What the sidebar's rows offer, for the chat that is shown."""
        chat = self._chat
        self.attach = self._add(menu, "attach", "Attach files…", self._tab.attach)
        self.rename = self._add(menu, "rename", "Rename", chat.rename)
        self.pin = self._add(menu, "pin", "Pin", chat.toggle_pin)
        self.move = QMenu("Move to folder", menu)
        self.move.aboutToShow.connect(lambda: chat.fill_folders(self.move))
        menu.addMenu(self.move)
        self.duplicate = self._add(menu, "duplicate", "Duplicate", chat.duplicate)
        self.export = self._add(menu, "export", "Export…", chat.export)
        self.delete = self._add(menu, "delete", "Delete", chat.delete)

    def _help_menu(self) -> QMenu:
        menu = QMenu("Help", self._window)
        self.welcome = self._add(menu, "welcome", "Welcome", self._deeds.show_welcome)
        self.shortcuts = self._add(menu, "shortcuts", "Keyboard shortcuts", self._show_shortcuts)
        menu.addSeparator()
        self.write_report = self._add(menu, "write_report", "Write report…", self._deeds.write_report)
        self.show_reports = self._add(menu, "show_reports", "Show reports folder", self._deeds.show_reports)
        menu.addSeparator()
        self.about = self._add(menu, "about", "About Slipstream", lambda: AboutSheet(self._window).open())
        self.about.setMenuRole(QAction.MenuRole.AboutRole)
        return menu

    def _show_shortcuts(self) -> None:
        ShortcutList([(menu.title(), menu.actions()) for menu in self._menus], self._window).open()

    def _reply_menu(self) -> QMenu:
        menu = QMenu("Reply", self._window)
        self.stop = self._add(menu, "stop", "Stop", self._tab.stop, "Ctrl+.")
        self.go_on = self._add(menu, "continue", "Continue", self._tab.go_on, *CONTINUE_KEYS)
        self.again = self._add(menu, "again", "Again", self._tab.write_again, "Ctrl+R")
        menu.addSeparator()
        self.previous_branch = self._add(
            menu, "previous_branch", "Previous branch", lambda: self._tab.step_branch(-1), *PREVIOUS_BRANCH_KEYS
        )
        self.next_branch = self._add(
            menu, "next_branch", "Next branch", lambda: self._tab.step_branch(1), *NEXT_BRANCH_KEYS
        )
        menu.addSeparator()
        self.choose_model = self._add(menu, "choose_model", "Choose the model", self._tab.choose_model)
        self.eject = self._add(menu, "eject", "Eject the model", self._deeds.eject)
        self.drafter = self._add(menu, "choose_drafter", "Choose the drafter", self._tab.choose_drafter, "Ctrl+D")
        self.all_drafters = self._add(menu, "all_drafters", "All drafters…", self._deeds.show_drafters, "Ctrl+Shift+D")
        self.details = self._add(menu, "details", "Details of the last reply", self._tab.toggle_details)
        return menu

    def _edit_menu(self) -> QMenu:
        menu = QMenu("Edit", self._window)
        self.undo = self._add(menu, "undo", "Undo", self._deeds.undo, "Ctrl+Z")
        self.redo = self._add(menu, "redo", "Redo", self._deeds.redo, "Ctrl+Shift+Z", "Ctrl+Y")
        menu.addSeparator()
        # Text fields bind these keys themselves.
        for words, deed in (("Cut", "cut"), ("Copy", "copy"), ("Paste", "paste"), ("Select all", "selectAll")):
            self._add(menu, "", words, partial(edit_in_focus, deed))
        menu.addSeparator()
        self.find = self._add(menu, "find", "Find in this chat", self._tab.find, "Ctrl+F")
        self.edit_last = self._add(menu, "edit_last", "Edit the last message", self._tab.edit_last, "Ctrl+E")
        self.copy_reply = self._add(menu, "copy_reply", "Copy last reply", self._tab.copy_reply, "Ctrl+Shift+C")
        self.write = self._add(menu, "write", "Write a message", self._tab.write, "Ctrl+L")
        return menu

    def _view_menu(self) -> QMenu:
        menu = QMenu("View", self._window)
        deeds = self._deeds
        self.sidebar = self._add(menu, "sidebar", "Sidebar", deeds.toggle_sidebar, SIDEBAR_KEYS)
        self.inspector = self._add(menu, "inspector", "Inspector", deeds.toggle_inspector, "Ctrl+I")
        self.tint = self._add(menu, "tint", "Tint drafted text", lambda: None, *TINT_KEYS)
        self.tint.setCheckable(True)
        self.tint.toggled.connect(deeds.set_tint)
        self.models = self._add(menu, "models", "Models", deeds.show_models, "Ctrl+Shift+M")
        self.statistics = self._add(menu, "statistics", "Statistics", deeds.show_statistics, "Ctrl+Shift+I")
        self.cache = self._add(menu, "prompt_cache", "Prompt cache", deeds.show_cache)
        menu.addSeparator()
        self._add(menu, "larger_text", "Larger text", lambda: deeds.change_text_size(1), "Ctrl++", "Ctrl+=")
        self._add(menu, "smaller_text", "Smaller text", lambda: deeds.change_text_size(-1), "Ctrl+-")
        self._add(menu, "text_100", "Text at 100 %", lambda: deeds.change_text_size(0), "Ctrl+0")
        menu.addSeparator()
        self.next_tab = self._add(
            menu, "next_tab", "Next tab", lambda: self._workspace.step(1), "Ctrl+Tab", "Ctrl+PgDown"
        )
        self.previous_tab = self._add(
            menu, "previous_tab", "Previous tab", lambda: self._workspace.step(-1), "Ctrl+Shift+Tab", "Ctrl+PgUp"
        )
        if not IS_MAC:  # whose menu bar has a key of the system's
            self._add(menu, "open_menu", "Open the menu", self.open_by_keys, "F10")
        self._add(menu, "next_region", "Next part of the window", lambda: deeds.step_region(1), "F6")
        self._add(menu, "previous_region", "Previous part of the window", lambda: deeds.step_region(-1), "Shift+F6")
        return menu

    def _add_numbers(self) -> None:
        for number in range(1, 10):
            action = QAction(self._window)
            action.setShortcut(QKeySequence(f"Ctrl+{number}"))
            action.triggered.connect(lambda checked=False, place=number - 1: self._workspace.choose(place))
            self._window.addAction(action)

    def refresh(self) -> None:
        """Let only that be chosen which has an effect now."""
        tab, has_more = self._tab, self._workspace.row.bar.count() > 1
        chat = self._chat.find()
        self.pin.setText("Unpin" if chat is not None and chat.is_pinned else "Pin")
        for of_chat in (self.rename, self.pin, self.move, self.duplicate, self.export, self.delete):
            of_chat.setEnabled(chat is not None)
        can_be_done = {
            self.stop: tab.can_stop,
            self.go_on: tab.can_continue,
            self.again: tab.has_messages,
            self.previous_branch: tab.can_step_branch(-1),
            self.next_branch: tab.can_step_branch(1),
            self.choose_model: tab.is_chat,
            self.eject: self._deeds.can_eject(),
            self.drafter: tab.is_chat,
            self.attach: tab.is_chat,
            self.details: tab.has_reply,
            self.reopen: self._workspace.can_reopen,
            self.find: tab.has_messages,
            self.edit_last: tab.has_message_of_mine,
            self.copy_reply: tab.has_reply,
            self.write: tab.is_chat,
            self.inspector: tab.is_chat,
            self.next_tab: has_more,
            self.previous_tab: has_more,
        }
        for action, can in can_be_done.items():
            action.setEnabled(can)

    def _add(self, menu: QMenu, name: str, words: str, work: Callable[[], object], *keys: str) -> QAction:
        """Preferences know the action's keys by `name`, which is never changed; without one it has none."""
        action = QAction(words, self._window)
        if name:
            self.keys.add(name, menu.title(), action, keys)
        action.triggered.connect(lambda checked=False: work())
        menu.addAction(action)
        self._window.addAction(action)
        return action
