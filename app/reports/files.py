"""ReportFiles: the reports in the data folder, which of them nobody was told of, and how the last run ended."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TextIO

from app.kept_file import read_kept, write_kept

FOLDER = "reports"
NUM_KEPT = 10
RUNNING, UNTOLD, FAULT = "running.json", "untold.json", "fault.txt"
MOST_FAULT_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Running:
    """Lies in the folder while the program runs, and stays where it does not come to its end."""

    folder: str  # a copy of the data is no run that ended so
    started_at: float


@dataclass(frozen=True, slots=True)
class Untold:
    name: str  # of a report


class ReportFiles:
    """Every method may raise OSError but those that read."""

    def __init__(self, data_folder: Path) -> None:
        self.folder = data_folder / FOLDER

    def begin_run(self) -> tuple[Running | None, str, TextIO]:
        """The last run where it did not end in order, what the system wrote at its end, and where to write for this."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        before = read_kept(self.folder / RUNNING, _running, None)
        if before is not None and before.folder != str(self.folder):
            before = None
        fault = self._read_fault()
        write_kept(self.folder / RUNNING, Running(str(self.folder), time.time()))
        return before, fault, (self.folder / FAULT).open("w", encoding="utf-8")

    def end_run(self) -> None:
        (self.folder / RUNNING).unlink(missing_ok=True)
        (self.folder / FAULT).unlink(missing_ok=True)

    def write(self, text: str) -> Path:
        """Keep a report that is yet to be told of; the oldest goes."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        path = self._free_path()
        fresh = path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        os.replace(fresh, path)
        for old in self.all[:-NUM_KEPT]:
            old.unlink(missing_ok=True)
        write_kept(self.folder / UNTOLD, Untold(path.name))
        return path

    @property
    def all(self) -> list[Path]:
        """The latest last."""
        return sorted(self.folder.glob("report-*.txt"), key=lambda path: path.stem)

    @property
    def untold(self) -> Path | None:
        name = read_kept(self.folder / UNTOLD, lambda found: str(found["name"]), "")
        path = self.folder / Path(name).name
        return path if name and path.is_file() else None

    def take_told(self) -> None:
        with contextlib.suppress(OSError):
            (self.folder / UNTOLD).unlink(missing_ok=True)

    def _free_path(self) -> Path:
        """Its name comes after those of all others, also of several in one second."""
        stem = f"report-{datetime.now():%Y-%m-%d-%H%M%S}"
        of_now = [path for path in self.all if path.stem.startswith(stem)]
        if not of_now:
            return self.folder / f"{stem}.txt"
        number = int(of_now[-1].stem[len(stem) + 1 :] or 0) + 1
        return self.folder / f"{stem}-{number:02d}.txt"

    def _read_fault(self) -> str:
        try:
            with (self.folder / FAULT).open(encoding="utf-8", errors="replace") as file:
                return file.read(MOST_FAULT_BYTES).strip()
        except OSError:
            return ""


def _running(found: dict[str, object]) -> Running:
    return Running(str(found["folder"]), float(str(found["started_at"])))
