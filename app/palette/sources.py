"""Where the palette's entries come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtGui import QAction, QKeySequence

from app.conversations.catalogue import Catalogue
from app.conversations.records import Conversation
from app.conversations.titles import NEW_TITLE
from app.figures import write_bytes
from app.frame.action_keys import ActionKeys
from app.library.found_model import FoundModel
from app.models.chooser import ModelChooser
from app.palette.entries import Entry
from app.settings.drafters.automatic_card import TITLE as AUTOMATIC_TITLE
from app.settings.drafters.candidate import Candidate
from app.settings.preferences import AUTOMATIC
from app.settings.presets import Presets
from app.sidebar.results import write_day

CHAT, MODEL, PRESET, DRAFTER = "Chat", "Model", "Preset", "Drafter"
PALETTE = "palette"  # the name of the action that opens it
IN_USE = "in use"
MEASURE = "Measure drafters…"


class ActionSource:
    """The window's actions, in the order of the menus."""

    def __init__(self, keys: ActionKeys, refresh: Callable[[], None]) -> None:
        """`refresh` lets only that be enabled which has an effect now."""
        self._keys = keys
        self._refresh = refresh

    def entries(self) -> Sequence[Entry]:
        self._refresh()
        known = [(name, one.action) for name, one in self._keys.actions.items() if name != PALETTE]
        return [_entry_of(name, action) for name, action in known if action.isVisible()]


def _entry_of(name: str, action: QAction) -> Entry:
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    state = ("on" if action.isChecked() else "off") if action.isCheckable() else ""
    return Entry(
        f"action:{name}",
        action.text().replace("&&", "&"),
        action.trigger,
        detail=lambda: state,
        at_end=keys,
        is_enabled=action.isEnabled(),
    )


class ChatSource:
    """`go` and `open_beside` take the id of a chat; the latest used comes first."""

    def __init__(self, catalogue: Catalogue, go: Callable[[str], object], open_beside: Callable[[str], object]) -> None:
        self._catalogue = catalogue
        self._go = go
        self._open_beside = open_beside

    def entries(self) -> Sequence[Entry]:
        today = datetime.now()
        return [
            Entry(
                f"chat:{chat.id}",
                chat.title or NEW_TITLE,
                partial(self._go, chat.id),
                CHAT,
                detail=partial(_place_of, chat, today),
                open_beside=partial(self._open_beside, chat.id),
            )
            for chat in self._catalogue.conversations
        ]


def _place_of(chat: Conversation, today: datetime) -> str:
    day = write_day(chat.updated_at, today)
    return f"{chat.folder}, {day}" if chat.folder else day


class ModelSource:
    """The models on this computer, as `models` has them at the time."""

    def __init__(self, chooser: ModelChooser, models: Callable[[], Sequence[FoundModel]]) -> None:
        self._chooser = chooser
        self._models = models

    def entries(self) -> Sequence[Entry]:
        return [self._entry_of(model) for model in self._models()]

    def _entry_of(self, model: FoundModel) -> Entry:
        detail = ", ".join(part for part in (model.quantisation, write_bytes(model.num_bytes)) if part)
        return Entry(
            f"model:{model.target}",
            model.name,
            partial(self._chooser.choose, model.target),
            MODEL,
            detail=lambda: detail,
            at_end=IN_USE if model.target == self._chooser.target else "",
            is_enabled=not model.refusal,
            reason=model.refusal,
        )


class PresetSource:
    """`current` is the id of the one that the shown chat has, None where no chat is shown."""

    def __init__(self, presets: Presets, current: Callable[[], str | None], choose: Callable[[str], object]) -> None:
        self._presets = presets
        self._current = current
        self._choose = choose

    def entries(self) -> Sequence[Entry]:
        if (current := self._current()) is None:
            return ()
        return [
            Entry(
                f"preset:{preset.id}",
                f"{PRESET}: {preset.name}",  # so that typing what it is finds it
                partial(self._choose, preset.id),
                at_end=IN_USE if preset.id == current else "",
            )
            for preset in self._presets.all
        ]


class MeasureSource:
    """`show` opens the page on which drafters are measured."""

    def __init__(self, show: Callable[[], object]) -> None:
        self._show = show

    def entries(self) -> Sequence[Entry]:
        return [Entry("measure", MEASURE, self._show)]


class DrafterSource:
    """What may draft for the model; `current` is the shown chat's own choice, None where no chat is shown."""

    def __init__(
        self,
        candidates: Callable[[], Sequence[Candidate]],
        current: Callable[[], str | None],
        choose: Callable[[str], object],
    ) -> None:
        self._candidates = candidates
        self._current = current
        self._choose = choose

    def entries(self) -> Sequence[Entry]:
        if (current := self._current()) is None:
            return ()
        automatic = Entry(
            f"drafter:{AUTOMATIC}",
            AUTOMATIC_TITLE,
            partial(self._choose, AUTOMATIC),
            DRAFTER,
            at_end=IN_USE if current == AUTOMATIC else "",
        )
        return [automatic, *(self._entry_of(one, current) for one in self._candidates())]

    def _entry_of(self, one: Candidate, current: str) -> Entry:
        return Entry(
            f"drafter:{one.drafter}",
            one.name,
            partial(self._choose, one.drafter),
            DRAFTER,
            detail=lambda: one.note,
            at_end=IN_USE if one.drafter == current else "",
            is_enabled=one.fits,
            reason=one.refusal,
        )
