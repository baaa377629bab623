"""TabNotes: what is said above the composer, one sentence at a time, until it is past."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.chat.announcing import announce
from app.chat.notes import Action, Note, NoteBar

Deed = Callable[[Action], None]


def do_nothing(action: Action) -> None:
    pass


class TabNotes(QObject):
    """The latest of several subjects is shown; where it is closed or past, the one before comes back."""

    def __init__(self, bar: NoteBar, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bar = bar
        self._notes: dict[str, tuple[Note, Deed]] = {}  # by subject, the latest last
        self._in_hand: tuple[str, Note] | None = None  # being acted on; one that stays is not announced again
        bar.chosen.connect(self._act)

    def show(self, subject: str, note: Note, deed: Deed = do_nothing) -> None:
        """Say a sentence in the place of what was said on its subject; `deed` is given what is chosen."""
        if self._notes.get(subject, (None, None))[0] != note:
            self._notes.pop(subject, None)
            if (subject, note) != self._in_hand:
                announce(self._bar, note.text, is_urgent=note.is_alert)
        self._notes[subject] = (note, deed)
        self._refresh()

    def take_back(self, sentence: str) -> None:
        """What was said so is past."""
        self.drop(*[subject for subject, (note, _) in self._notes.items() if note.text == sentence])

    def drop(self, *subjects: str) -> None:
        """What was said on these is past."""
        for subject in subjects:
            self._notes.pop(subject, None)
        self._refresh()

    def _act(self, action: Action) -> None:
        if self._notes:
            subject, (note, deed) = self._notes.popitem()
            self._refresh()
            self._in_hand = (subject, note)
            deed(action)
            self._in_hand = None

    def _refresh(self) -> None:
        if self._notes:
            note, _ = next(reversed(self._notes.values()))
            self._bar.show_note(note)
        else:
            self._bar.hide()
