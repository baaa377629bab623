"""The page "Models and presets": what holds for chats with a model, and the presets that any chat can take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.bridge import EngineBridge
from app.chat.plan import Planner
from app.conversations.deletion import UNDO_MILLISECONDS
from app.conversations.records import Conversation
from app.figures import write_amount
from app.frame.focus_order import in_order
from app.models.names import model_name
from app.settings.form import Choice, Heading, SettingsPage, make_button
from app.settings.model_form import ModelForm
from app.settings.preferences import ModelChoice, Settings
from app.settings.preset_form import PresetForm
from app.settings.preset_list import WIDTH as LIST_WIDTH
from app.settings.preset_list import PresetList
from app.settings.presets import DEFAULT, DEFAULT_ID
from app.settings.split import Split
from app.settings.system_prompt import SystemPrompt
from app.statistics.sizes import scaled
from app.theme.labels import StartLabel
from app.theme.theme import Theme
from engine.messages import CountTokens, ModelFacts, Turn

TITLE = "Models and presets"
SENTENCE = "What replies are made with. A change acts on the next reply."
EMPTY = "An empty field is as the model says; that stands in it in grey."
QWIDGETSIZE_MAX = (1 << 24) - 1  # Qt's own, which its Python module does not have
NARROW = 560  # px of content at 100 %, below which the list stands above the preset


class ModelsAndPresetsPage(SettingsPage):
    drafters_asked = Signal(str)  # choose a drafter for this target

    def __init__(
        self,
        theme: Theme,
        settings: Settings,
        planner: Planner,
        bridge: EngineBridge,
        *,
        targets: Callable[[], Sequence[str]] = tuple,
        chats: Callable[[], Iterable[Conversation]] = tuple,
        name_of: Callable[[str], str] = model_name,
        parent: QWidget | None = None,
    ) -> None:
        """`targets` gives the models that are on this computer, `chats` all that are listed."""
        self.model = Choice(theme, name="Choose the model")
        super().__init__(theme, TITLE, SENTENCE, parent=parent)
        self._settings = settings
        self._planner = planner
        self._presets = planner.presets
        self._targets = targets
        self._name_of = name_of
        self._chats = chats
        self.models = ModelForm(theme, settings, planner, bridge)
        self.prompt = SystemPrompt(bridge, self._question)
        self.list = PresetList(self._presets)
        self.form = PresetForm(theme, self._presets, self.prompt)
        self.used = StartLabel("", "small", "secondary")
        self.duplicate = make_button("Duplicate", self._duplicate, name="Duplicate this preset")
        self.delete = make_button("Delete", self._delete, name="Delete this preset")
        self.new = make_button("New preset", self._add, name="Make a new preset", kind="link")
        self.undo = make_button("Undo", self._undo, name="Undo the deletion of the preset", kind="link")
        self._undo_timer = QTimer(self)
        self._undo_timer.setSingleShot(True)
        self._undo_timer.setInterval(UNDO_MILLISECONDS)
        self._fill()
        self._connect()
        self.refresh()

    def _fill(self) -> None:
        self.add(Heading("Chats with one model", self.model))
        self.add(self.models)
        self.add(Heading("Presets", self.new))
        split = Split(self, NARROW, self._take_place)
        split.parts.addWidget(self.list)
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addWidget(self.form)
        column.addWidget(StartLabel(EMPTY, "small", "secondary"))
        column.addLayout(self._foot())
        split.parts.addLayout(column, 1)
        self.add(split)

    def _foot(self) -> QHBoxLayout:
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.used, 1)
        for button in (self.undo, self.duplicate, self.delete):
            foot.addWidget(button)
        self.undo.hide()
        return foot

    def _connect(self) -> None:
        self.model.chosen.connect(self._choose_model)
        self.models.drafters_asked.connect(self.drafters_asked)
        self.models.inspected.connect(self._take_facts)
        self.list.chosen.connect(lambda preset_id: self._show_preset())
        self.list.delete_asked.connect(lambda preset_id: self._delete())
        self._undo_timer.timeout.connect(self._end_undo)
        self._settings.changed.connect(lambda before, after: self.refresh())
        self._presets.changed.connect(self.refresh)
        self._presets.trouble.connect(self._tell)
        self.restore_asked.connect(self._restore)

    def _order(self) -> None:
        """As Tab goes through them."""
        numbers = self.form.numbers.values()
        chain: list[QWidget] = [self.model, self.models.context, self.models.bits, self.models.choose_drafter]
        chain += [self.models.preset, self.new, self.list, self.form.name, self.prompt.area, *numbers]
        in_order([*chain, self.form.stops, self.undo, self.duplicate, self.delete, self.restore])

    def refresh(self) -> None:
        """Take what was changed anywhere."""
        self._show_models(self.models.target or self._planner.target)
        self.list.refresh()
        self._show_preset()

    def choose_model(self, target: str) -> None:
        self._show_models(target)

    def choose_preset(self, preset_id: str) -> None:
        self.list.choose(preset_id)
        self.show_part(self.form)

    # The model

    def _show_models(self, target: str) -> None:
        known = dict.fromkeys((self._planner.target, *self._targets(), target))
        self.model.show_options([(one, self._name_of(one)) for one in known])
        self.model.choose(target)
        self.models.show_model(target)

    def _choose_model(self, target: str) -> None:
        self.models.show_model(target)
        self.prompt.count_again()

    def _take_facts(self, facts: ModelFacts | None) -> None:
        self.form.show_defaults(facts.sampling if facts else None)

    def _question(self, turns: tuple[Turn, ...]) -> CountTokens:
        return CountTokens(0, self.models.target, turns, template=self.models.choice.template)

    # The presets

    def _show_preset(self) -> None:
        preset = self.list.preset
        self.form.show_preset(preset)
        self.delete.setEnabled(preset.id != DEFAULT_ID)
        if self._undo_timer.isActive():
            return
        num_chats = sum(one.preset == preset.id for one in self._chats())
        self.used.setText(f"Used by {write_amount(num_chats, 'chat')}" if num_chats else "Used by no chat")

    def _add(self) -> None:
        self.list.choose(self._presets.add().id)
        self.form.name.setFocus()
        self.form.name.selectAll()

    def _duplicate(self) -> None:
        self.form.prompt.area.flush()
        self.list.choose(self._presets.duplicate(self.list.preset.id).id)

    def _delete(self) -> None:
        preset = self.list.preset
        if self._presets.delete(preset.id):
            self._undo_timer.start()
            self.undo.show()
            self.used.setText(f"Deleted “{preset.name}”.")

    def _undo(self) -> None:
        preset = self._presets.undo_deletion()
        self._end_undo()
        if preset is not None:
            self.list.choose(preset.id)

    def _end_undo(self) -> None:
        self._undo_timer.stop()
        if self.undo.hasFocus():
            self.list.setFocus()
        self.undo.hide()
        self._show_preset()

    def _tell(self, sentence: str) -> None:
        self.used.setText(sentence)

    def _restore(self) -> None:
        """Of the model that is shown, and of the default preset; the user's own presets stay."""
        template = self.models.choice.template  # of another page
        self._settings.change_model(self.models.target, ModelChoice(template=template))
        self._presets.change(DEFAULT)

    # Seen or not

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._order()  # here, as Qt puts nothing behind the last widget of a window
        self.refresh()
        self.prompt.count_again()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.models.stop()
        self.prompt.stop()

    def _take_place(self, is_narrow: bool) -> None:
        self.list.setMaximumWidth(scaled(LIST_WIDTH) if not is_narrow else QWIDGETSIZE_MAX)
