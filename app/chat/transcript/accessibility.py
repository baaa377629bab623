"""What a screen reader is given of transcripts, and what it is told of them."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface
from shiboken6 import Shiboken

from app.chat.transcript.accessible_nodes import TranscriptNode
from app.chat.transcript.view import TranscriptView

_given: list[TranscriptNode] = []  # until Qt, which ends each with its widget, has done so


def install() -> None:
    """Answer Qt's questions about transcripts; called once."""
    if not _is_installed:
        QAccessible.installFactory(_make)
        _is_installed.append(True)


_is_installed: list[bool] = []


def _make(class_name: str, widget: QObject) -> QAccessibleInterface | None:
    if not isinstance(widget, TranscriptView):
        return None
    node = TranscriptNode(widget)
    _given.append(node)
    widget.destroyed.connect(lambda: _end(node))
    return node


def _end(node: TranscriptNode) -> None:
    """The widget of a node goes: so do the nodes in it, and its own when Qt has let go of it."""
    node.keep(set())
    QTimer.singleShot(0, _forget_ended)


def _forget_ended() -> None:
    _given[:] = [node for node in _given if Shiboken.isValid(node)]


def forget_gone(view: TranscriptView) -> None:
    """Other messages are shown, or a message has other blocks: nothing is asked of those that went."""
    for node in _given:
        if Shiboken.isValid(node) and node.shows(view):
            node.keep(set(view.sections))


def tell_focus(view: TranscriptView) -> None:
    """The keyboard is at another message."""
    event = QAccessibleEvent(view, QAccessible.Event.Focus)
    event.setChild(view.focus_index)
    QAccessible.updateAccessibility(event)


def tell_change(view: TranscriptView, index: int) -> None:
    """A block of a message was closed, or its state is another."""
    event = QAccessibleEvent(view, QAccessible.Event.NameChanged)
    event.setChild(index)
    QAccessible.updateAccessibility(event)
