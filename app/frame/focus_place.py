"""FocusPlace: whether the keyboard is still where it was when something was asked for that takes time."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid


class FocusPlace:
    """Made when it is asked for; what is done then takes the keyboard only where `is_kept`."""

    def __init__(self, widget: QWidget) -> None:
        """`widget` may have been deleted by Qt meanwhile: a task begins later than it was started."""
        self._window = widget.window() if isValid(widget) else None
        self._focused = self._window.focusWidget() if self._window else None  # also while a dialog lies over it

    @property
    def is_kept(self) -> bool:
        """Where what had it is gone, it went on by itself: nobody is disturbed but who writes."""
        if self._window is None or not isValid(self._window):
            return False
        focused = self._window.focusWidget()
        if focused is None or focused is self._focused:
            return True
        is_there = self._focused is not None and isValid(self._focused) and self._focused.isVisible()
        return not is_there and not focused.testAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
