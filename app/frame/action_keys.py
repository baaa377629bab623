"""ActionKeys: the shortcuts of the window's actions, each its own unless a user chose others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from app.settings.preferences import Preferences, Settings

FIXED = {  # what else has keys of its own, which stay
    "Return": "Send",
    "Shift+Return": "A new line",
    "Esc": "Close, or stop the reply",
    "Tab": "Next control",
    "Shift+Tab": "Previous control",
    "Ctrl+C": "Copy",
    "Ctrl+V": "Paste",
    "Ctrl+X": "Cut",
    "Ctrl+A": "Select all",
} | {f"Ctrl+{number}": f"Tab {number}" for number in range(1, 10)}
_MODIFIERS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_EDITING = ("Move", "Select", "Delete", "Copy", "Cut", "Paste", "InsertParagraph", "InsertLine")  # of Qt's names
_ALONE = {Qt.Key(key) for key in range(Qt.Key.Key_F1, Qt.Key.Key_F35 + 1)}


@dataclass(frozen=True, slots=True)
class KnownAction:
    name: str  # by which preferences know it; never changed
    group: str  # the title of its menu
    action: QAction
    own: tuple[str, ...]  # its own keys, as QKeySequence writes them everywhere alike


def native(keys: str) -> str:
    """ "Ctrl+D" as this system writes it: ⌘D on macOS."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


class ActionKeys(QObject):
    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.actions: dict[str, KnownAction] = {}
        settings.changed.connect(self._take)

    def add(self, name: str, group: str, action: QAction, keys: Sequence[str]) -> None:
        assert name not in self.actions, f"two actions are named {name!r}"
        own = tuple(QKeySequence(key).toString() for key in keys)
        self.actions[name] = KnownAction(name, group, action, own)
        for one in self.actions if name in self._settings.preferences.keys else (name,):
            self._apply(one)

    def keys_of(self, name: str) -> tuple[str, ...]:
        """Those that were chosen, or its own, but for what was chosen for others: Qt obeys neither of two alike."""
        chosen = self._settings.preferences.keys
        if name in chosen:
            return chosen[name]
        taken = {keys for other in self.actions for keys in chosen.get(other, ())}
        return tuple(keys for keys in self.actions[name].own if keys not in taken)

    def is_changed(self, name: str) -> bool:
        return self.keys_of(name) != self.actions[name].own

    def choose(self, name: str, keys: str) -> str:
        """Give an action these keys alone; returns the sentence on why they cannot be, "" where they can.

        "" for keys leaves it without any.
        """
        refusal = self.refusal_of(name, keys) if keys else ""
        if not refusal:
            self._keep({**self._settings.preferences.keys, name: (keys,) if keys else ()})
        return refusal

    def restore(self, *names: str) -> str:
        """Let actions have their own keys again, all where none is named; returns why not, where another has them."""
        names = names or tuple(self.actions)
        kept = {name: keys for name, keys in self._settings.preferences.keys.items() if name not in names}
        for name in names:
            for keys in self.actions[name].own:
                holder = next((other for other, own in kept.items() if keys in own and other in self.actions), None)
                if holder is not None:
                    return f"{native(keys)} is {self.actions[holder].action.text().rstrip('…')}."
        self._keep(kept)
        return ""

    def refusal_of(self, name: str, keys: str) -> str:
        if not can_be_shortcut(QKeySequence(keys)[0]):  # type: ignore[index]
            return f"{native(keys)} writes or moves in a text; hold Ctrl, Alt or the command key with it."
        if keys in FIXED:
            return f"{native(keys)} is {FIXED[keys]}."
        holder = next((one for one in self.actions if one != name and keys in self.keys_of(one)), None)
        if holder is not None:
            title = self.actions[holder].action.text().rstrip("…")
            return f"{native(keys)} is {title}. Press other keys, or take these from there first with Backspace."
        is_own = any(keys in known.own for known in self.actions.values())  # the text fields leave those alone
        if keys in editing_keys() and not is_own:
            return f"{native(keys)} moves, selects or deletes in a text; press other keys."
        return ""

    def _keep(self, keys: dict[str, tuple[str, ...]]) -> None:
        own = {name: known.own for name, known in self.actions.items()}
        kept = {name: chosen for name, chosen in keys.items() if chosen != own.get(name)}
        self._settings.change(replace(self._settings.preferences, keys=kept))

    def _take(self, before: Preferences, preferences: Preferences) -> None:
        if before.keys != preferences.keys:
            for name in self.actions:
                self._apply(name)
            self.changed.emit()

    def _apply(self, name: str) -> None:
        self.actions[name].action.setShortcuts([QKeySequence(keys) for keys in self.keys_of(name)])


def can_be_shortcut(combination: QKeyCombination) -> bool:
    """Whether it neither writes nor moves in a text."""
    return bool(combination.keyboardModifiers() & _MODIFIERS) or combination.key() in _ALONE


@cache
def editing_keys() -> frozenset[str]:
    """With which a text field does something on this system, and so takes them from any action."""
    editing = [key for key in QKeySequence.StandardKey if key.name.startswith(_EDITING)]
    return frozenset(keys.toString() for key in editing for keys in QKeySequence.keyBindings(key))
