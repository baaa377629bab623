"""Rendering: asks how the sample chat looks in a template that is being typed, one question at a time."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, Signal

from app.asking import RefusedError, ask
from app.bridge import EngineBridge
from app.conversations.exchange import storable
from app.latest import Latest, wait, wait_for
from app.tasks import start
from engine.messages import PreviewTemplate, RenderedPrompt, Turn

WAIT_SECONDS = 0.15  # after the last key; the engine takes 0.8 s at most
MOST_SECONDS = 0.83  # before it is said that no answer came
BUSY = "The template was not rendered within a second: the engine is busy. The preview follows."
SYSTEM = Turn("system", "You are a careful editor.")
SAMPLE = (
    Turn("user", "Why does ice float?"),
    Turn("assistant", "It is less dense than the water under it."),
    Turn("user", "And if it sank?"),
)
Asked = tuple[str, str, bool]  # target, template, whether with a system prompt


class Rendering(QObject):
    rendered = Signal(str, object)  # template, RenderedPrompt
    refused = Signal(str, str)  # template, why it cannot be rendered
    late = Signal(str)  # a sentence: no answer came in time

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._latest = Latest()
        self._wanted: Asked | None = None
        self._answered: Asked | None = None
        self._shown: Asked | None = None  # what `rendered` told last, while nothing was refused since
        self._asking: asyncio.Task[None] | None = None

    def render(self, target: str, template: str, has_system: bool, *, is_typed: bool = True) -> None:
        """The answer to an earlier question that has not come is not told any more.

        What is shown as it is, and was not typed anew, is not rendered again: that takes up to a second.
        """
        is_shown = self._wanted == self._shown == (target, template, has_system)
        if is_shown and not is_typed and not self._latest.is_running:
            return
        self._wanted = (target, template, has_system)
        self._latest.begin(self._begin, WAIT_SECONDS if is_typed else 0.0)

    def stop(self) -> None:
        self._wanted = self._shown = None
        self._latest.drop()
        if self._asking is not None:
            self._asking.cancel()

    def finish(self) -> None:
        """Ask at once what waits for another key; nobody is told that the answer is late."""
        if self._wanted in (None, self._answered):
            self._latest.drop()
            return
        self._latest.drop()
        self._go_on()

    async def come_to_rest(self) -> None:
        """Wait for the answer that is due, while one may be expected."""
        if self._asking is not None and not self._asking.done():
            await wait_for(self._asking, MOST_SECONDS)

    def _go_on(self) -> None:
        if self._asking is None or self._asking.done():
            self._asking = start(self._ask_all())

    async def _begin(self) -> None:
        self._go_on()
        await wait(MOST_SECONDS)
        self.late.emit(BUSY)

    async def _ask_all(self) -> None:
        """Until what was asked for last is answered: more than one question would pile up in the engine."""
        asked: Asked | None = None
        while (wanted := self._wanted) is not None and wanted != asked:
            asked = wanted
            await self._ask(asked)

    async def _ask(self, asked: Asked) -> None:
        target, template, has_system = asked
        turns = (SYSTEM, *SAMPLE) if has_system else SAMPLE
        text = storable(template)
        try:
            prompt = await ask(
                self._bridge, lambda request_id: PreviewTemplate(request_id, target, text, turns), RenderedPrompt
            )
        except RefusedError as error:
            if asked == self._wanted:
                self._answered, self._shown = asked, None
                self._latest.drop()
                self.refused.emit(template, str(error))
            return
        if asked == self._wanted:
            self._answered = self._shown = asked
            self._latest.drop()
            self.rendered.emit(template, prompt)
