"""FooterWords: what the sidebar's footer says of replies and model."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.figures import write_amount, write_rate
from app.models.chooser import ModelChooser
from app.models.state import State
from app.sidebar.footer import Footer
from app.statistics.history import History
from app.tabs.workspace import Workspace

WORDS = {
    State.AWAY: "Not loaded",
    State.LOADING: "Loading",
    State.LOADED: "Ready",
    State.LEAVING: "Ready",
    State.FAILED: "Not ready",
}


class FooterWords(QObject):
    def __init__(self, footer: Footer, workspace: Workspace, chooser: ModelChooser, history: History) -> None:
        super().__init__(footer)
        self._footer = footer
        self._workspace = workspace
        self._chooser = chooser
        self._history = history
        for changed in (workspace.changed, chooser.changed, history.changed):
            changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        if num_running := len(self._workspace.busy_sessions):
            rate = self._history.rate
            words = f"{write_amount(num_running, 'reply')} running", write_rate(rate) if rate > 0 else ""
        else:
            words = WORDS[self._chooser.state], self._chooser.name
        self._footer.set_words(*words)
