"""AppearancePage: light or dark, how large texts are, how wide a chat is, and what moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.settings.form import Card, NumberField, Row, SettingsPage, Slider, Switch
from app.settings.preferences import Looks, Preferences, Settings
from app.statistics.segments import Segments
from app.theme.appearance import TEXT_SIZES
from app.theme.theme import Theme

NAME = "Appearance"
SCHEMES = (("system", "System"), ("light", "Light"), ("dark", "Dark"))
LEAST_COLUMN, MOST_COLUMN = 480, 1200  # px
STEP = 5  # % of the text size
MOTION = "The marks of a running reply stand still."
TINT = "What the drafter wrote and the model accepted, behind the text of each reply."


class AppearancePage(SettingsPage):
    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__(theme, NAME)
        self._settings = settings
        self.scheme = Segments(theme, "Colours")
        self.scheme.show_segments(SCHEMES)
        self.text_size = Slider(theme, TEXT_SIZES[0], TEXT_SIZES[-1], lambda size: f"{size}\u00a0%", step=STEP)
        self.column = NumberField(theme, LEAST_COLUMN, MOST_COLUMN, unit="px", can_be_empty=False)
        self.motion, self.tint = Switch(theme), Switch(theme)
        self.add(
            Card(
                theme,
                Row("Colours", self.scheme),
                Row("Text size", self.text_size),
                Row("Column", self.column, "How wide the text of a chat may be."),
                Row("Reduce motion", self.motion, MOTION),
                Row("Tint drafted text", self.tint, TINT),
            )
        )
        self.scheme.chosen.connect(lambda key: self._change(scheme=key))
        self.text_size.changed.connect(lambda size: self._change(text_size=size))
        self.column.changed.connect(lambda width: self._change(column_width=width))
        self.motion.toggled.connect(lambda is_on: self._change(reduces_motion=is_on))
        self.tint.toggled.connect(lambda is_on: self._change(tints=is_on))
        self.restore_asked.connect(lambda: settings.change(replace(settings.preferences, looks=Looks())))
        settings.changed.connect(self._show)
        self._show(settings.preferences, settings.preferences)

    def _change(self, **changes: Any) -> None:
        preferences = self._settings.preferences
        self._settings.change(replace(preferences, looks=replace(preferences.looks, **changes)))

    def _show(self, before: Preferences, preferences: Preferences) -> None:
        looks = preferences.looks
        self.scheme.blockSignals(True)
        self.scheme.choose(looks.scheme)
        self.scheme.blockSignals(False)
        self.scheme.update()
        self.text_size.set_value(looks.text_size)
        self.column.show_value(looks.column_width)
        self.motion.set_on(looks.reduces_motion)
        self.tint.set_on(looks.tints)
