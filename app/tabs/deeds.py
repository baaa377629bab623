"""TabDeeds: what the menus and keys do with the chat that is shown; nothing where another page is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit

from app.chat.tab import ChatTab
from app.chat.tab_find import find_in
from app.tabs.workspace import Workspace
from app.theme.theme import Theme


class TabDeeds:
    def __init__(self, workspace: Workspace, theme: Theme) -> None:
        self._workspace = workspace
        self._theme = theme

    @property
    def can_stop(self) -> bool:
        tab = self._workspace.current
        return tab is not None and (tab.session.is_busy or tab.composer.foot.can_stop_load)

    @property
    def can_continue(self) -> bool:
        tab = self._workspace.current
        return tab is not None and tab.session.can_continue

    @property
    def is_chat(self) -> bool:
        return self._workspace.current is not None

    @property
    def has_messages(self) -> bool:
        return self._has("user") or self._has("assistant")

    @property
    def has_message_of_mine(self) -> bool:
        return self._has("user")

    @property
    def has_reply(self) -> bool:
        return self._has("assistant")

    def can_step_branch(self, step: int) -> bool:
        tab = self._workspace.current
        return tab is not None and tab.actions_on_messages.branch_after(step) is not None

    def _has(self, role: str) -> bool:
        tab = self._workspace.current
        return tab is not None and any(message.role == role for message in tab.session.messages)

    def close_tab(self) -> None:
        self._workspace.close_tab(self._workspace.row.bar.currentIndex())

    def stop(self) -> None:
        self._with_tab(ChatTab.stop)

    def go_on(self) -> None:
        self._with_tab(ChatTab.continue_reply)

    def choose_drafter(self) -> None:
        self._with_tab(lambda tab: tab.composer.open_drafters())

    def choose_model(self) -> None:
        self._with_tab(lambda tab: tab.composer.foot.model_asked.emit())

    def attach(self) -> None:
        self._with_tab(lambda tab: tab.composer.attaching.choose_files())

    def write_again(self) -> None:
        self._with_tab(lambda tab: tab.actions_on_messages.write_again())

    def edit_last(self) -> None:
        self._with_tab(lambda tab: tab.actions_on_messages.edit_last())

    def step_branch(self, step: int) -> None:
        self._with_tab(lambda tab: tab.actions_on_messages.step_branch(step))

    def find(self) -> None:
        self._with_tab(lambda tab: find_in(self._theme, tab).open())

    def write(self) -> None:
        self._with_tab(lambda tab: tab.composer.field.setFocus())

    def toggle_details(self) -> None:
        self._with_tab(lambda tab: tab.transcript.toggle_last_details())

    def copy_reply(self) -> None:
        tab = self._workspace.current
        if tab is not None and (text := tab.transcript.last_reply_text()):
            QApplication.clipboard().setText(text)

    def _with_tab(self, deed: Callable[[ChatTab], object]) -> None:
        if (tab := self._workspace.current) is not None:
            deed(tab)


def edit_in_focus(deed: str) -> None:
    """Cut, copy, paste or select all in the text that has the keyboard."""
    widget = QApplication.focusWidget()
    if isinstance(widget, (QPlainTextEdit, QTextEdit)):
        getattr(widget, deed)()
