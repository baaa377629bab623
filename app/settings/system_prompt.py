"""SystemPrompt: the field for it, and under that how many tokens it puts before every prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.asking import RefusedError, ask
from app.bridge import EngineBridge
from app.conversations.exchange import storable
from app.figures import write_count
from app.latest import Latest
from app.settings.text_area import TextArea
from app.theme.labels import StartLabel
from engine.messages import CountTokens, TokenCount, Turn

WAIT_SECONDS = 0.2  # after the last key
FRAME = Turn("user", "a")  # as a user's, as templates write a system prompt of their own where there is none


class SystemPrompt(QWidget):
    def __init__(self, bridge: EngineBridge, question: Callable[[tuple[Turn, ...]], CountTokens]) -> None:
        """`question` asks for the tokens of turns, with the model and the template that are to be counted with."""
        super().__init__()
        self._bridge = bridge
        self._question = question
        self._latest = Latest()
        self._frame: tuple[CountTokens, int] | None = None  # how many tokens the last one had, and what was asked
        self._counted: CountTokens | None = None  # what the number that is shown answers
        self.area = TextArea("System prompt", num_lines=6, placeholder="None")
        self.count = StartLabel("", "small", "secondary")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.area)
        column.addWidget(self.count)
        self.setFocusProxy(self.area)
        self.area.textChanged.connect(self.count_again)

    def count_again(self) -> None:
        """Its text, or what it is counted with, has changed."""
        self._latest.begin(self._count, WAIT_SECONDS)

    def stop(self) -> None:
        self._latest.drop()

    async def _count(self) -> None:
        """Not again where nothing changed that it is counted with: a template may take a second."""
        text = storable(self.area.toPlainText())
        question = self._question((Turn("user", text),))
        if not text.strip():
            self._tell("", None)
        elif question != self._counted:
            try:
                num_tokens = await self._ask(question) - await self._ask_for_frame() + 1
            except RefusedError:
                self._tell("", None)
            else:
                self._tell(f"About {write_count(max(1, num_tokens), 'tokens')}", question)

    def _tell(self, words: str, counted: CountTokens | None) -> None:
        self.count.setText(words)
        self._counted = counted

    async def _ask_for_frame(self) -> int:
        question = self._question((FRAME,))
        if self._frame is None or self._frame[0] != question:
            self._frame = question, await self._ask(question)
        return self._frame[1]

    async def _ask(self, question: CountTokens) -> int:
        count = await ask(self._bridge, lambda request_id: replace(question, request_id=request_id), TokenCount)
        return count.num_tokens
