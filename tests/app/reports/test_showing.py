"""Opening a report: from the menus, of a reply that failed and of an engine that stopped; copying and saving it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.reports.contents import FIRST_LINE
from app.reports.report_window import ReportWindow
from engine.messages import Failed
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine
from tests.app.upkeep.test_engine_keeper import starts


def shown(driver: Driver) -> ReportWindow:
    driver.wait(lambda: driver.window.findChild(ReportWindow) is not None)
    found = driver.window.findChild(ReportWindow)
    assert found is not None
    return found


def test_the_menu_writes_a_report_to_be_read_and_copied(driver: Driver) -> None:
    driver.window.actions_of_window.write_report.trigger()
    report = shown(driver)
    assert report.text.isReadOnly()
    assert report.text.toPlainText().startswith(f"{FIRST_LINE}\n")
    report.copy_button.click()
    assert QGuiApplication.clipboard().text() == report.text.toPlainText()
    report.close()


def test_a_reply_that_failed_offers_a_report_that_does_not_quote_it(driver: Driver, fake_engine: FakeEngine) -> None:
    fake_engine.ending = Failed(0, "engine", "purple elephants")
    driver.type("Do elephants waltz?")
    driver.wait_idle()
    driver.press("Show the report of what failed")
    report = shown(driver)
    assert "\nA reply failed.\n" in report.text.toPlainText()
    assert "elephants" not in report.text.toPlainText()
    report.close()


def test_an_engine_that_stopped_offers_a_report(driver: Driver, fake_engine: FakeEngine) -> None:
    driver.wait(lambda: driver.window.chooser.is_loaded)
    fake_engine.emit(Failed(0, "engine", "purple elephants"))
    driver.wait(lambda: bool(starts(driver)))
    driver.press("Show the report of what failed")
    report = shown(driver)
    assert "\nThe engine stopped.\n" in report.text.toPlainText()
    report.close()


def test_a_report_is_saved_and_where_it_cannot_be_it_says_why(driver: Driver, tmp_path: Path) -> None:
    driver.window.actions_of_window.write_report.trigger()
    report = shown(driver)
    driver.run(report.save(tmp_path / "report.txt"))
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == report.text.toPlainText()
    assert report.told.text().startswith("Saved as ")
    driver.run(report.save(tmp_path / "nowhere" / "report.txt"))
    assert report.told.text() == "report.txt was not saved: No such file or directory. Choose another folder."
    report.close()


def test_the_folder_of_reports_is_shown_before_there_is_one(
    driver: Driver, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    driver.window.actions_of_window.show_reports.trigger()
    assert [url.toLocalFile() for url in opened] == [str(data_dir / "reports")]
    assert (data_dir / "reports").is_dir()
