"""The bench command as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from engine.headless import main
from tests.engine.drafters.tiny_eagle3 import tiny_eagle3


@pytest.fixture(autouse=True)
def _no_preload(monkeypatch):
    """Starting the process again with another BLAS would start the tests again."""
    monkeypatch.setattr("engine.blas.preload_blas", lambda: None)
    monkeypatch.setattr("engine.bench.command.missing_blas_hint", lambda: "")


@pytest.fixture
def prompts(tmp_path):
    path = tmp_path / "prompts.jsonl"
    path.write_text('{"prompt": "The quick brown fox"}\n{"turns": ["abc", "more"]}\n', encoding="utf-8")
    return path


def bench(target, prompts, *arguments):
    options = ["--model", target, "--prompts", prompts, "--max-tokens", "8", "--repeats", "2", *arguments]
    return main(["bench", *map(str, options)])


def test_every_configuration_is_measured_and_saved(target, prompts, tmp_path, capsys):
    saved = tmp_path / "figures.json"
    drafters = f"none,ngram,model:{target}"
    assert bench(target, prompts, "--batch", "1,2", "--drafters", drafters, "--json", saved) == 0
    output = capsys.readouterr().out
    assert "slipstream model:tiny against mlx-lm speculative model:tiny" in output
    assert "Batch 2: left out, since they do not fill a batch: 1 of 3 prompts." in output
    figures = json.loads(saved.read_text(encoding="utf-8"))
    labels = [(summary["batch_size"], summary["label"]) for summary in figures["summaries"]]
    ours = ["slipstream none", "slipstream ngram", f"slipstream model:{target}"]
    alone = ["mlx-lm stream_generate", f"mlx-lm speculative model:{target}", *ours]
    assert labels == [(1, label) for label in alone] + [(2, label) for label in ["mlx-lm BatchGenerator", *ours]]
    comparisons = [comparison for summary in figures["summaries"] for comparison in summary["comparisons"]]
    assert all(comparison["num_same_ids"] == comparison["num_prompts"] for comparison in comparisons)
    assert len(figures["runs"]) == 2 * (3 * 5 + 1 * 4)
    assert figures["is_whole"]
    assert figures["setting"]["command"].startswith("slipstream-engine bench --model")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--prompts", "/nowhere.jsonl"], "/nowhere.jsonl"),
        (["--drafters", "none,tea-leaves"], "unknown drafter 'tea-leaves'; choose one of: none, ngram"),
        (["--drafters", " , "], "--drafters"),
        (["--drafters", "model:/nowhere/at/all"], "/nowhere/at/all"),
        (["--batch", "9"], "from 1 to 8"),
        (["--batch", "4"], "too few for a batch of 4"),
        (["--max-tokens", "0"], "--max-tokens"),
        (["--max-tokens", "500"], "context holds 512"),
        (["--limit", "-1"], "--limit"),
        (["--repeats", "0"], "--repeats"),
        (["--json", "/nowhere/at/all.json"], "--json"),
        (["--model", "/nowhere/at/all"], "/nowhere/at/all"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(target, prompts, capsys, arguments, part):
    assert bench(target, prompts, "--batch", "1", *arguments) == 2
    captured = capsys.readouterr()
    assert part in captured.err.splitlines()[-1]
    assert captured.out == ""


def test_an_empty_set_is_refused(target, tmp_path, capsys):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n", encoding="utf-8")
    assert bench(target, empty) == 2
    assert "no prompts" in capsys.readouterr().err


def test_interrupt_before_anything_was_measured_is_one_line(target, prompts, tmp_path):
    options = ["--model", target, "--prompts", prompts, "--max-tokens", "400", "--batch", "1"]
    command = [sys.executable, "-m", "engine.headless", "bench", *options, "--json", tmp_path / "figures.json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "loading" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(2)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert errors.splitlines()[-1] == "slipstream-engine: interrupted before anything was measured"
    assert "Traceback" not in errors


def test_interrupt_reports_what_was_measured(target, prompts, tmp_path):
    saved = tmp_path / "figures.json"
    options = ["--model", target, "--prompts", prompts, "--max-tokens", "8", "--drafters", "none", "--batch", "1"]
    command = [sys.executable, "-m", "engine.headless", "bench", *options, "--repeats", "100000", "--json", saved]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while "repeat 3 " not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(2)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "slipstream none" in output
    figures = json.loads(saved.read_text(encoding="utf-8"))
    assert not figures["is_whole"]
    assert len(figures["runs"]) >= 2 * 2 * 3


def test_drafter_that_reads_its_target_is_measured_without_mlx_lm_s_own_speculation(target, prompts, tmp_path, capsys):
    drafter = tiny_eagle3(tmp_path / "eagle", target, eagle_aux_hidden_state_layer_ids=[0, 1, 0])
    name = f"auto:{drafter}"
    assert (
        bench(target, prompts, "--batch", "1", "--drafters", f"none,{name}", "--limit", "1", "--max-tokens", "8") == 0
    )
    output = capsys.readouterr().out
    assert "auto:eagle" in output
    assert "speculative" not in output
