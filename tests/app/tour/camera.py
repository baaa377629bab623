"""Camera: pictures of the window in both themes and three sizes, and the hands that bring it into each state."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from app.chat.draft import Draft
from app.chat.tab import ChatTab
from app.theme.theme import Theme
from app.theme.tokens import DARK, LIGHT, Tokens
from app.window import MainWindow

SIZES = ((1320, 860), (900, 600), (480, 560))
BESIDE, OVER = SIZES[:2], SIZES[2:]  # where the sidebar has its place, and where it lies over the chat


class Camera:
    def __init__(self, window: MainWindow, theme: Theme, folder: Path) -> None:
        self.window = window
        self.theme = theme
        self.folder = folder

    @property
    def tab(self) -> ChatTab:
        tab = self.window.workspace.current
        assert tab is not None
        return tab

    # Pictures

    async def shoot(self, name: str, sizes: Sequence[tuple[int, int]] = SIZES) -> None:
        """The window in each theme and size; it is left light and at its first size."""
        for tokens in (LIGHT, DARK):
            self.theme.apply(tokens)
            for size in sizes:
                self.window.resize(*size)
                await asyncio.sleep(0.1)
                self._save(self.window, name, tokens, f"-{size[0]}")
        self.theme.apply(LIGHT)
        self.window.resize(*SIZES[0])
        await asyncio.sleep(0.05)

    async def shoot_widget(self, name: str, widget: QWidget) -> None:
        """A dialog or popup of the window, in both themes."""
        for tokens in (DARK, LIGHT):
            self.theme.apply(tokens)
            await asyncio.sleep(0.1)
            self._save(widget, name, tokens)

    async def shoot_popup(self, name: str, open_it: Callable[[], object]) -> None:
        open_it()
        await asyncio.sleep(0.1)
        popup = QApplication.activePopupWidget()
        assert popup is not None
        await self.shoot_widget(name, popup)
        popup.close()
        await asyncio.sleep(0.05)

    async def shoot_menus(self, name: str, menu: QMenu) -> None:
        """Each menu that is part of a menu."""
        place = self.window.mapToGlobal(self.window.rect().center())
        for part in [one for action in menu.actions() if isinstance(one := action.menu(), QMenu)]:
            await self.shoot_popup(f"{name}-{part.title().split()[0].lower()}", partial(part.popup, place))

    async def shoot_dialog(self, name: str, open_it: Callable[[], object], kind: type[QDialog]) -> None:
        """A dialog that opens, and closes again."""
        open_it()
        await asyncio.sleep(0.2)
        dialog = self.window.findChild(kind)
        assert isinstance(dialog, QDialog)
        await self.shoot_widget(name, dialog)
        dialog.close()
        await asyncio.sleep(0.05)

    def snap(self, name: str) -> None:
        """The window as it is now, once."""
        self.window.grab().save(str(self.folder / f"{name}.png"))

    def _save(self, widget: QWidget, name: str, tokens: Tokens, ending: str = "") -> None:
        shade = "dark" if tokens.is_dark else "light"
        widget.grab().save(str(self.folder / f"{name}-{shade}{ending}.png"))

    # Hands

    async def until(self, is_there: Callable[[], bool], seconds: float = 10.0) -> None:
        for _ in range(round(seconds / 0.01)):
            if is_there():
                return
            await asyncio.sleep(0.01)
        raise TimeoutError("the tour waited in vain")

    async def open(self, conversation_id: str) -> None:
        """Show a saved chat."""
        self.window.workspace.open_chat(conversation_id)
        workspace = self.window.workspace
        await self.until(
            lambda: workspace.current is not None and workspace.current.session.conversation_id == conversation_id
        )
        await asyncio.sleep(0.1)

    async def begin(self, draft: Draft, enough: int, seconds: float) -> None:
        """Send a message and wait until some of its reply, in characters, is written."""
        tab = self.tab
        before = len(tab.session.messages)
        tab.send(draft)
        await self.until(lambda: len(tab.session.messages) >= before + 2, seconds)
        await self.until(lambda: len(tab.transcript.last_reply_text()) >= enough or not tab.session.is_busy, seconds)

    async def ask(self, text: str, seconds: float) -> None:
        """Send a message and wait for the end of its reply."""
        await self.begin(Draft(text), 1_000_000, seconds)

    async def rest(self, seconds: float) -> None:
        """Wait for the end of what runs in the chat that is shown."""
        tab = self.tab
        await asyncio.sleep(0.05)
        await self.until(lambda: not tab.session.is_busy, seconds)
