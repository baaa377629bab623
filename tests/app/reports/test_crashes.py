"""What is left of a program that broke, and what the next start says of it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.chat.notes import Action, Note
from app.reports.contents import FIRST_LINE
from app.reports.files import ReportFiles
from app.reports.report_window import ReportWindow
from app.reports.reports import begin
from app.reports.showing import ENDED_BADLY, SUBJECT, WENT_WRONG, WindowReports
from tests.app.driver import Driver
from tests.app.reports.crashing import TEXT, fail

PROJECT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The data folder that a program left behind which broke, and of one which met faults and went on."""
    folders = {way: tmp_path_factory.mktemp(way) for way in ("abort", "faults")}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.app.reports.crashing", way],
            cwd=PROJECT,
            env={**os.environ, "SLIPSTREAM_DATA": str(folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for way, folder in folders.items()
    ]
    for process in running:
        process.wait(30)
    return folders


@pytest.mark.parametrize(("way", "words"), [("abort", ENDED_BADLY), ("faults", WENT_WRONG)])
def test_the_next_start_says_once_that_there_is_a_report(
    driver: Driver, broken: dict[str, Path], way: str, words: str
) -> None:
    with begin(broken[way]) as reports:
        window, bar = driver.window, driver.window.workspace.bar
        WindowReports(reports, window.notes, window)
        assert bar.text == words
    next(button for button in bar.buttons if button.text() == "Show report").click()
    driver.wait(lambda: window.findChild(ReportWindow) is not None)
    WindowReports(reports, window.notes, window)
    assert not bar.isVisible()
    shown = window.findChild(ReportWindow)
    assert shown is not None
    assert shown.text.toPlainText().startswith(f"{FIRST_LINE}\n")
    shown.close()


def test_how_the_last_run_ended_is_past_with_the_next_message(driver: Driver, tmp_path: Path) -> None:
    window, bar = driver.window, driver.window.workspace.bar
    with begin(tmp_path) as reports:
        window.workspace.alike.do_to_each(WindowReports(reports, window.notes, window).attend)
        window.notes.show(SUBJECT, Note(ENDED_BADLY, (Action.SHOW_REPORT, Action.CLOSE), is_alert=True))
        assert bar.text == ENDED_BADLY
        driver.type("Hello")
        driver.wait_idle()
    assert bar.isHidden()


def test_each_fault_has_a_report_of_where_it_was_met(broken: dict[str, Path]) -> None:
    with begin(broken["abort"]):  # where the other test has not been here before, the report is written now
        texts = {way: [file.read_text(encoding="utf-8") for file in ReportFiles(broken[way]).all] for way in broken}
    assert ["Fatal Python error: Aborted" in text for text in texts["abort"]] == [True]
    for place in ("slot", "thread", "task", "started_task"):
        assert (
            sum(f"in fail_in_a_{place}\n" in text.partition("Log, the last lines")[0] for text in texts["faults"]) == 1
        )


def test_no_file_of_logs_and_reports_has_a_text_of_a_chat(broken: dict[str, Path]) -> None:
    for folder in broken.values():
        chats = b"".join(file.read_bytes() for file in folder.glob("conversations.sqlite*"))
        assert TEXT.encode() in chats  # it was typed
        written = [file for name in ("logs", "reports") for file in (folder / name).iterdir()]
        assert len(written) >= 2
        for file in written:
            text = file.read_text(encoding="utf-8")
            assert not [word for word in TEXT.split() if len(word) > 2 and word in text], file.name


def test_a_fault_on_another_thread_is_told_at_once_and_not_at_the_next_start(
    driver: Driver, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bar = driver.window.workspace.bar
    with begin(data_dir) as reports:
        WindowReports(reports, driver.window.notes, driver.window)
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        driver.wait(lambda: bar.text == WENT_WRONG)
        assert reports.files.untold is None
    caplog.clear()
