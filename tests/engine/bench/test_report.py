"""The report as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.bench.columns import FOOTNOTE, headers
from engine.bench.measure import OURS, THEIRS, measure
from engine.bench.report import render, table
from engine.bench.saved import describe
from engine.bench.setting import Setting, machine_name, num_cores, software_versions
from engine.bench.summary import summarise
from engine.bench.timing import Delivery, Run
from engine.headless import main
from tests.engine.bench.contests import contender, contest, run_of

SETTING = Setting(
    command="slipstream-engine bench",
    measured_at="2026-01-01T00:00:00+00:00",
    model="tiny",
    quantisation="fp32",
    floating_types="float32",
    device="a chip",
    blas="MLX's own",
    machine=machine_name(),
    num_cores=num_cores(),
    load_average=0.0,
    versions=software_versions(),
    prompts="code_edit",
    num_chats=1,
    num_prompts=1,
    max_tokens=8,
    repeats=1,
    seed=None,
)


def test_columns_are_aligned():
    assert table([["a", "bb"], ["ccc", "d"]]) == ["a    bb", "ccc   d"]


def test_report_names_the_machine_and_everybody_by_the_end_of_a_path():
    runs = [run_of(2.0, (1, 2, 3))]
    draft = "model:/a folder/tiny"
    contenders = [
        contender(THEIRS, "stream_generate", runs),
        contender(THEIRS, f"speculative {draft}", runs, draft),
        contender(OURS, draft, [run_of(1.0, (1, 2, 4))], draft),
    ]
    played = contest(*contenders)
    text = render(SETTING, summarise(played, list(measure([played], 1, lambda told: None))), ["A note."])
    assert "tiny (fp32 files, computed in float32) on a chip" in text
    assert f"mlx-lm {software_versions()['mlx-lm']}" in text
    assert "contender decode tok/s decode × mlx-lm wall s" in " ".join(text.split())
    assert "slipstream model:tiny against mlx-lm speculative model:tiny: decode 2.00 [2.00–2.00]" in text
    assert "same ids 0/1" in text
    assert text.endswith("A note.")


def test_decoding_of_a_batch_is_of_the_time_when_all_of_its_rows_run():
    late = [Delivery(0, 1, 1.0), Delivery(1, 1, 5.0), Delivery(0, 8, 6.0), Delivery(1, 12, 7.0)]
    runs = [Run(((1,) * 9, (1,) * 13), tuple(late), 7.0)]
    played = replace(contest(contender(THEIRS, "BatchGenerator", runs), contender(OURS, "none", runs)), batch_size=2)
    summaries = summarise(played, list(measure([played], 1, lambda told: None)))
    lines = render(SETTING, summaries, []).splitlines()
    header = next(line for line in lines if line.startswith("contender"))
    assert "decode tok/s (all rows running)" in header
    assert [line.split()[2] for line in lines if line.startswith(("mlx-lm Batch", "slipstream none"))] == ["8.0"] * 2
    assert lines[-1] == FOOTNOTE
    assert describe(SETTING, summaries, [], [], is_whole=True)["summaries"][0]["decode_tokens_per_second"]["median"] < 4


def test_every_column_has_a_legend_in_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "--help"])
    help_text = capsys.readouterr().out
    assert all(f"  {name}: " in help_text for name in headers(1))


def test_one_prompt_is_not_many():
    assert "\n1 prompt of code_edit" in render(SETTING, [], [])
    assert "\n2 prompts of code_edit" in render(replace(SETTING, num_prompts=2), [], [])


def test_a_report_without_a_whole_round_has_no_table():
    assert render(SETTING, [], []).count("\n") == 2
