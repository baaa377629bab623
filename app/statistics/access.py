"""What charts are to a screen reader: a Chart with a name and a sentence, not a bare window."""

from __future__ import annotations

from functools import cache, partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_roles: dict[int, QAccessible.Role] = {}  # by the id of their widget
_kept: dict[int, QAccessibleWidget] = {}  # likewise: Qt holds no reference to them


def announce(widget: QWidget, role: QAccessible.Role) -> None:
    """Give a widget this role; its name and description are the widget's own."""
    _install()
    _roles[id(widget)] = role
    widget.destroyed.connect(partial(_forget, id(widget)))


@cache
def _install() -> None:
    QAccessible.installFactory(_make)


def _make(name: str, made_for: QObject) -> QAccessibleInterface | None:
    role = _roles.get(id(made_for))
    if role is None or not isinstance(made_for, QWidget):
        return None
    _kept[id(made_for)] = QAccessibleWidget(made_for, role)
    return _kept[id(made_for)]


def _forget(key: int, *_: object) -> None:
    _roles.pop(key, None)
    _kept.pop(key, None)
