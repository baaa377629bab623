"""The report of a check whose tab is closed while it is written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from shiboken6 import delete

from app.chat.notes import NoteBar
from app.chat.session import ChatSession
from app.chat.tab_checks import TabChecks
from app.chat.tab_notes import TabNotes
from app.chat.transcript import Transcript
from app.tasks import failures, finish, start
from app.theme.theme import Theme
from tests.app.driver import RunAsync


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("report.json", []),
        ("nowhere/report.json", ["report.json was not saved: No such file or directory. Choose another folder."]),
    ],
)
def test_a_report_is_written_though_its_tab_is_closed(
    make_session: Callable[[], ChatSession],
    theme: Theme,
    transcript: Transcript,
    run_async: RunAsync,
    tmp_path: Path,
    name: str,
    said: list[str],
) -> None:
    tab, told = QWidget(), list[str]()
    checks = TabChecks(make_session(), transcript, TabNotes([NoteBar(theme, tab)], tab), tab)
    failures.happened.connect(told.append)
    start(checks.save(tmp_path / name, "report"))
    delete(tab)
    run_async(finish())
    failures.happened.disconnect(told.append)
    assert told == said
    assert (tmp_path / name).exists() is (not said)
