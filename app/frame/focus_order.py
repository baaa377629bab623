"""Where Tab goes next: what is made late takes its place among what was there before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def in_order(widgets: Sequence[QWidget]) -> None:
    """Let Tab go through these in their order."""
    for before, after in pairwise(widgets):
        QWidget.setTabOrder(before, after)


def move_before(following: QWidget, part: QWidget) -> None:
    """Let Tab go through all of `part`, in its own order, right before it comes to `following`."""
    chain = chain_of(part)
    before = [widget for widget in _round(following) if takes_tab(widget) and widget not in chain]
    in_order([*before[-1:], *chain])  # Qt moves nothing behind what Tab passes by


def chain_of(part: QWidget) -> list[QWidget]:
    """What Tab comes to in a widget, itself too, in its order."""
    return [widget for widget in _round(part) if takes_tab(widget) and (widget is part or part.isAncestorOf(widget))]


def takes_tab(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _round(first: QWidget) -> list[QWidget]:
    """All widgets of a window in the order of Tab, from this one on."""
    found, widget = [first], first.nextInFocusChain()
    while widget is not None and widget is not first:
        found.append(widget)
        widget = widget.nextInFocusChain()
    return found
