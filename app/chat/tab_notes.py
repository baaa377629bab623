"""TabNotes: what is said above the composer until it is past."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest

from PySide6.QtCore import QObject

from app.chat.announcing import announce
from app.chat.notes import Action, Note, NoteBar

Deed = Callable[[Action], None]


def do_nothing(action: Action) -> None:
    pass


class TabNotes(QObject):
    """The latest of several subjects is shown in the first bar, and in the others those before it that offer something.

    Where one is closed or past, the one before comes back.
    """

    def __init__(self, bars: Sequence[NoteBar], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bars = tuple(bars)
        self._shown: tuple[str, ...] = ()  # subjects, one a bar
        self._notes: dict[str, tuple[Note, Deed]] = {}  # by subject, the latest last
        self._in_hand: tuple[str, Note] | None = None  # being acted on; one that stays is not announced again
        for place, bar in enumerate(self._bars):
            bar.chosen.connect(partial(self._act, place))

    def show(self, subject: str, note: Note, deed: Deed = do_nothing) -> None:
        """Say a sentence in the place of what was said on its subject; `deed` is given what is chosen."""
        if self._notes.get(subject, (None, None))[0] != note:
            self._notes.pop(subject, None)
            if (subject, note) != self._in_hand:
                announce(self._bars[0], note.text, is_urgent=note.is_alert)
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

    def _act(self, place: int, action: Action) -> None:
        if place < len(self._shown):
            subject = self._shown[place]
            note, deed = self._notes.pop(subject)
            self._refresh()
            self._in_hand = (subject, note)
            deed(action)
            self._in_hand = None

    def _refresh(self) -> None:
        latest, *others = (*reversed(self._notes), "")
        offers = [subject for subject in others if subject and _offers(self._notes[subject][0])]
        self._shown = (latest, *offers)[: len(self._bars)] if latest else ()
        for bar, subject in zip_longest(self._bars, self._shown):
            if subject is None:
                bar.hide()
            else:
                bar.show_note(self._notes[subject][0])


def _offers(note: Note) -> bool:
    """Whether something is lost where the note is covered."""
    return any(action is not Action.CLOSE for action in note.actions)
