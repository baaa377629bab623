"""UpdateCard: the one switch of the update check, how it stands, and a question at once."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.settings.form import Card, Row, Switch, make_button
from app.settings.preferences import Settings, UpdateChoice
from app.theme.theme import Theme
from app.updates.release import host_of
from app.updates.updates import NOWHERE, Updates


class UpdateCard(Card):
    def __init__(self, theme: Theme, settings: Settings, updates: Updates) -> None:
        self._settings = settings
        self._updates = updates
        self.switch = Switch(theme)
        self.check = make_button("Check now", updates.ask, name="Check for a newer release now")
        self.open_page = make_button(
            "Open its page", self._open, name="Open the page of the newer release", kind="link"
        )
        self.switch_row = Row("Look for a newer release", self.switch, purpose(updates.address))
        self.state_row = Row("Latest release", self._buttons())
        super().__init__(theme, self.switch_row, self.state_row)
        self.switch.toggled.connect(lambda is_on: self._change(UpdateChoice(is_on)))
        updates.changed.connect(self.refresh)
        self.refresh()

    def _buttons(self) -> QWidget:
        holder = QWidget()
        holder.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        line = QHBoxLayout(holder)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        for button in (self.open_page, self.check):
            line.addWidget(button)
        return holder

    def restore(self) -> None:
        self._change(UpdateChoice())

    def refresh(self) -> None:
        updates = self._updates
        self.switch.set_on(updates.is_on)
        self.switch.setEnabled(bool(updates.address))
        self.check.setEnabled(updates.can_ask)
        self.open_page.setVisible(updates.newer is not None)
        self.state_row.setVisible(bool(updates.address))
        self.state_row.set_sentence(updates.words)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()  # what it says of the time

    def _change(self, choice: UpdateChoice) -> None:
        self._settings.change(replace(self._settings.preferences, updates=choice))

    def _open(self) -> None:
        if (newer := self._updates.newer) is not None:
            QDesktopServices.openUrl(QUrl(newer.page))


def purpose(address: str) -> str:
    """What the switch does, and whom it asks."""
    if not address:
        return NOWHERE
    return (
        f"Asks {host_of(address)} once a day which release is the latest, and says so where it is newer. "
        "Nothing of yours is sent, and nothing is downloaded."
    )
