"""ModelDetail: what is known of one model, whether it fits, and what can be done with it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.figures import in_words
from app.library.fit_panel import FitPanel
from app.library.fits import Fits
from app.library.found_model import FoundModel
from app.library.holding import hold_of, is_leaving, state_of
from app.library.removal import refusal_of
from app.models.chooser import ModelChooser
from app.settings.form import make_button
from app.settings.preferences import Settings
from app.shown_paths import write_place
from app.statistics.sizes import scaled
from app.theme.labels import StartLabel
from app.theme.theme import Theme

WIDTH, SIDE = 352, 26
LINK_PAD = 10  # px around the words of a link, which stand in line with the others
SHOW = "Show in Finder" if sys.platform == "darwin" else "Show in file manager"
DRAFTS = "It drafts for the model that it was made for. Choose it in Settings, under Drafters."


class ModelDetail(QFrame):
    load_asked = Signal(object)  # FoundModel
    chat_asked = Signal(object)
    delete_asked = Signal(object)
    show_asked = Signal(object)
    left = Signal()  # back to the list, where the two do not stand side by side

    def __init__(
        self,
        theme: Theme,
        settings: Settings,
        chooser: ModelChooser,
        fits: Fits,
        num_running: Callable[[], int],
        is_coming: Callable[[str], bool],
        parent: QWidget | None = None,
    ) -> None:
        """`is_coming` says whether a repository is being downloaded."""
        super().__init__(parent)
        self._theme = theme
        self._chooser = chooser
        self._fits = fits
        self._num_running = num_running
        self._is_coming = is_coming
        self.model: FoundModel | None = None
        self.back = make_button("All models", self.left.emit, name="Go back to the models", kind="link")
        self.name = StartLabel("", "heading", "title")
        self.facts = StartLabel("", "small", "secondary")
        self.reason = StartLabel("", "interface", "secondary")  # why it cannot be used, or what it is for
        self.fit = FitPanel(theme, settings, fits)
        self.wait = StartLabel("", "small", "secondary")
        self.load = self._button("Load", lambda: self._load(), "primary")
        self.chat = self._button("New chat…", lambda: self.chat_asked.emit(self.model))
        self.place = StartLabel("", "small", "secondary")
        self.show_files = self._button(SHOW, lambda: self.show_asked.emit(self.model), "link")
        self.delete_button = self._button("Delete…", lambda: self.delete_asked.emit(self.model), "link")
        self.kept = StartLabel("", "small", "caption")  # why it cannot be deleted
        self._lay_out()
        theme.tokens_changed.connect(self._fit_width)
        self._fit_width()

    def _button(self, words: str, do: Callable[[], object], kind: str = "plain") -> QPushButton:
        return make_button(words, do, kind=kind)

    def _lay_out(self) -> None:
        content = QWidget()
        whole_column, column = QVBoxLayout(content), QVBoxLayout()
        whole_column.setContentsMargins(SIDE - LINK_PAD, 20, SIDE - LINK_PAD, 16)
        column.setContentsMargins(LINK_PAD, 0, LINK_PAD, 0)
        for one in (whole_column, column):
            one.setSpacing(4)
        deeds = QHBoxLayout()
        deeds.setSpacing(8)
        deeds.addWidget(self.load)
        deeds.addWidget(self.chat)
        deeds.addStretch(1)
        for part in (self.back, self.name, self.facts, self.reason):
            column.addWidget(part)
        column.addSpacing(14)
        column.addWidget(self.fit)
        column.addSpacing(8)
        column.addWidget(self.wait)
        column.addSpacing(8)
        column.addLayout(deeds)
        column.addStretch(1)
        column.addSpacing(20)
        for part in (self.place, self.kept):
            column.addWidget(part)
        foot = QHBoxLayout()
        foot.addWidget(self.show_files)
        foot.addStretch(1)
        foot.addWidget(self.delete_button)
        whole_column.addLayout(column, 1)
        whole_column.addLayout(foot)
        self._scroll = QScrollArea(self)
        self._scroll.setWidget(content)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(1, 0, 0, 0)
        whole.addWidget(self._scroll)

    def set_over(self, is_over: bool) -> None:
        """Over the list there is a way back to it."""
        self.back.setVisible(is_over)
        self.name.setContentsMargins(0, 8 if is_over else 0, 0, 0)
        self._is_over = is_over
        self._fit_width()

    def _fit_width(self) -> None:
        is_over = getattr(self, "_is_over", False)
        self.setMinimumWidth(0 if is_over else scaled(WIDTH))
        self.setMaximumWidth(16_777_215 if is_over else scaled(WIDTH))
        self.update()

    def show_model(self, model: FoundModel | None) -> None:
        """Show what is known at this moment; call again when that changes."""
        self.model = model
        if model is None:
            return
        self.name.setText(f"{model.name}")
        self.facts.setText(model.facts)
        self.facts.setVisible(bool(model.facts))
        self.reason.setText(model.refusal or (DRAFTS if model.drafter else ""))
        self.reason.setVisible(bool(self.reason.text()))
        can_run = not model.refusal and not model.drafter
        self.fit.setVisible(can_run)
        if can_run:
            self.fit.show_model(model)
        self._show_deeds(model, can_run or self._chooser.has_in_memory(model.target))
        self._show_files(model)

    def _show_deeds(self, model: FoundModel, can_run: bool) -> None:
        """One that is in memory answers without its files too."""
        chooser = self._chooser
        is_chosen = model.target == chooser.target
        self.load.setVisible(can_run)
        self.chat.setVisible(can_run)
        words = self._load_words(model, is_chosen)
        self.load.setText(words)
        self.load.setAccessibleName(f"{words}: {model.name}")
        self._allow(not self._obstacle_of(model))
        self.wait.setText(self._wait_words(model, is_chosen) if can_run else "")
        self.wait.setVisible(bool(self.wait.text()))
        self.load.setToolTip(self._obstacle_of(model))
        self.load.setAccessibleDescription(self._obstacle_of(model))

    def _allow(self, can_load: bool) -> None:
        """What cannot be done is not what the page is for."""
        self.load.setEnabled(can_load)
        self.chat.setEnabled(can_load)
        kind = "primary" if can_load else "plain"
        if self.load.property("kind") != kind:
            self.load.setProperty("kind", kind)
            self.load.style().polish(self.load)

    def _obstacle_of(self, model: FoundModel) -> str:
        """Why it cannot be loaded, a sentence; what is loaded can be let go, and a load be stopped."""
        is_loading = model.target == self._chooser.target and self._chooser.is_loading
        if is_loading or self._chooser.has_in_memory(model.target):
            return ""
        return self._fits.problem_of(model) or self._fits.refusal_of(model)

    def _load_words(self, model: FoundModel, is_chosen: bool) -> str:
        if is_leaving(model.target, self._chooser):
            return "Keep loaded"
        if is_chosen and self._chooser.is_loading:
            return "Stop loading"
        if is_chosen and self._chooser.is_loaded:
            return "Eject"
        return "Load after the replies" if self._num_running() and self._chooser.is_loaded else "Load"

    def _wait_words(self, model: FoundModel, is_chosen: bool) -> str:
        """What loading it does to the one that is loaded."""
        if is_chosen:
            return self._chooser.words or self._chooser.error
        if self._chooser.has_in_memory(model.target):
            return f"{state_of(model.target, self._chooser)}."
        if not self._chooser.is_loaded:
            return ""
        count = self._num_running()
        if not count:
            return f"{self._chooser.name} is unloaded first."
        ended = "running reply has" if count == 1 else f"{in_words(count)} running replies have"
        return f"{self._chooser.name} is unloaded first, once its {ended} ended."

    def _show_files(self, model: FoundModel) -> None:
        path = model.target if model.is_gguf or model.repo_id else model.folder
        self.place.setText(write_place(Path(path)).replace("/", "/\u200b") if path else model.place)
        self.show_files.setVisible(bool(path) and not model.is_gone)
        refusal = self.refusal_of(model)
        self.delete_button.setEnabled(not refusal)
        self.delete_button.setVisible(not model.is_gone)
        self.kept.setText("" if model.is_gone else refusal)
        self.kept.setVisible(bool(self.kept.text()))

    def refusal_of(self, model: FoundModel) -> str:
        """Why its files cannot be deleted at this moment, a sentence; "" where they can."""
        hold = hold_of(model.target, self._chooser)
        return refusal_of(model, hold=hold, is_coming=self._is_coming(model.repo_id))

    def _load(self) -> None:
        if self.model is None:
            return
        is_chosen = self.model.target == self._chooser.target
        if is_chosen and self._chooser.is_loading:
            self._chooser.stop()
        elif is_chosen and self._chooser.can_eject:
            self._chooser.eject()
        else:
            self.load_asked.emit(self.model)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens, painter = self._theme.tokens, QPainter(self)
        painter.fillRect(self.rect(), QColor(tokens.sidebar))
        if not getattr(self, "_is_over", False):
            edge = self.width() - 1 if self.isRightToLeft() else 0
            painter.fillRect(edge, 0, 1, self.height(), QColor(tokens.line))
