"""WindowPlan: what a window shows of what its replies are made with: two pages of the settings, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.bridge import EngineBridge
from app.chat.notes import Action, Note
from app.chat.plan import Planner
from app.chat.tab import ChatTab
from app.chat.tab_notes import TabNotes
from app.conversations.records import Conversation
from app.models.names import model_name
from app.parts.settings import MODELS, TEMPLATES, WindowSettings
from app.settings.models_page import ModelsAndPresetsPage
from app.settings.preferences import Preferences, Settings
from app.settings.templates_page import TemplatesPage
from app.settings.window import PageEntry
from app.theme.theme import Theme
from engine.messages import Event, ModelLoaded, Notice

if TYPE_CHECKING:
    from app.window import MainWindow

TEMPLATE, PRESETS, SETTINGS = "template", "presets", "settings"  # subjects of notes
NO_TEMPLATE = "has no chat template, as models have that were not made for chats. A plain one is used."


class WindowPlan(QObject):
    def __init__(
        self,
        theme: Theme,
        settings: Settings,
        planner: Planner,
        bridge: EngineBridge,
        pages: WindowSettings,
        notes: TabNotes,
        *,
        chats: Callable[[], Iterable[Conversation]],
        targets: Callable[[], Sequence[str]] = tuple,
        name_of: Callable[[str], str] = model_name,
        show_drafters: Callable[[str], object] = lambda target: None,
        model_of: Callable[[int], str] = lambda request_id: "",
        parent: QObject | None = None,
    ) -> None:
        """`notes` are on what concerns every page; `targets` gives the models that are on this computer.

        `show_drafters` opens the page of those of a target; `model_of` gives that of a reply that runs, by request.
        """
        super().__init__(parent)
        self._theme = theme
        self._settings = settings
        self._planner = planner
        self._bridge = bridge
        self._pages = pages
        self._notes = notes
        self._chats = chats
        self._targets = targets
        self._name_of = name_of
        self._show_drafters = show_drafters
        self._model_of = model_of
        self._told: set[str] = set()  # targets whose template was said to be missing or to fail
        pages.add(PageEntry(MODELS, "model", self._make_models), PageEntry(TEMPLATES, "edit", self._make_templates))
        planner.presets.trouble.connect(self._tell)
        settings.trouble.connect(self._tell_of_settings)
        bridge.received.connect(self._receive)
        settings.changed.connect(self._take_preferences)
        if planner.presets.problem:
            self._tell(planner.presets.problem)
        if settings.problem:
            self._tell_of_settings(settings.problem)

    def show_presets(self, preset_id: str = "") -> None:
        """The page of them, with one of them, or the one that was shown last."""
        self._pages.show(MODELS)
        page = self._pages.window.made_page(MODELS) if self._pages.window else None
        if preset_id and isinstance(page, ModelsAndPresetsPage):
            page.choose_preset(preset_id)

    def serve(self, tab: ChatTab) -> None:
        """Have the note of a reply that reached its limit lead to where that is chosen."""

        def take(action: Action, message_id: str) -> None:
            if action is Action.CHANGE_LIMIT:
                self.show_presets(tab.session.preset_in_use.id)

        tab.transcript.action_chosen.connect(take)

    def show_template(self, target: str = "") -> None:
        """The page of templates, with that of a model, or the one that was shown last."""
        self._pages.show(TEMPLATES)
        page = self._pages.window.made_page(TEMPLATES) if self._pages.window else None
        if target and isinstance(page, TemplatesPage):
            page.choose_model(target)

    async def come_to_rest(self) -> None:
        """Wait until a template that was typed last is taken."""
        page = self._pages.window.made_page(TEMPLATES) if self._pages.window else None
        if isinstance(page, TemplatesPage):
            await page.come_to_rest()

    def _make_models(self) -> ModelsAndPresetsPage:
        page = ModelsAndPresetsPage(
            self._theme,
            self._settings,
            self._planner,
            self._bridge,
            targets=self._targets,
            chats=self._chats,
            name_of=self._name_of,
        )
        page.drafters_asked.connect(lambda target: self._show_drafters(target))
        return page

    def _make_templates(self) -> TemplatesPage:
        return TemplatesPage(
            self._theme,
            self._settings,
            self._bridge,
            lambda: self._planner.target,
            targets=self._targets,
            name_of=self._name_of,
        )

    def _receive(self, event: Event) -> None:
        match event:
            case ModelLoaded(facts=facts) if not (facts.has_template or self._has_other(facts.target)):
                self._offer_template(facts.target, f"{facts.name} {NO_TEMPLATE}")
            case Notice(code="template", text=text):
                self._offer_template(self._model_of(event.request_id) or self._planner.target, text)

    def _has_other(self, target: str) -> bool:
        """Whether another template stands in place of the model's own."""
        return bool(self._settings.preferences.model(target).template)

    def _offer_template(self, target: str, sentence: str) -> None:
        """Say once of a model that its template is missing or fails, and where to put another."""
        if target not in self._told:
            self._told.add(target)
            self._notes.show(
                TEMPLATE,
                Note(sentence, (Action.TEMPLATE, Action.CLOSE)),
                lambda action: self.show_template(target) if action is Action.TEMPLATE else None,
            )

    def _take_preferences(self, before: Preferences, after: Preferences) -> None:
        changed = {one for one in self._told if before.model(one).template != after.model(one).template}
        if changed:
            self._told -= changed
            self._notes.drop(TEMPLATE)

    def _tell(self, sentence: str) -> None:
        self._notes.show(PRESETS, Note(sentence, (Action.CLOSE,), is_alert=True))

    def _tell_of_settings(self, sentence: str) -> None:
        self._notes.show(SETTINGS, Note(sentence, (Action.CLOSE,), is_alert=True))


def plan_of(window: MainWindow, bridge: EngineBridge) -> WindowPlan:
    """That of a window, whose model chip leads to the page of presets from then on."""
    catalogue, popovers = window.catalogue, window.models.popovers
    plan = WindowPlan(
        window.theme,
        window.settings,
        window.models.planner,
        bridge,
        window.settings_pages,
        window.notes,
        chats=lambda: catalogue.conversations,
        targets=lambda: [model.target for model in popovers.models()],
        name_of=lambda target: window.library.whole_name_of(target),
        show_drafters=lambda target: window.drafters.show_drafters(target),
        model_of=window.models.running.model_of,
        parent=window,
    )
    window.workspace.alike.do_to_each(plan.serve)
    popovers.show_presets = plan.show_presets
    return plan
