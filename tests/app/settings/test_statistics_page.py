"""The page Statistics of the settings: what it keeps, and all replies as a file."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.settings.preferences import StatisticsChoice
from app.settings.statistics_page import StatisticsSettings
from app.statistics.rates import LiveWindow, RateWindow
from tests.app.driver import Driver


@pytest.fixture
def page(driver: Driver) -> StatisticsSettings:
    driver.type("=1+1")
    driver.wait_idle()
    driver.window.settings_pages.show("Statistics")
    yield driver.window.settings_pages.window.made_page("Statistics")
    LiveWindow.seconds = 2.0


def test_live_rate_is_over_as_many_seconds_as_were_chosen(driver: Driver, page: StatisticsSettings) -> None:
    window = RateWindow()
    for second in range(10):
        window.add(float(second), 1 if second < 8 else 9)
    driver.qtbot.keyClick(page.seconds, Qt.Key.Key_Up)
    assert driver.window.settings.preferences.statistics == StatisticsChoice(live_seconds=1)
    assert window.rate(9.0) == 9.0


def test_all_recorded_replies_are_written(driver: Driver, page: StatisticsSettings, tmp_path: Path) -> None:
    table, tree = tmp_path / "statistics.csv", tmp_path / "statistics.json"
    driver.run(page.write(table))
    driver.run(page.write(tree))
    replies = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [one["chat"] for one in replies] == ["'=1+1"]
    replies = json.loads(tree.read_text(encoding="utf-8"))["replies"]
    assert [one["chat"] for one in replies] == ["=1+1"]
    assert page.note.text.startswith("The statistics of 1\u00a0reply were written to ")


def test_replies_from_before_the_days_that_are_kept_are_left_out(
    driver: Driver, page: StatisticsSettings, tmp_path: Path, ask
) -> None:
    ask(lambda store: store.connection.execute("UPDATE messages SET created_at = created_at - 864000") and None)
    for days, num_lines in ((7, 1), (30, 2), (0, 2)):
        choice = replace(driver.window.settings.preferences.statistics, keep_days=days)
        driver.window.settings.change(replace(driver.window.settings.preferences, statistics=choice))
        driver.run(page.write(tmp_path / "statistics.csv"))
        assert len((tmp_path / "statistics.csv").read_text().splitlines()) == num_lines


def test_file_that_cannot_be_written_is_told(driver: Driver, page: StatisticsSettings, tmp_path: Path) -> None:
    driver.run(page.write(tmp_path / "missing" / "statistics.csv"))
    assert page.note.text == "statistics.csv was not written: No such file or directory. Choose another folder."
