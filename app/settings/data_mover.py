"""DataMover: has the data folder copied beside the window, and says how far that is."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.conversations.off_thread import run_off_thread
from app.figures import write_bytes
from app.settings.folders import named_folder, read_pointer
from app.settings.moving import MoveError, check, copy_all, note_problem, stay, unfinished
from app.shown_paths import write_place

SHOWN_MILLISECONDS = 250


class DataMover(QObject):
    changed = Signal()

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_moving = False
        self.is_waiting = False  # for the next start, which uses the copy
        self.has_failed = False
        self.size = 0  # bytes of the whole, once they are counted
        self.words = ""  # a sentence
        self._folder = folder
        self._done = 0  # bytes
        self._is_ending = False
        self._stopped = threading.Event()
        self._timer = QTimer(self)
        self._timer.setInterval(SHOWN_MILLISECONDS)
        self._timer.timeout.connect(self._tell_progress)
        self._recall()

    def _recall(self) -> None:
        """What an earlier move has left to say."""
        try:
            pointer = read_pointer() if named_folder() is None else None
        except (OSError, ValueError):
            return
        if pointer is not None and pointer.next:
            self.is_waiting = True
            self.words = waiting_words(Path(pointer.next))
        elif pointer is not None and pointer.problem:
            self._say(pointer.problem, has_failed=True)

    async def move(self, new: Path) -> None:
        """Copy everything; it is used from the next start on."""
        if self.is_moving:
            return
        self.is_moving, self._done = True, 0
        self._stopped.clear()
        self._say("Looking at what is there.")
        self._timer.start()
        try:
            await run_off_thread(lambda: self._copy(new))
        except asyncio.CancelledError:
            self.close()
            raise
        except MoveError as error:
            self._end(str(error), has_failed=True)
        else:
            self._end(waiting_words(new))

    async def stay(self) -> None:
        """Use no copy from the next start on."""
        try:
            await run_off_thread(stay)
        except MoveError as error:
            self._say(str(error), has_failed=True)
        else:
            self.is_waiting = False
            self._say(f"The data stays in {write_place(self._folder)}.")

    def stop(self) -> None:
        self._stopped.set()

    def close(self) -> None:
        """The program ends, and waits for no copy; the next start says that there is none."""
        self._is_ending = True
        self.stop()

    def _copy(self, new: Path) -> None:
        try:
            check(self._folder, new)
            copy_all(self._folder, new, self._note, self._stopped.is_set)
        except MoveError:
            if self._is_ending:
                note_problem(unfinished(self._folder, new))
            raise
        finally:
            self.is_waiting = bool(read_pointer().next)

    def _note(self, num_bytes: int) -> None:
        self._done = num_bytes  # one number, which the window's thread reads

    def _tell_progress(self) -> None:
        whole = f" of {write_bytes(self.size)}" if self.size else ""
        self._say(f"Copying, {write_bytes(self._done)}{whole}.")

    def _end(self, words: str, *, has_failed: bool = False) -> None:
        self._timer.stop()
        self.is_moving = False
        self._say(words, has_failed=has_failed)

    def _say(self, words: str, *, has_failed: bool = False) -> None:
        self.words, self.has_failed = words, has_failed
        self.changed.emit()


def waiting_words(new: Path) -> str:
    return (
        f"The data was copied to {write_place(new)}, which is used from the next start on. "
        "The old folder stays until you delete it."
    )
