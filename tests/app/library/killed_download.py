"""Begins a download as the program does and waits to be killed: `python killed_download.py DATA REPOSITORY`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import qasync
from PySide6.QtCore import QCoreApplication

from app.library.downloads import Downloads
from app.library.hub import Hub
from app.settings.preferences import Settings


def main(folder: Path, repo_id: str) -> None:
    loop = qasync.QEventLoop(QCoreApplication([]))
    asyncio.set_event_loop(loop)
    hub = Hub(Settings(folder))
    downloads = Downloads(hub, folder)
    downloads.add(repo_id)
    loop.run_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
