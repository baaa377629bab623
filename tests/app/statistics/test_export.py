"""Files of statistics."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.shown_paths import write_place
from app.statistics.export import as_csv, as_json
from app.statistics.memory import MemoryWatch
from app.statistics.page import StatisticsPage
from app.theme.theme import Theme
from engine.messages import CacheReport, MemoryReport
from tests.app.driver import RunAsync
from tests.app.statistics.replies import Talk


def two_replies(talk: Talk) -> None:
    talk.begin(1)
    talk.round(1, 2, 1)
    talk.end(1)
    talk.begin(2, "rust")
    talk.round(2)


def test_csv_has_a_line_for_each_reply_with_every_count(talk: Talk) -> None:
    two_replies(talk)
    rows = list(csv.DictReader(io.StringIO(as_csv(talk.history))))
    assert [row["chat"] for row in rows] == ["New chat", "Why does ice float?"]
    assert (rows[1]["num_accepted"], rows[1]["proposed_by_position"]) == ("1", "1 1")
    assert (rows[1]["finish_reason"], rows[0]["is_running"]) == ("stop", "True")
    assert len(list(csv.DictReader(io.StringIO(as_csv(talk.history, "rust"))))) == 1


def test_a_title_is_no_formula_of_a_spreadsheet(talk: Talk) -> None:
    two_replies(talk)
    talk.history.title_of = lambda conversation_id: '=HYPERLINK("x")'
    assert next(csv.DictReader(io.StringIO(as_csv(talk.history))))["chat"] == '\'=HYPERLINK("x")'


def test_json_has_the_rounds_and_what_the_engine_held(talk: Talk) -> None:
    two_replies(talk)
    whole = json.loads(as_json(talk.history, MemoryReport(weight_bytes=5), CacheReport(disk_bytes=7)))
    assert whole["replies"][1]["last_rounds"][0]["num_proposed"] == 2
    assert whole["replies"][1]["statistics"]["num_tokens"] == 2
    assert (whole["memory"]["weight_bytes"], whole["prompt_cache_bytes"]["disk"]) == (5, 7)


def test_the_page_writes_a_file_and_says_where(
    qtbot: QtBot, theme: Theme, talk: Talk, run_async: RunAsync, tmp_path: Path
) -> None:
    two_replies(talk)
    page = StatisticsPage(theme, talk.history, MemoryWatch(talk.bridge))  # type: ignore[arg-type]
    qtbot.addWidget(page)
    page.show()
    file = tmp_path / "statistics.csv"
    run_async(page.exporting.write(str(file), "CSV"))
    assert file.read_text("utf-8").startswith("chat,message,model")
    assert page.exporting.note.text == f"The statistics were written to {write_place(file)}."
    run_async(page.exporting.write(str(tmp_path / "none" / "x.json"), "JSON"))
    assert page.exporting.note.text == "x.json was not written: No such file or directory. Choose another folder."
