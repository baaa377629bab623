"""BudgetRow: how much the prompt cache may keep on disk, by slider and by number."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.figures import write_bytes
from app.settings.controls import PaintedSlider
from app.settings.fields import NumberField
from app.settings.form import Row
from app.theme.theme import Theme

GB = 1_000_000_000
LEAST_MOST, MOST = 20, 500  # GB at the slider's end: what the disk has, within these
EFFECT = "0 is off."


class BudgetControl(QWidget):
    """The slider goes by whole gigabytes; the field takes megabytes too, and empty it is the default."""

    chosen = Signal(object)  # bytes; 0 is off, None the default

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.slider = PaintedSlider(theme, self)
        self.slider.setTracking(False)
        self.slider.setRange(0, LEAST_MOST)
        self.slider.setAccessibleName("Budget of the prompt cache in gigabytes")
        self.field = NumberField(theme, 0, 100_000, unit="GB", decimals=3, width=92)
        self.field.setAccessibleName("Budget of the prompt cache in gigabytes")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(16)
        line.addWidget(self.slider, 1)
        line.addWidget(self.field)
        self.setFocusProxy(self.slider)
        self.slider.sliderMoved.connect(self.field.show_value)
        self.slider.valueChanged.connect(lambda value: self.chosen.emit(value * GB))
        self.field.changed.connect(lambda value: self.chosen.emit(None if value is None else round(value * GB)))

    def place_knob(self, num_bytes: int) -> None:
        if not self.slider.isSliderDown():
            self.slider.blockSignals(True)
            self.slider.setValue(round(num_bytes / GB))
            self.slider.blockSignals(False)
            self.slider.update()


class BudgetRow(Row):
    chosen = Signal(object)  # as BudgetControl

    def __init__(self, theme: Theme) -> None:
        self._pair = BudgetControl(theme)
        super().__init__("Budget", self._pair, EFFECT, is_wide=True)
        self._choice: int | None = None
        self.slider, self.field = self._pair.slider, self._pair.field
        self._pair.chosen.connect(self.chosen)
        self.field.refused.connect(self.set_problem)

    def show_choice(self, budget_bytes: int | None) -> None:
        """0 is off, None the default."""
        self._choice = budget_bytes
        self.field.show_value(None if budget_bytes is None else round(budget_bytes / GB, 3))
        if budget_bytes is not None:
            self._pair.place_knob(budget_bytes)

    def show_asked(self, budget_bytes: int) -> None:
        """What a question is about, before it is kept."""
        self._pair.place_knob(budget_bytes)

    def show_range(self, budget_bytes: int, used_bytes: int, free_bytes: int | None) -> None:
        """What the engine keeps to, and how far the slider goes on this disk."""
        room = round((used_bytes + (free_bytes or 0)) / GB)
        most = max(LEAST_MOST, min(MOST, room), round(budget_bytes / GB))
        if most != self.slider.maximum() and not self.slider.isSliderDown():
            self.slider.blockSignals(True)
            self.slider.setMaximum(most)
            self.slider.blockSignals(False)
        self.field.setPlaceholderText(write_bytes(budget_bytes) if self._choice is None else "default")
        if self._choice is None:
            self._pair.place_knob(budget_bytes)
