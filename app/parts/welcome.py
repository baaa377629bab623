"""WindowWelcome: the first page of a window, the models that it offers, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject

from app.chat.notes import Action, Note
from app.chat.tab import ChatTab
from app.library.found_model import FoundModel
from app.library.none_here import no_model_words
from app.settings.preferences import Settings
from app.system.machine import PLACE
from app.tabs.workspace import Workspace

SUBJECT = "no model"
REFUSAL = f"No model is on {PLACE}. Find one, or add a folder that has one."


class WindowWelcome(QObject):
    """`find_model` and `add_folder` are where more models come from; without them nothing is offered."""

    def __init__(self, workspace: Workspace, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.find_model: Callable[[], object] | None = None
        self.add_folder: Callable[[], object] | None = None
        self._workspace = workspace
        self._settings = settings
        self._models: Sequence[FoundModel] = ()
        self._has_none = False
        workspace.alike.do_to_each(self._serve)

    def show(self) -> None:
        """In an empty chat, whatever was sent before."""
        self._workspace.new_tab().empty.greet()

    def take_chats(self, has_chats: bool) -> None:
        """It greets until the first message is sent, and never again by itself."""
        preferences = self._settings.preferences
        if has_chats and not preferences.was_welcomed:
            self._settings.change(replace(preferences, was_welcomed=True))
        self._workspace.alike.show_welcome(not has_chats and not preferences.was_welcomed)

    def take_models(self, models: Sequence[FoundModel], *, is_certain: bool = True) -> None:
        """Those on this computer, the packaged one too; `is_certain` that there are no others."""
        self._models, self._has_none = models, is_certain and all(model.refusal for model in models)
        for tab in self._workspace.tabs:
            self._offer(tab)
        if self._has_none:
            offered = [(Action.ADD_FOLDER, self.add_folder), (Action.FIND_MODEL, self.find_model)]
            actions = tuple(action for action, deed in offered if deed is not None)
            self._workspace.alike.show(SUBJECT, Note(no_model_words(), actions), self._act)
            self._workspace.alike.refuse(SUBJECT, REFUSAL)
        else:
            self._workspace.alike.refuse(SUBJECT, "")

    def _serve(self, tab: ChatTab) -> None:
        tab.empty.welcome.find_asked.connect(self._find)
        self._offer(tab)

    def _offer(self, tab: ChatTab) -> None:
        can_find = self.find_model is not None
        tab.empty.welcome.show_models(self._models, has_none=self._has_none, can_find=can_find)

    def _find(self) -> None:
        if self.find_model is not None:
            self.find_model()

    def _act(self, action: Action) -> None:
        self.take_models(self._models)  # the note stays until there is a model
        deed = self.add_folder if action is Action.ADD_FOLDER else self.find_model
        if deed is not None:
            deed()
