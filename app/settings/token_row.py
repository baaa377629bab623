"""TokenRow: the hub's token, which is written to the keychain and never shown."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.library.hub import Hub
from app.library.token import FROM_ENVIRONMENT, KeychainError
from app.settings.fields import TextField
from app.settings.form import Row, make_button
from app.tasks import start
from app.theme.theme import Theme

PURPOSE = "Only for models that ask for a licence. It is kept in the keychain."
KEPT, NONE = "in the keychain", "none"


class TokenControl(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.field = TextField(theme, placeholder=NONE, is_secret=True, width=180)
        self.remove = make_button("Remove", self._remove, name="Remove the token")
        self.remove.hide()
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(self.field)
        line.addWidget(self.remove)
        self.setFocusProxy(self.field)

    def _remove(self) -> None:
        self.field.clear()
        self.field.changed.emit("")


class TokenRow(Row):
    def __init__(self, theme: Theme, hub: Hub) -> None:
        pair = TokenControl(theme)
        super().__init__("Token", pair, PURPOSE)
        self._hub = hub
        self.field, self.remove = pair.field, pair.remove
        self.field.changed.connect(lambda text: start(self.keep(text)))

    async def refresh(self) -> None:
        """Say whether there is one."""
        try:
            source = await self._hub.token_source()
        except KeychainError as error:
            self.set_problem(str(error))
            return
        is_set_elsewhere = source == "environment"
        self.field.setEnabled(not is_set_elsewhere)
        self.remove.setVisible(source == "keychain")
        self.field.setPlaceholderText(KEPT if source else NONE)
        self.set_sentence(FROM_ENVIRONMENT if is_set_elsewhere else PURPOSE)

    async def keep(self, text: str) -> None:
        """Write it, or remove what is kept where it is empty."""
        try:
            await self._hub.set_token(text)
        except KeychainError as error:
            self.set_problem(str(error))
            return
        self.set_problem("")
        self.field.show_text("")
        self.field.clear()
        await self.refresh()
