"""The window's actions: menu, button and shortcut share each."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QMenuBar, QPlainTextEdit, QTextEdit, QWidget

from app.workspace import Workspace


class Actions:
    """Makes every action of a window; on macOS in the menu bar, elsewhere behind one button."""

    def __init__(
        self,
        window: QMainWindow,
        workspace: Workspace,
        toggle_sidebar: Callable[[], None],
        show_cache: Callable[[], None],
    ) -> None:
        self._window = window
        self._workspace = workspace
        self._menus = [self._chat_menu(), self._edit_menu(), self._view_menu(toggle_sidebar, show_cache)]
        if sys.platform == "darwin":
            bar = QMenuBar()
            for menu in self._menus:
                bar.addMenu(menu)
            window.setMenuBar(bar)

    def pop_up(self, button: QWidget) -> None:
        """Show the menus under a button at the window's end side."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for part in self._menus:
            menu.addMenu(part)
        menu.popup(button.mapToGlobal(QPoint(button.width() - menu.sizeHint().width(), button.height() + 2)))

    def _chat_menu(self) -> QMenu:
        menu = QMenu("Chat", self._window)
        workspace = self._workspace
        self.new = self._add(menu, "New chat", workspace.new_tab, "Ctrl+N", "Ctrl+T")
        self.close = self._add(menu, "Close tab", self._close_tab, "Ctrl+W")
        menu.addSeparator()
        self.stop = self._add(menu, "Stop", lambda: self._with_tab("stop"), "Ctrl+.")
        self.go_on = self._add(menu, "Continue", lambda: self._with_tab("continue_reply"), "Ctrl+Alt+Return")
        self.drafter = self._add(menu, "Choose the drafter", self._choose_drafter, "Ctrl+D")
        menu.addSeparator()
        self.quit = self._add(menu, "Quit", self._window.close, "Ctrl+Q")
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)
        menu.aboutToShow.connect(self.refresh)
        return menu

    def _edit_menu(self) -> QMenu:
        menu = QMenu("Edit", self._window)
        # Text fields bind these keys themselves.
        self._add(menu, "Cut", lambda: self._with_focus("cut"))
        self._add(menu, "Copy", lambda: self._with_focus("copy"))
        self._add(menu, "Paste", lambda: self._with_focus("paste"))
        self._add(menu, "Select all", lambda: self._with_focus("selectAll"))
        menu.addSeparator()
        self.copy_reply = self._add(menu, "Copy last reply", self._copy_reply, "Ctrl+Shift+C")
        self._add(menu, "Write a message", self._focus_field, "Ctrl+L")
        return menu

    def _view_menu(self, toggle_sidebar: Callable[[], None], show_cache: Callable[[], None]) -> QMenu:
        menu = QMenu("View", self._window)
        keys = "Meta+Ctrl+S" if sys.platform == "darwin" else "Ctrl+Shift+S"
        self.sidebar = self._add(menu, "Sidebar", toggle_sidebar, keys)
        self.details = self._add(menu, "Details of the last reply", self._toggle_details, "Ctrl+I")
        self.cache = self._add(menu, "Prompt cache", show_cache)
        menu.addSeparator()
        self._add(menu, "Next tab", lambda: self._workspace.step(1), "Ctrl+Tab", "Ctrl+PgDown")
        self._add(menu, "Previous tab", lambda: self._workspace.step(-1), "Ctrl+Shift+Tab", "Ctrl+PgUp")
        for number in range(1, 10):
            action = QAction(self._window)
            action.setShortcut(QKeySequence(f"Ctrl+{number}"))
            action.triggered.connect(
                lambda checked=False, place=number - 1: self._workspace.row.bar.setCurrentIndex(place)
            )
            self._window.addAction(action)
        return menu

    def refresh(self) -> None:
        tab = self._workspace.current
        self.stop.setEnabled(tab is not None and tab.session.is_busy)
        self.go_on.setEnabled(tab is not None and tab.session.can_continue)

    def _add(self, menu: QMenu, words: str, work: Callable[[], object], *keys: str) -> QAction:
        action = QAction(words, self._window)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.triggered.connect(lambda checked=False: work())
        menu.addAction(action)
        self._window.addAction(action)
        return action

    def _with_tab(self, deed: str) -> None:
        if self._workspace.current is not None:
            getattr(self._workspace.current, deed)()

    def _close_tab(self) -> None:
        self._workspace.close_tab(self._workspace.row.bar.currentIndex())

    def _choose_drafter(self) -> None:
        if self._workspace.current is not None:
            self._workspace.current.composer.open_drafters()

    def _with_focus(self, deed: str) -> None:
        widget = QApplication.focusWidget()
        if isinstance(widget, (QPlainTextEdit, QTextEdit)):
            getattr(widget, deed)()

    def _copy_reply(self) -> None:
        if self._workspace.current is not None and (text := self._workspace.current.transcript.last_reply_text()):
            QApplication.clipboard().setText(text)

    def _toggle_details(self) -> None:
        if self._workspace.current is not None:
            self._workspace.current.transcript.toggle_last_details()

    def _focus_field(self) -> None:
        if self._workspace.current is not None:
            self._workspace.current.composer.field.setFocus()
