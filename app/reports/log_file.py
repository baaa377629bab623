"""The log file in the data folder: what the program did, kept small by beginning it anew."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

from app.reports.safe_words import SafeFormatter, is_ours

FOLDER, NAME = "logs", "slipstream.log"
MOST_BYTES, NUM_BEFORE = 500_000, 2  # of one file, and how many earlier ones are kept
NUM_LINES = 200  # that a report has


class LogFile(RotatingFileHandler):
    """Takes our own records from info on, and warnings of every other library."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError where the folder cannot be written."""
        path = folder / FOLDER / NAME
        path.parent.mkdir(mode=0o700, exist_ok=True)
        super().__init__(path, maxBytes=MOST_BYTES, backupCount=NUM_BEFORE, encoding="utf-8", errors="replace")
        self.setLevel(logging.INFO)
        self.setFormatter(SafeFormatter())
        self.addFilter(lambda record: is_ours(record) or record.levelno >= logging.WARNING)

    def handleError(self, record: logging.LogRecord) -> None:
        """A disk that is full ends no program, and the terminal has the record."""


def last_lines(folder: Path) -> list[str]:
    """Of the log, the last ones; none where there is no log."""
    path = folder / FOLDER / NAME
    lines = _lines_of(path)
    if len(lines) < NUM_LINES:  # it was begun anew a moment ago
        lines = [*_lines_of(path.with_name(f"{NAME}.1")), *lines]
    return lines[-NUM_LINES:]


def _lines_of(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
