"""TabsAlike: what every chat of a window shows or refuses alike, those too that are opened later."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.chat.notes import Action, Note
from app.chat.tab import ChatTab
from app.chat.tab_notes import Deed, do_nothing


class TabsAlike:
    def __init__(self, tabs: Callable[[], Sequence[ChatTab]]) -> None:
        self._tabs = tabs
        self._deeds: list[Callable[[ChatTab], object]] = []
        self._is_first = False
        self._is_tinted = False
        self._notes: dict[str, tuple[Note, Deed]] = {}  # by subject
        self._refusals: dict[str, str] = {}  # by subject: why nothing can be sent

    def do_to_each(self, deed: Callable[[ChatTab], object]) -> None:
        """Those too that are opened later."""
        self._deeds.append(deed)
        for tab in self._tabs():
            deed(tab)

    def take(self, tab: ChatTab) -> None:
        """Make a new tab like the others."""
        for deed in self._deeds:
            deed(tab)
        tab.empty.show_welcome(self._is_first)
        tab.transcript.set_tint(self._is_tinted)
        for subject, (note, deed_of_note) in self._notes.items():
            tab.notes.show(subject, note, deed_of_note)
        tab.composer.set_refusal(self._reason)

    def tell(self, sentence: str) -> None:
        """Show a sentence above every composer."""
        for tab in self._tabs():
            tab.show_trouble(sentence)

    def set_tint(self, is_tinted: bool) -> None:
        self._is_tinted = is_tinted
        for tab in self._tabs():
            tab.transcript.set_tint(is_tinted)

    def fit_column(self) -> None:
        """Let every chat be as wide as was chosen."""
        for tab in self._tabs():
            tab.fit_column()
            tab.transcript.fit_column()

    def show_welcome(self, is_first: bool) -> None:
        """Whether empty tabs greet: only before the first chat."""
        self._is_first = is_first
        for tab in self._tabs():
            tab.empty.show_welcome(is_first)

    def show(self, subject: str, note: Note, deed: Deed = do_nothing) -> None:
        """A note above every composer, which stays on its subject until it is dropped."""
        self._notes[subject] = (note, deed)
        for tab in self._tabs():
            tab.notes.show(subject, note, deed)

    def drop(self, subject: str) -> None:
        """What the note said is past."""
        if self._notes.pop(subject, None) is not None:
            for tab in self._tabs():
                tab.notes.drop(subject)

    def refuse(self, subject: str, reason: str) -> None:
        """Let nothing be sent for now, and say why where no note does; "" lets messages go again."""
        self._refusals.pop(subject, None)
        if reason:
            self._refusals[subject] = reason
            if subject not in self._notes:
                self.show(subject, Note(reason, (Action.CLOSE,), is_alert=True))
        else:
            self.drop(subject)
        for tab in self._tabs():
            tab.composer.set_refusal(self._reason)

    @property
    def _reason(self) -> str:
        """The latest."""
        return next(reversed(self._refusals.values()), "")
