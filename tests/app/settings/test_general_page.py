"""GeneralPage: each control keeps its choice at once; opening at login writes and removes the system's file."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt

from app.settings.general_page import GeneralPage
from app.settings.login import login_path
from app.settings.preferences import General, Settings
from app.tasks import finish


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def test_choices_are_kept_at_once(qtbot, show, theme, settings, data_dir):
    page = GeneralPage(theme, settings)
    show(page)
    for switch in (page.reopen, page.notify):
        qtbot.keyClick(switch, Qt.Key.Key_Space)
    qtbot.keyClick(page.unload, Qt.Key.Key_Down)
    kept = Settings(data_dir).preferences.general
    assert kept == General(reopens_tabs=False, notifies=False, unload_minutes=60)


def test_opening_at_login_writes_the_file_and_switching_it_off_removes_it(run_async, show, theme, settings):
    page = GeneralPage(theme, settings)
    show(page)
    run_async(page.set_login(True))
    assert login_path().exists()
    assert settings.preferences.general.opens_at_login
    run_async(page.set_login(False))
    assert not login_path().exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="the folder has another name there")
def test_file_that_cannot_be_written_is_said_under_the_switch_which_goes_back(run_async, show, theme, settings, home):
    (home / "config").write_text("no folder")
    page = GeneralPage(theme, settings)
    show(page)
    page.login.set_on(True)
    run_async(page.set_login(True))
    assert "cannot be written" in page.login_row.problem.text()
    assert not page.login.isChecked()
    assert not settings.preferences.general.opens_at_login


def test_what_was_switched_last_is_what_the_system_does(qtbot, run_async, show, theme, settings):
    page = GeneralPage(theme, settings)
    show(page)
    for _ in range(10):
        qtbot.keyClick(page.login, Qt.Key.Key_Space)
    run_async(finish())
    assert (login_path().exists(), settings.preferences.general.opens_at_login) == (False, False)
    assert not page.login.isChecked()
