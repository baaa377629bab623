"""NumberField and TextField: what is typed into a form; it counts once the field is left or Enter is pressed."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from PySide6.QtCore import QEvent, QLocale, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from app.statistics.sizes import scaled
from app.theme.fonts import font
from app.theme.theme import Theme


def accept_all(text: str) -> str:
    """Why a text cannot be taken: never."""
    return ""


class TextField(QLineEdit):
    """Paths, addresses and other short texts; `check` gives the sentence for one that is not taken."""

    changed = Signal(str)  # what was typed and accepted
    refused = Signal(str)  # a sentence; "" once all is well

    def __init__(
        self,
        theme: Theme,
        *,
        placeholder: str = "",
        check: Callable[[str], str] = accept_all,
        is_secret: bool = False,
        width: int = 240,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._check = check
        self._width = width
        self._kept = ""
        self.setPlaceholderText(placeholder)
        self.setFont(font("interface"))
        if is_secret:
            self.setEchoMode(QLineEdit.EchoMode.Password)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.editingFinished.connect(self._take)
        theme.tokens_changed.connect(self.updateGeometry)

    def show_text(self, text: str) -> None:
        """Show it without telling of a change; what is being typed stays."""
        self._kept = text
        if not (self.hasFocus() and self.isModified()):
            self.setText(text)
            self.refused.emit("")

    def sizeHint(self) -> QSize:
        return QSize(scaled(self._width), scaled(30))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(scaled(90), self.sizeHint().width()), scaled(30))

    def _take(self) -> None:
        text = self.text().strip()
        self.setModified(False)
        refusal = self._check(text)
        self.refused.emit(refusal)
        if not refusal and text != self._kept:
            self._kept = text
            self.changed.emit(text)


class NumberField(QLineEdit):
    """A number with its unit; an empty one is None, "default" in words."""

    changed = Signal(object)  # int or float, as `decimals` has it, or None
    refused = Signal(str)  # a sentence; "" once all is well

    def __init__(
        self,
        theme: Theme,
        low: float,
        high: float,
        *,
        unit: str = "",
        decimals: int = 0,
        placeholder: str = "default",
        can_be_empty: bool = True,
        width: int = 96,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._range = (low, high)
        self._unit = unit
        self._decimals = decimals
        self._can_be_empty = can_be_empty
        self._width = width
        self._kept: float | None = None
        self.setPlaceholderText(placeholder)
        self.setFont(font("interface"))
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # a number goes before its unit everywhere
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.editingFinished.connect(self._take)
        self.textChanged.connect(self._refit)
        theme.tokens_changed.connect(self._refit)
        self._refit()

    @property
    def value(self) -> float | None:
        return self._kept

    def show_value(self, value: float | None) -> None:
        """Show it without telling of a change; what is being typed stays."""
        self._kept = value
        if not (self.hasFocus() and self.isModified()):
            self.setText("" if value is None else self._write(value))
            self.refused.emit("")

    def sizeHint(self) -> QSize:
        return QSize(scaled(self._width), scaled(30))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _write(self, value: float) -> str:
        written = QLocale().toString(float(value), "f", self._decimals)
        point = QLocale().decimalPoint()
        return written.rstrip("0").rstrip(point) if self._decimals else written

    def _read(self, text: str) -> float | None:
        """None where it is no number; either point is taken."""
        value, is_number = QLocale().toDouble(text)
        if not is_number:
            value, is_number = QLocale.c().toDouble(text.replace(",", ".") if text.count(",") == 1 else text)
        return value if is_number and isfinite(value) else None

    def _take(self) -> None:
        text = self.text().strip().removesuffix(self._unit).strip()
        self.setModified(False)
        value = self._read(text)
        refusal = self._refusal(text, value)
        self.refused.emit(refusal)
        if refusal:
            return
        if value is not None:
            value = round(value, self._decimals) if self._decimals else int(value)
        self.setText("" if value is None else self._write(value))
        if value != self._kept:
            self._kept = value
            self.changed.emit(value)

    def _refusal(self, text: str, value: float | None) -> str:
        low, high = self._range
        span = f"{low:,.10g} to {high:,.10g}{self._unit and chr(0xA0) + self._unit}"
        if not text:
            return "" if self._can_be_empty else f"A number from {span} is needed."
        if value is None:
            return f"“{text}” is no number; {span} can be typed."
        if not self._decimals and value != int(value):
            return f"{self._write_exact(value)} is no whole number; {span} can be typed."
        if value and self._decimals and not round(value, self._decimals):
            return (
                f"{self._write_exact(value)} would count as 0; {self._write_exact(10.0**-self._decimals)} is the least."
            )
        if not low <= value <= high:
            return f"{self._write_exact(value)} is outside {span}."
        return ""

    def _write_exact(self, value: float) -> str:
        return f"{value:,.12g}"

    def _refit(self) -> None:
        room = QFontMetricsF(font("interface")).horizontalAdvance(self._unit) + 5 if self._unit and self.text() else 0
        self.setTextMargins(0, 0, round(room), 0)
        self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._unit or not self.text():
            return
        painter = QPainter(self)
        painter.setFont(font("interface"))
        painter.setPen(QColor(self._theme.tokens.ink3))
        sides = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect().adjusted(0, 0, -9, 0), sides, self._unit)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
