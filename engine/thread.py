"""The engine on its own thread; MLX is imported, used and let go there alone."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.inbox import Inbox
from engine.messages import (
    Answer,
    Cancel,
    ClearCache,
    Command,
    ConversationDeleted,
    DeleteConversation,
    DescribeCache,
    DescribeMemory,
    Event,
    Failed,
    LoadModel,
    Notice,
    Question,
    RemoveCached,
    Shutdown,
    Submit,
)
from engine.models.file_limit import import_mlx_lm
from engine.models.locate import default_data_dir
from engine.prompt_cache.lock import is_free
from engine.prompt_cache.report import FOLDER_NAME, CacheSettings
from engine.text.counting import Counted, hand_on
from engine.text.thread import TextThread

if TYPE_CHECKING:
    from engine.engine import Engine
    from engine.prompt_cache.cache import PromptCache

log = logging.getLogger(__name__)

FLUSH_SECONDS = 2.0  # for what the prompt cache has yet to write when the engine ends


class EngineThread:
    """Owns the engine's thread and the text thread; commands may be sent before `start`."""

    def __init__(self, data_dir: Path | None = None, tag: str = "") -> None:
        """`tag` tells the prompt cache which program saves; "" is the window."""
        self._tag = tag
        self._is_serving = False
        self._told = ""  # what the last opening of the prompt cache had to tell
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
        """Queue commands; any thread may call it, and it never blocks.

        Questions never wait for a running step, but for counts, which the engine completes between two of them.
        """
        for command in commands:
            if isinstance(command, Question):
                self._text.answer(command, self._take_answer)
                continue
            if isinstance(command, Cancel):
                self._text.drop(command.request_id)
            self._inbox.put(command)

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end that Shutdown asked for; False where it has not come in `timeout` seconds."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _take_answer(self, answer: Answer | Counted | Failed) -> None:
        """A count is complete as it is where no engine runs: nothing is loaded."""
        if isinstance(answer, Counted) and not self._is_serving:
            self._emit(Answer(answer.request_id, answer.count))
        else:
            hand_on(self._inbox.put, self._emit, answer)

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

        engine = Engine(
            self._emit,
            self._text,
            self._data_dir,
            self._inbox,
            cache=self._open_cache(),
            reopen_cache=lambda: self._open_cache() if is_free(self._data_dir / FOLDER_NAME) else None,
        )
        self._is_serving = True
        try:
            self._advance(engine)
        finally:  # the thread of its storage would keep the process alive
            self._is_serving = False
            if not engine.close_cache(FLUSH_SECONDS):
                log.warning("the prompt cache was closed before all of it was written")

    def _advance(self, engine: Engine) -> None:
        while not engine.is_shut_down:
            try:
                if not engine.step():
                    engine.wait()
            except Exception as error:
                log.exception("the engine's loop failed")
                text = f"The engine failed: {error}. Every reply up to here is kept; send the message again."
                engine.fail(text)
                self._emit(Failed(0, "engine", text))

    def _open_cache(self) -> PromptCache:
        from engine.prompt_cache.cache import OPENED, PromptCache
        from engine.prompt_cache.storage import StorageThread

        def notify(code: str, text: str) -> None:
            if code == OPENED:
                if text == self._told:  # of an opening that was tried again
                    return
                self._told = text
            self._emit(Notice(0, "cache", text))

        storage = StorageThread(self._data_dir / FOLDER_NAME, self._inbox.put)
        cache = PromptCache(storage, settings=CacheSettings(tag=self._tag), notify=notify)
        cache.open()
        return cache

    def _refuse(self, text: str) -> None:
        """Answer everything with the reason why there is no engine, until Shutdown."""
        self._emit(Failed(0, "engine", text))
        while True:
            _, message = self._inbox.get()
            if isinstance(message, Shutdown):
                return
            match message:
                case Submit() | LoadModel() | DescribeCache() | ClearCache() | RemoveCached() | DescribeMemory():
                    self._emit(Failed(message.request_id, "engine", text))
                case DeleteConversation():
                    self._emit(ConversationDeleted(message.conversation_id, text))
