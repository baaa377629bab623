"""PresetForm: one preset's name, system prompt and sampling, each changed at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.settings.form import SIDE, Card, NumberField, Row, TextField
from app.settings.presets import Preset, Presets
from app.settings.system_prompt import SystemPrompt
from app.settings.text_area import TextArea
from app.theme.labels import StartLabel
from app.theme.theme import Theme
from engine.messages import GREEDY, Sampling

MOST_SEED = 2**32 - 1
NAME_NEEDED = "A name is needed."
STOPS_SENTENCE = "A reply ends before one of these, one a line. \\n stands for the end of a line."


@dataclass(frozen=True, slots=True)
class _Number:
    field: str  # of Preset
    label: str
    low: float
    high: float
    decimals: int
    sentence: str = ""


_NUMBERS = (
    _Number("temperature", "Temperature", 0, 5, 2, "0 always takes the likeliest word."),
    _Number("top_p", "Top-p", 0.001, 1, 3),
    _Number("top_k", "Top-k", 0, 1_000_000, 0),
    _Number("min_p", "Min-p", 0, 1, 3),
    _Number("repetition_penalty", "Repetition", 0.01, 10, 2, "1 is off; more avoids words that were just written."),
    _Number("presence_penalty", "Presence", -2, 2, 2),
    _Number("frequency_penalty", "Frequency", -2, 2, 2),
    _Number("seed", "Seed", 0, MOST_SEED, 0, "The same seed writes the same reply again."),
    _Number("max_tokens", "Limit", 1, 1_000_000, 0, "The most tokens that one reply may have."),
)


class PresetForm(Card):
    def __init__(self, theme: Theme, presets: Presets, prompt: SystemPrompt) -> None:
        super().__init__(theme)
        self._presets = presets
        self._preset_id = ""
        self.name = TextField(theme, check=lambda text: "" if text else NAME_NEEDED, width=320)
        self.prompt = prompt
        self.stops = TextArea("Stops", num_lines=2, placeholder="None")
        self.numbers = {one.field: _number_field(theme, one) for one in _NUMBERS}
        self.add(Row("Name", self.name))
        self.add(_TallRow("System prompt", prompt))
        for one in _NUMBERS:
            self.add(Row(one.label, self.numbers[one.field], one.sentence))
        self.add(_TallRow("Stops", self.stops, STOPS_SENTENCE))
        self.name.changed.connect(lambda name: self._change(name=name))
        prompt.area.changed.connect(lambda text: self._change(system_prompt=text))
        self.stops.changed.connect(lambda text: self._change(stops=read_stops(text)))
        for field, control in self.numbers.items():
            control.changed.connect(lambda value, field=field: self._change(**{field: value}))

    def show_preset(self, preset: Preset) -> None:
        """What was typed for another one is kept there first."""
        if preset.id != self._preset_id:
            self.prompt.area.flush()
            self.stops.flush()
            preset = self._presets.get(preset.id)
            self._preset_id = preset.id
        self.name.show_text(preset.name)
        self.prompt.area.show_text(preset.system_prompt)
        if read_stops(self.stops.toPlainText()) != preset.stops:
            self.stops.show_text(write_stops(preset.stops))
        for field, control in self.numbers.items():
            control.show_value(getattr(preset, field))

    def show_defaults(self, sampling: Sampling | None) -> None:
        """What the model itself asks for stands in the fields that are empty."""
        base = sampling or GREEDY
        for one in _NUMBERS:
            words = "another each" if one.field == "seed" else write_number(getattr(base, one.field), one.decimals)
            self.numbers[one.field].setPlaceholderText(words)
        self.stops.setPlaceholderText(write_stops(base.stops) or "None")

    def _change(self, **values: Any) -> None:
        preset = self._presets.find(self._preset_id)
        if preset is not None:
            self._presets.change(replace(preset, **values))


class _TallRow(QWidget):
    """The label above a control that takes the whole width."""

    def __init__(self, label: str, control: QWidget, sentence: str = "") -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(SIDE, 12, SIDE, 12)
        column.setSpacing(6)
        column.addWidget(StartLabel(label))
        column.addWidget(control)
        if sentence:
            column.addWidget(StartLabel(sentence, "small", "secondary"))
            (control.focusProxy() or control).setAccessibleDescription(sentence)


def _number_field(theme: Theme, one: _Number) -> NumberField:
    width = 120 if one.field == "seed" else 96
    return NumberField(theme, one.low, one.high, decimals=one.decimals, width=width)


def write_number(value: float, decimals: int) -> str:
    written = QLocale().toString(float(value), "f", decimals)
    return written.rstrip("0").rstrip(QLocale().decimalPoint()) if decimals else written


def read_stops(text: str) -> tuple[str, ...]:
    r"""One a line; \n in it is the end of a line, \\ a backslash."""
    lines = (line.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\") for line in text.split("\n"))
    return tuple(line for line in lines if line)


def write_stops(stops: tuple[str, ...]) -> str:
    return "\n".join(stop.replace("\\", "\\\\").replace("\n", "\\n") for stop in stops)
