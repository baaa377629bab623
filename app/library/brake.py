"""Brake: stops a download that is under way, also one that waits for a network which does not answer."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Brake:
    """Pulled by the window, watched by the worker."""

    def __init__(self) -> None:
        self._pulled = threading.Event()
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    @property
    def is_pulled(self) -> bool:
        return self._pulled.is_set()

    def pull(self) -> None:
        """The worker's read ends at once."""
        self._pulled.set()
        with self._lock:
            if self._socket is not None:
                _cut(self._socket)

    def wait(self, seconds: float) -> bool:
        """Wait, but no longer than until it is pulled; whether it is."""
        return self._pulled.wait(seconds)

    @contextmanager
    def watching(self, stream: Any) -> Iterator[None]:
        """While the answer of `stream`, httpx2's network stream, is read; None is no stream."""
        with self._lock:
            self._socket = stream.get_extra_info("socket") if stream is not None else None
            if self._socket is not None and self.is_pulled:
                _cut(self._socket)
        try:
            yield
        finally:
            with self._lock:
                self._socket = None


def _cut(connection: socket.socket) -> None:
    """Close what is read: unlike close(), it wakes the thread that waits in recv().

    A TLS socket's own method would let go of the state that the other thread reads with.
    """
    try:
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
    except OSError:
        return  # it is closed already
