"""Reports: keeps the log, and writes a report of each fault; knows at the start whether the last run ended in order."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import threading
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TextIO

from PySide6.QtCore import QObject, Signal

from app.reports import hooks
from app.reports.contents import write_report
from app.reports.files import ReportFiles, Running
from app.reports.log_file import LogFile
from app.reports.safe_words import SafeFormatter, is_ours, shorten, write_traceback

logger = logging.getLogger(__name__)
MOST_IN_A_RUN = 5  # reports of different faults: one that comes with every frame would fill the disk
FAULT = "Something went wrong, and the program went on."


class _Faults(logging.Handler):
    """Has a report written of each of our records that carries an exception."""

    def __init__(self, reports: Reports) -> None:
        super().__init__(logging.ERROR)
        self._reports = reports
        self._formatter = SafeFormatter()

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and is_ours(record):
            self._reports.record(error, is_told=record.name != hooks.logger.name)


class Reports(QObject):
    """Begun once, when this program alone uses the data folder; as a context it ends with it.

    An exception that leaves the context is reported, unless it is of a kind in `expected`.
    """

    written = Signal(object, bool)  # Path of a report and whether its fault is told elsewhere; on any thread

    def __init__(self, data_folder: Path, expected: tuple[type[BaseException], ...] = ()) -> None:
        super().__init__()
        self.data_folder = data_folder
        self.files = ReportFiles(data_folder)
        self._expected = (*expected, KeyboardInterrupt, SystemExit)
        self._known: set[str] = set()  # faults of this run
        self._lock = threading.Lock()
        self._handlers: list[logging.Handler] = [_Faults(self)]
        self._fault_file: TextIO | None = None
        self.last_run: Running | None = None  # where it did not end in order
        with suppress(OSError):  # a folder that cannot be written is told of by whoever needs it
            self._handlers.insert(0, LogFile(data_folder))
        for handler in self._handlers:
            logging.getLogger().addHandler(handler)
        with suppress(OSError):
            self.last_run, fault, self._fault_file = self.files.begin_run()
            self._take_last_run(fault)
            faulthandler.enable(self._fault_file)
        self._hooks = hooks.Hooks()
        logger.info("Slipstream has started")

    def __enter__(self) -> Reports:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        if error is not None and not isinstance(error, self._expected):
            logger.error("the program ends with an exception", exc_info=error)
        self.close()

    def attend(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hear of exceptions in the tasks of the window's loop."""
        self._hooks.attend(loop)

    def record(self, error: BaseException, *, is_told: bool = False) -> Path | None:
        """Write a report of a fault and tell of it; None where it is known already, or cannot be written."""
        words = write_traceback(error)
        with self._lock:
            if words in self._known or len(self._known) >= MOST_IN_A_RUN:
                return None
            self._known.add(words)
            path = self._write(FAULT, words)
        if path is not None:
            self.written.emit(path, is_told)
        return path

    def close(self) -> None:
        """The program ends in order."""
        logger.info("Slipstream has ended")
        self._hooks.close()
        for handler in self._handlers:
            logging.getLogger().removeHandler(handler)
            handler.close()
        if self._fault_file is not None:
            faulthandler.disable()
            self._fault_file.close()
        with suppress(OSError):
            self.files.end_run()

    def _take_last_run(self, fault: str) -> None:
        if self.last_run is None:
            return
        when = datetime.fromtimestamp(self.last_run.started_at)
        about = f"The run that began on {when.day} {when:%B at %H:%M} did not come to its end."
        self._write(about, shorten(fault))

    def _write(self, about: str, words: str) -> Path | None:
        try:
            return self.files.write(write_report(self.data_folder, about, words))
        except OSError as error:
            logger.warning("a report was not written: %s", error)
            return None


def begin(data_folder: Path, expected: tuple[type[BaseException], ...] = ()) -> Reports:
    """Called once, before the window; `expected` are exceptions that are told otherwise."""
    return Reports(data_folder, expected)
