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
        text = storable(self.area.toPlainText())
        if not text.strip():
            self.count.setText("")
            return
        try:
            num_tokens = await self._ask(Turn("user", text)) - await self._ask(FRAME) + 1
            self.count.setText(f"About {write_count(max(1, num_tokens), 'tokens')}")
        except RefusedError:
            self.count.setText("")

    async def _ask(self, turn: Turn) -> int:
        question = self._question((turn,))
        count = await ask(self._bridge, lambda request_id: replace(question, request_id=request_id), TokenCount)
        return count.num_tokens
