"""Reports of one run: when they are written, told and kept, and what is in force meanwhile."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from app.reports.contents import safe_settings, write_report
from app.reports.files import NUM_KEPT, ReportFiles
from app.reports.log_file import MOST_BYTES, last_lines
from app.reports.reports import MOST_IN_A_RUN, Reports, begin
from app.settings.preferences import LibraryChoice, ModelChoice, Preferences, Settings
from app.settings.presets import Presets

logger = logging.getLogger("app.tests")


@pytest.fixture
def reports(qapp: QApplication, data_dir: Path) -> Iterator[Reports]:
    with begin(data_dir) as reports:
        yield reports


def meet(number: int) -> None:
    """A fault that differs from others by its line."""
    source = "\n" * number + "raise ValueError"
    try:
        exec(compile(source, "made.up", "exec"), {})
    except ValueError:
        logger.exception("a fault")


def test_a_run_that_ends_in_order_leaves_nothing_to_tell(data_dir: Path, qapp: QApplication) -> None:
    hooks = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    with begin(data_dir) as first:
        assert first.last_run is None
        assert (sys.excepthook, threading.excepthook, sys.unraisablehook) != hooks
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == hooks
    qInstallMessageHandler(before := qInstallMessageHandler(None))
    with begin(data_dir) as second:
        assert (second.last_run, second.files.untold) == (None, None)
    assert qInstallMessageHandler(before) is before


def test_a_fault_that_comes_again_is_reported_once_and_not_endlessly_many(
    reports: Reports, caplog: pytest.LogCaptureFixture
) -> None:
    for number in (0, 0, *range(MOST_IN_A_RUN + 3)):
        meet(number)
    caplog.clear()
    assert len(reports.files.all) == MOST_IN_A_RUN


def test_only_the_latest_reports_are_kept(data_dir: Path) -> None:
    files = ReportFiles(data_dir)
    paths = [files.write(f"{number}") for number in range(NUM_KEPT + 3)]
    assert len(files.all) == NUM_KEPT
    assert files.untold == paths[-1]


def test_a_copy_of_the_data_of_a_running_program_is_no_crash(reports: Reports, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    (copy / "reports").mkdir(parents=True)
    (copy / "reports" / "running.json").write_bytes((reports.files.folder / "running.json").read_bytes())
    before, _, fault = ReportFiles(copy).begin_run()
    fault.close()
    assert before is None


def test_an_exception_that_ends_the_program_is_reported_unless_it_is_told_otherwise(
    qapp: QApplication, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(KeyError), begin(data_dir, expected=(KeyError,)):
        raise KeyError
    assert ReportFiles(data_dir).untold is None
    with pytest.raises(ValueError, match="it broke"), begin(data_dir):
        raise ValueError("it broke")
    assert ReportFiles(data_dir).untold is not None
    caplog.clear()


def test_a_folder_that_cannot_be_written_keeps_no_program_from_starting(
    qapp: QApplication, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("logs", "reports"):
        (data_dir / name).write_text("")
    with begin(data_dir) as reports:
        assert reports.files.untold is None
    caplog.clear()


def test_the_log_is_begun_anew_before_it_is_large(
    reports: Reports, data_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)  # as the program has it
    line = "a" * 1000
    for _ in range(2 * MOST_BYTES // 1000):
        logger.info(line)
    assert sum(file.stat().st_size for file in (data_dir / "logs").iterdir()) < 3.1 * MOST_BYTES
    assert len(last_lines(data_dir)) == 200


def test_settings_are_told_without_secrets_and_without_what_a_user_wrote() -> None:
    library = LibraryChoice(endpoint="https://name:word@hub.example:8080/a?key=1")
    models = {"m": ModelChoice(template="You are a {{ purple }} elephant")}
    told = safe_settings(replace(Preferences(), library=library, models=models))
    assert told["library"]["endpoint"] == "https://hub.example:8080/a"
    assert told["models"]["m"]["template"] == "(31 characters)"
    assert "elephant" not in json.dumps(told)


def test_a_report_names_models_and_drafters_and_no_home_folder(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = Settings(data_dir)
    settings.change(Preferences(target=f"{tmp_path}/models/Qwen3-8B"))
    settings.change_model(settings.preferences.target, ModelChoice(drafter="suffix"))
    Presets(data_dir).change(replace(Presets(data_dir).get(""), system_prompt="Be a purple elephant"))
    text = write_report(data_dir, "The engine stopped.")
    assert "\nThe engine stopped.\n" in text
    assert "Qwen3 8B, drafter Suffix" in text or "Qwen3-8B, drafter Suffix" in text
    assert '"target": "~/models/Qwen3-8B"' in text
    assert str(tmp_path) not in text
    assert "elephant" not in text
