"""TabsAlike: what every chat of a window shows or refuses alike, those too that are opened later."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.chat.tab import ChatTab

REFUSAL = "refusal"  # the subject of the note on it: no other sentence takes its place


class TabsAlike:
    def __init__(self, tabs: Callable[[], Sequence[ChatTab]]) -> None:
        self._tabs = tabs
        self._deeds: list[Callable[[ChatTab], object]] = []
        self._is_first = False
        self._is_tinted = False
        self._refusal = ""  # why nothing can be sent

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
        self._refuse_in(tab)

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

    def refuse(self, reason: str) -> None:
        """Let nothing be sent for now, and say why; "" lets messages go again."""
        before, self._refusal = self._refusal, reason
        for tab in self._tabs():
            tab.unsay(before)
            self._refuse_in(tab)

    def _refuse_in(self, tab: ChatTab) -> None:
        tab.composer.set_refusal(self._refusal)
        if self._refusal:
            tab.show_trouble(self._refusal, REFUSAL)
