"""Menus over the transcript: what can be done with a message, a link and what is marked."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.chat.notes import Action
from app.chat.transcript.section import Section
from app.chat.transcript.words import NO_BRANCH

Choose = Callable[[Action], None]
Entry = tuple[str, Callable[[], None]]


def fill(menu: QMenu, *entries: Entry) -> None:
    for words, work in entries:
        menu.addAction(words).triggered.connect(lambda checked=False, work=work: work())


def add_actions(menu: QMenu, section: Section, choose: Choose, *, is_tinted: bool, is_last: bool) -> None:
    """What can be done with one message, but for copying it."""
    if section.is_running or section.message.role == "system":
        return
    offered = (
        (Action.AGAIN, Action.BRANCH, Action.DETAILS, Action.CHECK, Action.TINT) if section.is_reply else (Action.EDIT,)
    )
    for action in (*offered, Action.DELETE_FROM):
        made = _add(menu, action, choose)
        if action is Action.DETAILS:
            made.setText("Hide details" if section.has_details else "Details")
            made.setEnabled(section.latest.num_tokens > 0)
        if action is Action.BRANCH and is_last:
            made.setEnabled(False)
            made.setToolTip(NO_BRANCH)
        if action is Action.TINT:
            made.setCheckable(True)
            made.setChecked(is_tinted)
    if section.is_left_out:
        _add(menu, Action.INCLUDE, choose).setText("Include all messages in the prompt")
    if len(section.siblings) > 1:
        menu.addSeparator()
        place = section.siblings.index(section.message.id)
        _add(menu, Action.PREVIOUS, choose).setEnabled(place > 0)
        _add(menu, Action.NEXT, choose).setEnabled(place < len(section.siblings) - 1)


def make_menu(parent: QWidget) -> QMenu:
    """A menu that goes when it is closed."""
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    menu.aboutToHide.connect(menu.deleteLater)
    return menu


def _add(menu: QMenu, action: Action, choose: Choose) -> QAction:
    made = menu.addAction(action.value)
    made.triggered.connect(lambda checked=False: choose(action))
    return made
