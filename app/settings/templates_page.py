"""The page "Templates": the text that makes a prompt of a chat, beside what it makes of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.asking import RefusedError, ask
from app.bridge import EngineBridge
from app.figures import NO_BREAK, write_count
from app.frame.focus_order import in_order
from app.latest import Latest
from app.models.names import model_name
from app.settings.form import Choice, SettingsPage, make_button
from app.settings.preferences import Settings
from app.settings.rendering import Rendering
from app.settings.split import Split
from app.settings.template_editor import TemplateEditor
from app.settings.template_view import Legend, TemplateView
from app.statistics.segments import Segments
from app.statistics.sizes import scaled
from app.theme.labels import StartLabel
from app.theme.theme import Theme
from engine.messages import ChatTemplate, Event, ModelLoaded, ReadTemplate, RenderedPrompt

TITLE = "Templates"
SENTENCE = "What a chat is turned into before the model reads it. A change acts on the next reply."
OWN = "This is the model's own template."
PLAIN = "The model has no template of its own. This plain one stands in for it; another can be put in its place."
USED = "Replies are made with this template from the next one on."
NOT_USED = "Replies go on with the last template that could be rendered."
LAST = "This is what the last one made that could be rendered."
WITH, WITHOUT = "with", "without"
NARROW, HEIGHT = 620, 420  # px at 100 %: below which the preview stands under the editor; of each


class TemplatesPage(SettingsPage):
    def __init__(
        self,
        theme: Theme,
        settings: Settings,
        bridge: EngineBridge,
        target: Callable[[], str],
        *,
        targets: Callable[[], Sequence[str]] = tuple,
        name_of: Callable[[str], str] = model_name,
        parent: QWidget | None = None,
    ) -> None:
        """`target` gives the model in use, `targets` those that are on this computer."""
        self.model = Choice(theme, name="Choose the model")
        super().__init__(theme, TITLE, SENTENCE, end=self.model, can_restore=False, parent=parent)
        self._settings = settings
        self._bridge = bridge
        self._in_use = target
        self._targets = targets
        self._name_of = name_of
        self._target = ""
        self._own: ChatTemplate | None = None  # once it is known
        self._own_text = ""  # as the editor has it, which knows one kind of line's end
        self._shown = ""  # what was put into the editor
        self._reading = Latest()
        self._rendering = Rendering(bridge, self)
        self.editor = TemplateEditor(theme)
        self.state = StartLabel("", "small", "secondary")
        self.problem = StartLabel("", "small", "alert")
        self.use_own = make_button("Use the model's own", self._use_own)
        self.segments = Segments(theme, "The sample chat")
        self.view = TemplateView(theme)
        self.figures = StartLabel("", "small", "secondary")
        self.notices = StartLabel("", "small", "secondary")
        self._fill(theme)
        self._connect()

    def _fill(self, theme: Theme) -> None:
        self.segments.show_segments(((WITH, "With a system prompt"), (WITHOUT, "Without")))
        for area in (self.editor, self.view):
            area.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            area.setFixedHeight(scaled(HEIGHT))
        split = Split(self, NARROW, self._take_place)
        under = (self.problem, self.state, self.use_own)
        split.parts.addLayout(_column(_heading("Template"), self.editor, *under), 1)
        split.parts.addLayout(_column(self.segments, self.view, Legend(theme), self.figures, self.notices), 1)
        self.add(split)
        self.problem.hide()
        self.notices.hide()

    def _connect(self) -> None:
        self.model.chosen.connect(self.choose_model)
        self.editor.textChanged.connect(lambda: self._render(is_typed=True))
        self.segments.chosen.connect(lambda key: self._render(is_typed=False))
        self._rendering.rendered.connect(self._take_prompt)
        self._rendering.refused.connect(self._take_refusal)
        self._rendering.late.connect(self._show_problem)
        self._settings.changed.connect(lambda before, after: self._show_state())
        self._bridge.received.connect(self._receive)

    def choose_model(self, target: str) -> None:
        """What was typed for another one and could not be rendered is given up."""
        known = dict.fromkeys((self._in_use(), *self._targets(), target))
        self.model.show_options([(one, self._name_of(one)) for one in known])
        self.model.choose(target)
        if target != self._target:
            self._target, self._own = target, None
            self._rendering.stop()
            self._show_text(self._chosen)
        if self._own is None:
            self._reading.begin(self._read)

    @property
    def _chosen(self) -> str:
        """The template that stands in place of the model's own."""
        return self._settings.preferences.model(self._target).template

    def _receive(self, event: Event) -> None:
        """A model that could not be read, as one that was still imported, is there."""
        if isinstance(event, ModelLoaded) and event.facts.target == self._target and self.isVisible():
            self.choose_model(self._target)

    async def _read(self) -> None:
        target = self._target
        try:
            own = await ask(self._bridge, lambda request_id: ReadTemplate(request_id, target), ChatTemplate)
        except RefusedError as error:
            self._show_problem(str(error))
            return
        self._own = own
        self._show_problem("")
        self._show_text(own.text)
        self._own_text = self._shown
        self._show_text(self._chosen or own.text)
        self._show_state()
        self._render(is_typed=False)

    def _show_text(self, text: str) -> None:
        self.editor.blockSignals(True)
        self.editor.show_text(text)
        self.editor.blockSignals(False)
        self._shown = self.editor.toPlainText()
        self.editor.setEnabled(self._own is not None)

    def _render(self, *, is_typed: bool) -> None:
        if self._own is not None:
            has_system = self.segments.key == WITH
            self._rendering.render(self._target, self.editor.toPlainText(), has_system, is_typed=is_typed)

    # What came of it

    def _take_prompt(self, template: str, prompt: RenderedPrompt) -> None:
        self._show_problem("")
        self.view.show_prompt(prompt)
        milliseconds = f"{max(1, round(prompt.render_seconds * 1000)):,}{NO_BREAK}ms"
        self.figures.setText(f"Rendered in {milliseconds}, {write_count(prompt.num_tokens, 'tokens')}.")
        self.notices.setText(" ".join(prompt.notices))
        self.notices.setVisible(bool(prompt.notices))
        self._use(template)

    def _take_refusal(self, template: str, sentence: str) -> None:
        self._show_problem(f"{sentence} {NOT_USED}")
        self.figures.setText(LAST)
        self.editor.mark_fault(sentence)

    def _use(self, template: str) -> None:
        """Let replies be made with a template that was typed and rendered."""
        if template != self._shown:
            self._shown = template
            self._choose("" if template == self._own_text or not template.strip() else template)

    def _choose(self, template: str) -> None:
        choice = self._settings.preferences.model(self._target)
        self._settings.change_model(self._target, replace(choice, template=template))
        self._show_state()

    def _use_own(self) -> None:
        if self._own is not None:
            self._show_text(self._own.text)
            self._choose("")
            self._render(is_typed=False)
            self.editor.setFocus()

    def _show_problem(self, sentence: str) -> None:
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))
        self.state.setVisible(not sentence)
        self.editor.setAccessibleDescription(sentence)
        if not sentence:
            self.editor.mark_fault("")
        self._show_state()

    def _show_state(self) -> None:
        own = self._own
        is_other = own is not None and self.editor.toPlainText() != self._own_text
        self.state.setText("" if own is None else USED if self._chosen else OWN if own.is_own else PLAIN)
        self.use_own.setEnabled(bool(self._chosen) or is_other)

    # Seen or not

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        in_order((self.model, self.editor, self.use_own, self.segments, self.view))
        self.choose_model(self._target or self._in_use())
        self._render(is_typed=False)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._reading.drop()
        self._rendering.finish()

    async def come_to_rest(self) -> None:
        """Wait until what was typed last is taken or refused, a second at most."""
        await self._rendering.come_to_rest()

    def _take_place(self, is_narrow: bool) -> None:
        for area in (self.editor, self.view):
            area.setFixedHeight(scaled(HEIGHT))


def _heading(words: str) -> StartLabel:
    """As high as the control beside it."""
    label = StartLabel(words, "interface-medium", "secondary")
    label.setMinimumHeight(scaled(30))
    return label


def _column(*parts: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(8)
    for part in parts:
        column.addWidget(part)
    column.addStretch(1)
    return column
