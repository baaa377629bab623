"""ShortcutsPage: every action with its keys, which can be pressed anew."""

from __future__ import annotations

from app.action_keys import ActionKeys
from app.settings.fields import TextField
from app.settings.form import Card, SettingsPage
from app.settings.key_list import KeyList
from app.settings.notice import Notice
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
        self.add(self.note)
        self.add(Card(theme, self.list))
        self.follow(self.list)
        self.search.textChanged.connect(self.list.search)
        self.list.told.connect(self._tell)
        self.restore_asked.connect(lambda: self._tell(keys.restore()))

    def _tell(self, sentence: str) -> None:
        self.note.say(sentence)
        if sentence:
            self.show_part(self.note)
