"""ComposerFoot: what holds for the next reply, what it will cost, and Send."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.chat.chips import Chip, SendButton
from app.chat.composer_cost import CostLabel
from app.chat.composer_menus import pop_up, thinking_menu, thinking_words
from app.chat.counting import Cost
from app.theme.buttons import SymbolButton
from app.theme.fonts import font
from app.theme.theme import Theme
from app.tooltips import plain_tooltip
from engine.messages import TemplateSwitch

SPACING = 4
GAP = 8  # before Send
MOST_PRESET = 24  # letters of its name
STEPS_OF_STATUS = ((1, 1, 1, 1), (0, 1, 1, 1), (0, 1, 0, 1), (0, 1, 0, 0), (0, 0, 0, 0))
STOP, STOP_ALONE, KEEP = "Stop", "Stop loading", "Keep the present model"
STOP_NAME = "Stop loading the model"
STEPS = ((1, 1, 1, 1), (0, 1, 1, 1), (0, 0, 1, 1), (0, 0, 0, 1), (0, 0, 0, 0))


class ComposerFoot(QWidget):
    drafter_asked = Signal()  # to choose another
    switches_chosen = Signal(object)  # names and values of the template's switches
    model_asked = Signal()  # to choose another
    load_stop_asked = Signal()  # of the model

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._preset = ("", ""), ""  # name and quantisation; "" is the default preset
        self._is_measured = False  # the drafter: its speed is worth the room
        self._switches: tuple[TemplateSwitch, ...] = ()
        self._chosen: dict[str, str] = {}
        self._cost: Cost | None = None
        self._status = ""
        self._keeps_present = False
        self.attach_button = SymbolButton(theme, "attach", "Attach files", self)
        self.model_chip = Chip(theme, "model", "Model", parent=self)
        self.drafter_chip = Chip(theme, "drafter", "Choose the drafter", "draft", self)
        self.thinking_chip = Chip(theme, "", "Choose how the model thinks", parent=self)
        self.cost = CostLabel(theme, self)
        self.stop_button = make_stop(self)
        self.send_button = SendButton(theme, self)
        self.thinking_chip.hide()
        self._lay_out()
        self.drafter_chip.clicked.connect(self.drafter_asked)
        self.model_chip.clicked.connect(self.model_asked)
        self.stop_button.clicked.connect(self.load_stop_asked)
        self.thinking_chip.clicked.connect(self._open_thinking)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACING)
        for chip in (self.attach_button, self.model_chip, self.drafter_chip, self.thinking_chip):
            row.addWidget(chip)
        row.addStretch(1)
        row.addWidget(self.cost)
        row.addWidget(self.stop_button)
        row.addSpacing(GAP)
        row.addWidget(self.send_button)

    def focus_chain(self) -> tuple[QWidget, ...]:
        return (
            self.attach_button,
            self.model_chip,
            self.drafter_chip,
            self.thinking_chip,
            self.stop_button,
            self.send_button,
        )

    def set_model(self, name: str, quantisation: str) -> None:
        self._model = name, quantisation
        self._name_model()

    def set_preset(self, name: str) -> None:
        """What replies are made with; "" for the default one, which is not named."""
        self._preset = name
        self._name_model()

    def _name_model(self) -> None:
        name, quantisation = self._model[0] or "No model", self._model[1]
        preset = self._preset if len(self._preset) <= MOST_PRESET else f"{self._preset[: MOST_PRESET - 1].rstrip()}…"
        model = f"{name} {quantisation}".rstrip()
        spoken = f"{model}, preset {self._preset}" if self._preset else model
        self.model_chip.set_words(name, quantisation, last=preset, spoken=spoken)
        self.fit()

    def set_drafter(self, name: str, quiet: str = "", *, is_own: bool = False, is_measured: bool = False) -> None:
        """`quiet` is how fast it is; `is_own`: it was chosen for this chat by hand."""
        self._is_measured = is_measured
        self.drafter_chip.set_words(name, quiet, is_strong=is_own)
        self.fit()

    def set_switches(self, switches: tuple[TemplateSwitch, ...], chosen: Iterable[tuple[str, str]]) -> None:
        """What the model's template lets be chosen; where it is nothing the chip is hidden."""
        self._switches, self._chosen = switches, dict(chosen)
        self.thinking_chip.set_words(thinking_words(switches, self._chosen))
        self.thinking_chip.setVisible(bool(switches))
        self.fit()

    def show_cost(self, cost: Cost | None) -> None:
        if not self._status:
            self.cost.show_cost(cost)
            self.fit()
        self._cost = cost

    @property
    def can_stop_load(self) -> bool:
        return not self.stop_button.isHidden()

    def set_status(self, words: str, *, can_stop: bool = False, keeps_present: bool = False) -> None:
        """What the model is doing stands in the place of the cost, until it is ready.

        `keeps_present`: stopping it leaves the model that answers now.
        """
        self._status, self._keeps_present = words, keeps_present
        self.stop_button.setAccessibleName(KEEP if keeps_present else STOP_NAME)
        self.stop_button.setVisible(can_stop)
        if words:
            self.cost.show_words(words)
        else:
            self.cost.show_cost(self._cost)
        self.fit()

    def open_drafters(self) -> None:
        self.drafter_asked.emit()

    def _open_thinking(self) -> None:
        pop_up(thinking_menu(self, self._switches, self._chosen, self._choose_switch), self.thinking_chip)

    def _choose_switch(self, name: str, value: str) -> None:
        chosen = {**self._chosen, name: value}
        self.set_switches(self._switches, ((name, value) for name, value in chosen.items() if value))
        self.switches_chosen.emit(tuple(self._chosen.items()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Say less until everything fits: quantisation, cost, the drafter's name and the preset go in turn.

        What the model is doing stays longer than a cost.
        """
        for shows_quiet, shows_cost, shows_drafter, shows_preset in STEPS_OF_STATUS if self._status else STEPS:
            self.model_chip.set_shown(words=True, quiet=bool(shows_quiet), last=bool(shows_preset))
            shows_speed = bool(shows_quiet) or (self._is_measured and bool(shows_drafter))
            self.drafter_chip.set_shown(words=bool(shows_drafter), quiet=shows_speed)
            self._show_cost_or_not(bool(shows_cost))
            if self._wanted_width() <= self.width():
                break
        self.send_button.set_cost(self.cost.words if self.cost.isHidden() else "")

    def _show_cost_or_not(self, shows_cost: bool) -> None:
        """Without the words beside it the button says alone what it stops, and tells the rest where it is asked."""
        self.cost.setVisible(shows_cost)
        words = "" if shows_cost else self._status
        self.stop_button.setText(KEEP if self._keeps_present else STOP if shows_cost else STOP_ALONE)
        self.stop_button.setToolTip(plain_tooltip(words))
        self.stop_button.setAccessibleDescription(words)

    def _wanted_width(self) -> int:
        shown = [widget for widget in (*self.focus_chain(), self.cost) if not widget.isHidden()]
        widths = [widget.sizeHint().expandedTo(widget.minimumSize()).width() for widget in shown]
        return sum(widths) + SPACING * len(shown) + GAP


def make_stop(parent: QWidget) -> QPushButton:
    button = QPushButton(STOP, parent)
    button.setProperty("kind", "link")
    button.setFont(font("small"))
    button.setAccessibleName(STOP_NAME)
    button.hide()
    return button
