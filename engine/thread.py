"""The engine on its own thread; MLX is imported, used and let go there alone."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.inbox import Delivery, Inbox
from engine.messages import (
    Answer,
    Cancel,
    Command,
    EngineStarted,
    Event,
    Failed,
    Notice,
    Question,
    Shutdown,
    StartEngine,
)
from engine.models.file_limit import import_mlx_lm
from engine.models.locate import default_data_dir
from engine.prompt_cache.entries import StorageMessage
from engine.prompt_cache.lock import is_free
from engine.prompt_cache.report import FOLDER_NAME, CacheSettings
from engine.refusal import refusal
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
        self._inbox = Inbox()
        self._is_serving = False
        self._is_over = False
        self._has_mlx = False
        self._from_storage = Delivery(self._inbox)
        self._told = ""  # what the last opening of the prompt cache had to tell
        self._data_dir = data_dir or default_data_dir()
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
            while not self._is_over:
                if fault := self._live():
                    self._release_memory()
                    self._refuse(fault)
        finally:
            self._end_mlx()
            self._text.close()

    def _live(self) -> str:
        """One engine from its start to its end; returns why it failed, "" where it was shut down."""
        try:
            engine = self._start()
        except Exception as error:
            log.exception("the engine could not start")
            return self._tell_fault(f"The engine could not start: {error}. Start it again, or see the log.")
        self._tell(EngineStarted())
        self._is_serving = True
        fault = self._serve(engine)
        self._is_serving = False
        if fault:
            self._attempt("failing every request", lambda: engine.fail(fault))
            self._tell_fault(fault)
        self._attempt("closing the prompt cache", lambda: self._close_cache(engine))
        self._is_over = engine.is_shut_down
        return fault

    def _start(self) -> Engine:
        """A new engine that holds nothing; whatever may be wrong with the installation raises here."""
        import mlx.core  # noqa: F401

        self._has_mlx = True
        import_mlx_lm()
        from engine.engine import Engine

        self._from_storage = Delivery(self._inbox)
        return Engine(
            self._emit,
            self._text,
            self._data_dir,
            self._inbox,
            cache=self._open_cache(),
            reopen_cache=lambda: self._open_cache() if is_free(self._data_dir / FOLDER_NAME) else None,
        )

    def _serve(self, engine: Engine) -> str:
        """Step until the shutdown; returns why that came to an end before it."""
        try:
            while not engine.is_shut_down:
                if not engine.step():
                    engine.wait()
        except Exception as error:
            log.exception("the engine's loop failed")
            return f"The engine failed: {error}. Every reply up to here is kept. Start the engine again."
        return ""

    def _close_cache(self, engine: Engine) -> None:
        """End its storage, whose thread would keep the process alive, and drop what that still has to say."""
        try:
            if not engine.close_cache(FLUSH_SECONDS):
                log.warning("the prompt cache was closed before all of it was written")
        finally:
            self._from_storage.is_open = False
            self._inbox.sift(lambda message: not isinstance(message, StorageMessage))

    def _open_cache(self) -> PromptCache:
        from engine.prompt_cache.cache import OPENED, PromptCache
        from engine.prompt_cache.storage import StorageThread

        def notify(code: str, text: str) -> None:
            if code == OPENED:
                if text == self._told:  # of an opening that was tried again
                    return
                self._told = text
            self._emit(Notice(0, "cache", text))

        storage = StorageThread(self._data_dir / FOLDER_NAME, self._from_storage)
        cache = PromptCache(storage, settings=CacheSettings(tag=self._tag), notify=notify)
        cache.open()
        return cache

    def _refuse(self, text: str) -> None:
        """Answer everything with the reason why there is no engine, until StartEngine or Shutdown."""
        while not self._is_over:
            _, message = self._inbox.get()
            if isinstance(message, StartEngine):
                return
            self._is_over = isinstance(message, Shutdown)
            if (answer := refusal(message, text)) is not None:
                self._tell(answer)

    def _tell_fault(self, text: str) -> str:
        self._tell(Failed(0, "engine", text))
        return text

    def _tell(self, event: Event) -> None:
        self._attempt(f"the consumer of {type(event).__name__}", lambda: self._emit(event))

    def _attempt(self, what: str, work: Callable[[], None]) -> None:
        """Do what must not end the thread."""
        try:
            work()
        except Exception:
            log.exception("%s failed", what)

    def _release_memory(self) -> None:
        """Give back what a failed engine let go of.

        The rest is a circle of objects, which the window's own collector finds: a collection on this thread would end
        QObjects outside theirs.
        """
        if self._has_mlx:
            import mlx.core as mx

            mx.clear_cache()

    def _end_mlx(self) -> None:
        """Without this a process that ends right after a thread ran compiled code aborts now and then."""
        if self._has_mlx:
            import mlx.core as mx

            mx.synchronize()
            mx.clear_streams()
