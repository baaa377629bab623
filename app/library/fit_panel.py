"""FitPanel: what a model takes of the memory that the system allows, and what it is to be used for."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.figures import write_amount
from app.library.fit import KV_BITS, Fit, Plan, contexts_of, write_gigabytes
from app.library.fits import Fits
from app.library.found_model import FoundModel
from app.models.names import model_name
from app.settings.choice import Choice
from app.settings.preferences import ModelChoice, Settings
from app.statistics.shares import Share
from app.statistics.stack import ShareRows
from app.system.machine import PLACE
from app.theme.labels import StartLabel
from app.theme.theme import Theme

TABS = (1, 2, 3, 4, 6, 8)
MUCH_MORE = 2  # times the bytes of its files, from which on a model's weights in memory are explained
WIDENED = f"The weights take more in memory than their files: {PLACE} computes them in 32 bits."
SYSTEM = "macOS" if sys.platform == "darwin" else "the system"


class FitPanel(QWidget):
    """A choice of context or bits is the model's own from then on; that of tabs is for the question, of all models."""

    def __init__(self, theme: Theme, settings: Settings, fits: Fits, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._fits = fits
        self._model: FoundModel | None = None
        self.question = StartLabel("Will it fit?", "interface-strong", wraps=False)
        self.answer = StartLabel("", "interface", "target")
        self.problem = StartLabel("", "interface", "alert")  # why there is no answer
        self.stack = ShareRows(theme, "What it takes of the memory")
        self.widened = StartLabel(WIDENED, "small", "caption")
        self.limit = StartLabel("", "small", "caption")
        self.context = Choice(theme, name="Context in tokens")
        self.tabs = Choice(theme, name="Tabs that run at once")
        self.bits = Choice(theme, [(str(bits), write_bits(bits)) for bits in KV_BITS], "Bits of the model cache")
        self._lay_out()
        self.context.chosen.connect(lambda key: self._choose_context(int(key)))
        self.bits.chosen.connect(lambda key: self._change(lambda choice: replace(choice, kv_bits=int(key))))
        self.tabs.chosen.connect(lambda key: fits.set_tabs(int(key)))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.question)
        head.addWidget(self.answer, 1)
        choices = QGridLayout()
        choices.setHorizontalSpacing(10)
        choices.setVerticalSpacing(6)
        named = (("Context", self.context, 5), ("Tabs", self.tabs, 3), ("Cache", self.bits, 4))
        for place, (words, choice, share) in enumerate(named):
            choices.addWidget(StartLabel(words, "small", "secondary"), 0, place)
            choices.addWidget(choice, 1, place)
            choices.setColumnStretch(place, share)
            policy = choice.sizePolicy()
            policy.setHorizontalPolicy(policy.Policy.Ignored)
            choice.setSizePolicy(policy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.problem)
        column.addWidget(self.stack)
        column.addWidget(self.widened)
        column.addWidget(self.limit)
        column.addSpacing(6)
        column.addLayout(choices)

    def show_model(self, model: FoundModel) -> None:
        self._model = model
        plan, fit = self._fits.plan_of(model), self._fits.of(model)
        self._show_choices(model, plan)
        problem = self._fits.problem_of(model)
        is_fit = fit is None or fit.verdict.is_fit
        self.answer.setText("" if problem else answer_of(fit))
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.answer.setProperty("kind", "target" if is_fit else "alert")
        self.answer.style().polish(self.answer)
        self.stack.setVisible(fit is not None)
        self.limit.setVisible(fit is not None)
        self.widened.setVisible(fit is not None and fit.estimate.weight_bytes > MUCH_MORE * model.num_bytes > 0)
        if fit is not None:
            self._show_stack(model, fit)

    def _show_choices(self, model: FoundModel, plan: Plan) -> None:
        lengths = sorted({*contexts_of(model.context_length), plan.context_length})
        self.context.show_options([(str(length), f"{length:,}") for length in lengths])
        self.context.choose(str(plan.context_length))
        self.tabs.show_options([(str(count), str(count)) for count in sorted({*TABS, plan.num_tabs})])
        self.tabs.choose(str(plan.num_tabs))
        self.bits.choose(str(plan.kv_bits))

    def _show_stack(self, model: FoundModel, fit: Fit) -> None:
        shares = shares_of(fit)
        together = Share("Together", write_gigabytes(fit.needed_bytes))
        limit = fit.estimate.limit_bytes
        words = f"{fit.sentence.rstrip('.')}. {write_gigabytes(fit.needed_bytes)} of {write_gigabytes(limit)}."
        self.stack.show_shares((*shares, together), words, ("Part", "Memory"), bands=shares, whole=max(limit, 1))
        self.limit.setText(f"The full bar is what {SYSTEM} allows models: {write_gigabytes(limit)}.")

    def _choose_context(self, length: int) -> None:
        """All that it reads is kept as 0, should that be more one day."""
        own = self._model.context_length if self._model is not None else 0
        self._change(lambda choice: replace(choice, context_length=0 if length == own else length))

    def _change(self, change: Callable[[ModelChoice], ModelChoice]) -> None:
        if self._model is not None:
            target = self._model.target
            self._settings.change_model(target, change(self._settings.preferences.model(target)))


def answer_of(fit: Fit | None) -> str:
    """ "Yes, 2.3 GB to spare", or the way in which it would."""
    if fit is None:
        return "Asking"
    if fit.left_bytes >= 0:
        return f"Yes, {write_gigabytes(fit.left_bytes)} to spare"
    return "With one tab" if fit.fits_with_one_tab else f"No. {fit.sentence}"


def shares_of(fit: Fit) -> tuple[Share, ...]:
    estimate, plan = fit.estimate, fit.plan
    drafter = f"Drafter: {model_name(plan.drafter.partition(':')[2])}" if ":" in plan.drafter else ""
    cache = f"Model cache, {write_amount(plan.num_tabs, 'tab')} at {plan.context_length:,}"
    parts = (
        ("Model weights in memory", estimate.weight_bytes, "target"),
        (drafter, estimate.drafter_bytes, "draft_fill"),
        (cache, estimate.kv_bytes, "ink2"),
        ("Working memory", estimate.working_bytes, "edge"),
    )
    return tuple(Share(name, write_gigabytes(amount), amount, tone) for name, amount, tone in parts if name)


def write_bits(bits: int) -> str:
    return f"{bits}-bit" if bits else "Full"
