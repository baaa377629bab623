"""BudgetQuestion: asks before a smaller budget takes something out of the prompt cache."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal

from app.figures import write_bytes
from app.settings.form import make_button
from app.settings.notice import Notice
from app.theme.theme import Theme
from engine.messages import CacheReport


class BudgetQuestion(Notice):
    """`keep` has a budget hold from then on, in bytes; None is the default."""

    answered = Signal()  # another budget may be chosen now

    def __init__(self, theme: Theme, keep: Callable[[int | None], object]) -> None:
        self.no = make_button("Keep", self._forget, name="Keep the cached prompts")
        self.yes = make_button("Remove", self._remove, name="Remove the cached prompts")
        super().__init__(theme, self.no, self.yes)
        self._budget_bytes: int | None = 0
        self._keep = keep

    @property
    def is_asking(self) -> bool:
        return bool(self.text)

    def choose(self, budget_bytes: int | None, report: CacheReport) -> None:
        """Keep it at once where all that is on disk has room in it, or no one may remove anything; else ask."""
        room = (report.default_budget_bytes or report.disk_bytes) if budget_bytes is None else budget_bytes
        num_bytes = report.disk_bytes - room
        if num_bytes <= 0 or report.is_read_only:
            self.say("")
            self._keep(budget_bytes)
            return
        self._budget_bytes = budget_bytes
        self.say(f"Remove {write_bytes(num_bytes)} of cached prompts?")

    def _remove(self) -> None:
        self.say("")
        self._keep(self._budget_bytes)
        self.answered.emit()

    def _forget(self) -> None:
        self.say("")
        self.answered.emit()
