"""ShortcutsPage: every action with its keys, which can be pressed anew."""

from __future__ import annotations

from app.chat.announcing import announce
from app.frame.action_keys import ActionKeys
from app.settings.fields import TextField
from app.settings.form import Card, SettingsPage
from app.settings.key_list import HELP, KeyList
from app.settings.notice import Notice
from app.theme.labels import StartLabel
from app.theme.theme import Theme

NAME = "Shortcuts"
PURPOSE = "A click on keys, or Return, takes what is pressed next."


class ShortcutsPage(SettingsPage):
    def __init__(self, theme: Theme, keys: ActionKeys) -> None:
        self.search = TextField(theme, placeholder="Search actions", width=200)
        super().__init__(theme, NAME, PURPOSE, end=self.search)
        self.search.setAccessibleName("Search actions")
        self.note = Notice(theme)
        self.list = KeyList(theme, keys)
        self.card = Card(theme, self.list)
        self.nothing = StartLabel("", "interface", "secondary")
        self.add(self.card)
        self.add(self.nothing)
        self.pin(self.note)
        self.note.say(HELP)
        self.nothing.hide()
        self.follow(self.list)
        self.search.textChanged.connect(self._search)
        self.list.told.connect(self._tell)
        self.restore_asked.connect(lambda: self._tell(keys.restore()))

    def _search(self, pattern: str) -> None:
        self.list.search(pattern)
        has_any = self.list.model().rowCount() > 0
        self.card.setVisible(has_any)
        self.nothing.setVisible(not has_any)
        self.nothing.setText(f"No action, menu or key has “{pattern.strip()}”.")

    def _tell(self, sentence: str) -> None:
        """In the place of the words on what can be pressed: the list does not move under the pointer."""
        self.note.say(sentence or HELP)
        if sentence:
            announce(self.list, sentence)
