"""Shows reports, and says in the window that one was written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.chat.notes import Action, Note
from app.chat.tab import ChatTab
from app.chat.tab_notes import TabNotes
from app.conversations.off_thread import run_off_thread
from app.reports.contents import write_report
from app.reports.files import ReportFiles
from app.reports.report_window import ReportWindow
from app.reports.reports import Reports
from app.settings.folders import data_folder
from app.tasks import start

SUBJECT = "report"
ENDED_BADLY = "Slipstream ended unexpectedly the last time. What was written until then is saved."
WENT_WRONG = "Something went wrong. A report was written, without any text of your chats."


def show_report(parent: QWidget, about: str = "") -> None:
    """Open a report on what is known by now; `about` is a sentence of the program's own on why it is asked for."""
    name = f"slipstream-report-{datetime.now():%Y-%m-%d-%H%M}"
    start(_show(parent, name, lambda: write_report(data_folder(), about)))


def show_saved(parent: QWidget, path: Path) -> None:
    """Open a report that was written before."""
    start(_show(parent, f"slipstream-{path.stem}", lambda: path.read_text(encoding="utf-8")))


async def _show(parent: QWidget, name: str, read: Callable[[], str]) -> None:
    text = await run_off_thread(read)
    if isValid(parent):
        ReportWindow(text, name, parent.window()).open()


def report_failures(tab: ChatTab) -> None:
    """Have the note of a reply that failed open a report."""

    def take(action: Action, message_id: str) -> None:
        if action is Action.SHOW_REPORT:
            show_report(tab, "A reply failed.")

    tab.transcript.action_chosen.connect(take)


def show_folder(data: Path) -> None:
    """Of the reports, in the system's own program."""
    folder = ReportFiles(data).folder
    folder.mkdir(mode=0o700, exist_ok=True)
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


class WindowReports(QObject):
    """Says of each fault once that there is a report, those of the last run included."""

    def __init__(self, reports: Reports, notes: TabNotes, parent: QWidget) -> None:
        super().__init__(parent)
        self._files = reports.files
        self._notes = notes
        self._window = parent
        reports.written.connect(self._take)
        if (path := self._files.untold) is not None:
            self._tell(path, ENDED_BADLY if reports.last_run is not None else WENT_WRONG)

    def attend(self, tab: ChatTab) -> None:
        """Once the user goes on there, how the last run ended is past."""
        tab.composer.sent.connect(lambda draft: self._notes.take_back(ENDED_BADLY))

    def _take(self, path: Path, is_told: bool) -> None:
        if is_told:
            self._files.take_told()
        else:
            self._tell(path, WENT_WRONG)

    def _tell(self, path: Path, words: str) -> None:
        self._files.take_told()

        def act(action: Action) -> None:
            if action is Action.SHOW_REPORT:
                show_saved(self._window, path)

        self._notes.show(SUBJECT, Note(words, (Action.SHOW_REPORT, Action.CLOSE), is_alert=True), act)
