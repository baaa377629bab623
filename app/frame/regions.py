"""Regions: the parts of the window that F6 goes through."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from app.chat.tab import ChatTab
from app.frame.focus_order import chain_of
from app.sidebar.panel import Sidebar
from app.tabs.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Region:
    """`holder` has all that belongs to it, `target` takes the keyboard; both may be None while it is not there."""

    holder: Callable[[], QWidget | None]
    target: Callable[[], QWidget | None]


def regions_of(workspace: Workspace, sidebar: Sidebar) -> Regions:
    """In the order that Tab goes through them."""

    def in_chat(part: Callable[[ChatTab], QWidget]) -> Callable[[], QWidget | None]:
        return lambda: part(workspace.current) if workspace.current is not None else None

    def other_page() -> QWidget | None:
        return workspace.current_page if workspace.current is None else None

    return Regions(
        (
            Region(lambda: workspace.row, lambda: workspace.row.bar),
            Region(in_chat(lambda tab: tab.transcript), in_chat(lambda tab: tab.transcript)),
            Region(in_chat(lambda tab: tab.composer), in_chat(lambda tab: tab.composer.field)),
            Region(other_page, other_page),
            Region(lambda: workspace.body.side, lambda: _first_in(workspace.body.side)),
            Region(lambda: sidebar, lambda: sidebar.field),
        )
    )


class Regions:
    def __init__(self, regions: Sequence[Region]) -> None:
        self._regions = tuple(regions)

    def step(self, places: int) -> None:
        """Give the keyboard to the next region that is there."""
        present = [region for region in self._regions if _is_there(region)]
        if not present:
            return
        held = [number for number, region in enumerate(present) if _has_focus(region)]
        start = held[-1] if held else (-1 if places > 0 else 0)
        target = present[(start + places) % len(present)].target()
        assert target is not None
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _first_in(part: QWidget | None) -> QWidget | None:
    """What Tab comes to first in it."""
    return next((widget for widget in chain_of(part) if widget.isVisible()), None) if part is not None else None


def _is_there(region: Region) -> bool:
    target = region.target()
    return target is not None and target.isVisible() and target.isEnabled()


def _has_focus(region: Region) -> bool:
    holder, focus = region.holder(), QApplication.focusWidget()
    return holder is not None and focus is not None and (holder is focus or holder.isAncestorOf(focus))
