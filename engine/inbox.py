"""What is on its way to the engine, from any thread."""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from engine.messages import Cancel, Command, Failed

if TYPE_CHECKING:
    from engine.prompt_cache.entries import StorageMessage
    from engine.text.counting import Counted
    from engine.text.prompt import Prompt

Message: TypeAlias = "Command | Prompt | Counted | Failed | StorageMessage"


class Inbox:
    """A queue that also answers whether a request's Cancel is in it."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[float, Message]] = queue.SimpleQueue()
        self._sifted: deque[tuple[float, Message]] = deque()  # older than what is in the queue
        self._stopping: set[int] = set()

    def put(self, message: Message) -> None:
        """Add a message with the monotonic time; never blocks."""
        if isinstance(message, Cancel):
            self._stopping.add(message.request_id)
        self._queue.put((time.monotonic(), message))

    def get(self) -> tuple[float, Message]:
        """Take the oldest message and the time it was put, waiting for one."""
        sent_at, message = self._sifted.popleft() if self._sifted else self._queue.get()
        if isinstance(message, Cancel):
            self._stopping.discard(message.request_id)
        return sent_at, message

    def is_empty(self) -> bool:
        return not self._sifted and self._queue.empty()

    def sift(self, is_kept: Callable[[Message], bool]) -> None:
        """Drop some of the messages that wait; only the thread that takes them may do it."""
        waiting = [self._queue.get() for _ in range(self._queue.qsize())]
        self._sifted += [entry for entry in waiting if is_kept(entry[1])]

    def is_stopping(self, request_id: int) -> bool:
        """Whether a Cancel for this request waits here; cheap enough to ask for every token."""
        return request_id in self._stopping


class Delivery:
    """What one engine's storage puts into the inbox; nothing any more once that engine is gone."""

    def __init__(self, inbox: Inbox) -> None:
        self.is_open = True
        self._inbox = inbox

    def __call__(self, message: StorageMessage) -> None:
        if self.is_open:
            self._inbox.put(message)
