"""The report as text."""

from __future__ import annotations

from engine.bench.measure import OURS, THEIRS, measure
from engine.bench.report import render, table
from engine.bench.setting import Setting, machine_name, num_cores, software_versions
from engine.bench.summary import summarise
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
    assert "slipstream model:tiny against mlx-lm speculative model:tiny: decode 2.00 [2.00–2.00]" in text
    assert "same ids 0/1" in text
    assert text.endswith("A note.")


def test_a_report_without_a_whole_round_has_no_table():
    assert render(SETTING, [], []).count("\n") == 2
