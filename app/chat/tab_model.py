"""TabModel: what a chat shows of the model that answers next, and what is asked of it there."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.chat.composer import Composer
from app.chat.counting import Counting
from app.chat.notes import Action, Note
from app.chat.session import ChatSession
from app.chat.tab_notes import TabNotes
from app.chat.transcript import Transcript
from app.models.chooser import ModelChooser
from app.settings.presets import DEFAULT_ID

MODEL = "model"  # subject of notes


class TabModel(QObject):
    def __init__(
        self,
        chooser: ModelChooser,
        session: ChatSession,
        composer: Composer,
        transcript: Transcript,
        counting: Counting,
        notes: TabNotes,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._chooser = chooser
        self._session = session
        self._composer = composer
        self._transcript = transcript
        self._counting = counting
        self._notes = notes
        composer.foot.load_stop_asked.connect(chooser.stop)
        self._connection = chooser.changed.connect(self.refresh)
        self.refresh()

    def detach(self) -> None:
        """Hear no more of the model: it may be chosen after the tab is gone."""
        QObject.disconnect(self._connection)

    def stop_load(self) -> None:
        self._chooser.stop()

    def refresh(self) -> None:
        chooser, foot = self._chooser, self._composer.foot
        self._composer.set_model(chooser.name, chooser.quantisation)
        self.show_preset()
        foot.set_status(chooser.words, can_stop=chooser.is_loading, keeps_present=chooser.can_keep_present)
        foot.set_switches(chooser.facts.switches if chooser.facts else (), self._session.switches)
        self._counting.refresh()
        self._transcript.set_model(chooser.name)
        if chooser.facts:
            self._transcript.set_reasoning_tags(chooser.facts.reasoning)
        if chooser.error:
            offered = (Action.CHOOSE_MODEL, Action.TRY_AGAIN)
            self._notes.show(MODEL, Note(whole_sentence(chooser.error), offered, is_alert=True), self._act)
        else:
            self._notes.drop(MODEL)

    def show_preset(self) -> None:
        preset = self._session.preset_in_use
        self._composer.foot.set_preset("" if preset.id == DEFAULT_ID else preset.name)

    def _act(self, action: Action) -> None:
        if action is Action.TRY_AGAIN:
            self._chooser.load()
        else:
            self.refresh()  # the note stays until another model answers
            self._composer.foot.model_chip.click()


def whole_sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
