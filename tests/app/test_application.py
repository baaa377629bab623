"""Qt's application, as the program wants it; in a process of its own, as there is one in each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EARLY_AND_LATE = """
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFileOpenEvent
from app.application import Application
application, opened = Application(["slipstream"]), []
QCoreApplication.sendEvent(application, QFileOpenEvent("/early"))
application.follow_files(opened.append)
QCoreApplication.sendEvent(application, QFileOpenEvent("/late one"))
print(opened)
"""


def test_a_file_that_macos_asks_for_early_waits_for_who_opens_it() -> None:
    command = [sys.executable, "-c", EARLY_AND_LATE]
    ended = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "['/early', '/late one']"
