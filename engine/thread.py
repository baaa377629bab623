"""The engine on its own thread; MLX is imported, used and let go there alone."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from engine.inbox import Inbox
from engine.messages import (
    ClearCache,
    Command,
    ConversationDeleted,
    DeleteConversation,
    DescribeCache,
    Event,
    Failed,
    LoadModel,
    Question,
    Shutdown,
    Submit,
)
from engine.models.file_limit import import_mlx_lm
from engine.models.locate import default_data_dir
from engine.text.thread import TextThread

log = logging.getLogger(__name__)


class EngineThread:
    """Owns the engine's thread and the text thread; commands may be sent before `start`."""

    def __init__(self, data_dir: Path | None = None) -> None:
        self._data_dir = data_dir or default_data_dir()
        self._inbox = Inbox()
        self._text = TextThread(self._data_dir)
        self._thread = threading.Thread(target=self._run, name="engine")
        self._emit: Callable[[Event], None] = lambda event: None

    def start(self, emit: Callable[[Event], None]) -> None:
        """Start both threads; `emit` is called on them, once for every event."""
        self._emit = emit
        self._text.start()
        self._thread.start()

    def send(self, *commands: Command) -> None:
        """Queue commands; any thread may call it, and it never blocks. Questions never wait for a running step."""
        for command in commands:
            if isinstance(command, Question):
                self._text.answer(command, lambda event: self._emit(event))
            else:
                self._inbox.put(command)

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end that Shutdown asked for; False where it has not come in `timeout` seconds."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._serve()
        except Exception as error:
            log.exception("the engine could not start")
            self._refuse(f"The engine could not start: {error}. Install Slipstream again, or see the log.")
        finally:
            self._text.close()

    def _serve(self) -> None:
        import mlx.core as mx

        try:
            self._loop()
        finally:
            # Without this a process that ends right after a thread ran compiled code aborts now and then.
            mx.synchronize()
            mx.clear_streams()

    def _loop(self) -> None:
        import_mlx_lm()
        from engine.engine import Engine

        engine = Engine(self._emit, self._text, self._data_dir, self._inbox)
        while not engine.is_shut_down:
            try:
                if not engine.step():
                    engine.wait()
            except Exception as error:
                log.exception("the engine's loop failed")
                text = f"The engine failed: {error}. Every reply up to here is kept; send the message again."
                engine.fail(text)
                self._emit(Failed(0, "engine", text))

    def _refuse(self, text: str) -> None:
        """Answer everything with the reason why there is no engine, until Shutdown."""
        self._emit(Failed(0, "engine", text))
        while True:
            _, message = self._inbox.get()
            if isinstance(message, Shutdown):
                return
            if isinstance(message, Submit | LoadModel | DescribeCache | ClearCache):
                self._emit(Failed(message.request_id, "engine", text))
            elif isinstance(message, DeleteConversation):
                self._emit(ConversationDeleted(message.conversation_id, text))
