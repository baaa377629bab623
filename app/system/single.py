"""SingleInstance: one window for a data folder; a second start raises the first one and says what it was to use."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QSysInfo, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

ANSWER_MS = 1000
MOST_BYTES = 65_536  # that a second start may say


@dataclass(frozen=True, slots=True)
class Handed:
    """What a start was asked to use; "" is nothing."""

    model: str = ""  # a target
    drafter: str = ""
    paths: tuple[str, ...] = ()  # to open, absolute


NOTHING = Handed()


class SingleInstance(QObject):
    """Holds a lock that a killed program does not keep: Qt checks that its process lives."""

    raise_asked = Signal(object)  # Handed

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = QLockFile(str(folder / "window.lock"))
        self._lock.setStaleLockTime(0)
        self._name = f"slipstream-{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]}"
        self._server: QLocalServer | None = None
        self._early: list[Handed] | None = []  # what came before anyone followed
        self._talking: list[QLocalSocket] = []  # with other starts that have not said all

    def take(self, wait_seconds: float = 0.0) -> bool:
        """Become the one instance; False where another one runs, which is given some time to end."""
        if not self._lock.tryLock(round(wait_seconds * 1000)) and not self._take_over():
            return False
        QLocalServer.removeServer(self._name)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)
        self._server.listen(self._name)
        return True

    def _take_over(self) -> bool:
        """Qt cannot judge a lock that bears another machine's name, as after this one was renamed."""
        _, host, _ = self._lock.getLockInfo()
        is_foreign = host != QSysInfo.machineHostName()
        return is_foreign and not self.raise_other() and self._lock.removeStaleLockFile() and self._lock.tryLock(0)

    def raise_other(self, handed: Handed = NOTHING) -> bool:
        """Ask the running instance to show its window and to use this; False where it does not answer."""
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(ANSWER_MS):
            return False
        socket.write(json.dumps(asdict(handed)).encode())
        socket.disconnectFromServer()  # once it is written
        if socket.state() != QLocalSocket.LocalSocketState.UnconnectedState:
            socket.waitForDisconnected(ANSWER_MS)
        return True

    def follow(self, take: Callable[[Handed], object]) -> None:
        """Give what other starts hand over to `take`, first what came before there was a window to take it."""
        early, self._early = self._early or [], None
        self.raise_asked.connect(take)
        for handed in early:
            take(handed)

    def hand_on(self, other: SingleInstance) -> None:
        """Give another one what was said to this one while no event loop turned; nobody follows either."""
        assert self._server is not None
        assert self._early is not None
        assert other._early is not None
        num_seen = -1
        while (num_starts := len(self._talking) + len(self._early)) > num_seen:
            num_seen = num_starts
            self._server.waitForNewConnection(0)  # for one
        for socket in tuple(self._talking):
            socket.waitForDisconnected(ANSWER_MS)
        other._early += self._early

    def stop_answering(self) -> None:
        """There is no window to show any more; the folder is held until the release."""
        if self._server is not None:
            self._server.close()

    def release(self) -> None:
        self.stop_answering()
        self._lock.unlock()

    def _answer(self) -> None:
        if self._server is not None:
            while self._server.hasPendingConnections():
                socket = self._server.nextPendingConnection()
                socket.setReadBufferSize(MOST_BYTES)
                self._talking.append(socket)
                socket.disconnected.connect(partial(self._take, socket))
                if socket.state() == QLocalSocket.LocalSocketState.UnconnectedState:
                    self._take(socket)

    def _take(self, socket: QLocalSocket) -> None:
        """The other start has said all; whatever it was, the window is to be shown."""
        socket.disconnected.disconnect()
        self._talking.remove(socket)
        said = bytes(socket.readAll().data())
        socket.deleteLater()
        handed = read_handed(said)
        if self._early is not None:
            self._early.append(handed)
        self.raise_asked.emit(handed)


def read_handed(said: bytes) -> Handed:
    """What another start said; nothing where it makes no sense, as from another version."""
    try:
        found = json.loads(said)
        handed = Handed(found["model"], found["drafter"], tuple(found.get("paths", ())))
    except (ValueError, KeyError, TypeError, AttributeError):
        return NOTHING
    is_sound = all(isinstance(one, str) for one in (handed.model, handed.drafter, *handed.paths))
    return handed if is_sound else NOTHING
