"""The menu of presets for one chat."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.chat.session import ChatSession
from app.tasks import start

FOOT = "The choice is for this chat, from the next reply."
OWN_PROMPT = "The chat keeps its own system prompt."
ALL = "All presets…"
PRESET = "preset"  # subject of the note that one was chosen


def preset_menu(parent: QWidget, session: ChatSession, show_all: Callable[[], object]) -> QMenu:
    """A menu, or the part of one, that is filled whenever it opens."""
    menu = QMenu("Preset", parent)
    menu.aboutToShow.connect(lambda: fill_presets(menu, session, show_all))
    return menu


def fill_presets(menu: QMenu, session: ChatSession, show_all: Callable[[], object]) -> None:
    """Each preset, the chat's one checked; `show_all` opens the page of them."""
    menu.clear()
    current = session.preset_in_use.id
    for preset in session.planner.presets.all:
        action = QAction(preset.name.replace("&", "&&"), menu)
        action.setCheckable(True)
        action.setChecked(preset.id == current)
        action.triggered.connect(partial(_choose, session, preset.id))
        menu.addAction(action)
    menu.addSeparator()
    menu.addAction(FOOT).setEnabled(False)
    if session.own_system_prompt:
        menu.addAction(OWN_PROMPT).setEnabled(False)
    menu.addAction(ALL).triggered.connect(lambda checked=False: show_all())


def _choose(session: ChatSession, preset_id: str, checked: bool = False) -> None:
    start(session.choose_preset(preset_id), saves=True)
