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
    before = following.previousInFocusChain()
    while not takes_tab(before) or before in chain:  # Qt moves nothing behind what Tab passes by
        before = before.previousInFocusChain()
    in_order([before, *chain])


def chain_of(part: QWidget) -> list[QWidget]:
    """What Tab comes to in a widget, itself too, in its order."""
    chain, widget = [part], part.nextInFocusChain()
    while widget is not part:
        if part.isAncestorOf(widget):
            chain.append(widget)
        widget = widget.nextInFocusChain()
    return [widget for widget in chain if takes_tab(widget)]


def takes_tab(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
