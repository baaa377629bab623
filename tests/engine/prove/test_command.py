"""`slipstream-engine prove` from its options to its exit status."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import mlx.core as mx
import pytest
from mlx_lm.models import llama

from engine.drafters.table import DRAFTERS
from engine.kv.extent import Extent
from engine.prove.checks import CHECKS
from engine.target import Target, Verified
from tests.engine.tiny import tiny_folder

ALL_CHECKS = {check.name for check in CHECKS}


def check_of(result: dict, name: str, drafter: str) -> dict:
    return next(check for check in result["checks"] if (check["check"], check["drafter"]) == (name, drafter))


def shift_wide_logits(monkeypatch, amount: float, tokens: slice) -> None:
    """Let the engine's forwards of several positions score some tokens higher than those of one position do."""
    verify = Target.verify

    def shifted(self, rows, windows, tap_layers):
        logits = verify(self, rows, windows, tap_layers).logits
        return Verified(logits.at[..., tokens].add(amount) if windows.shape[1] > 1 else logits, None)

    monkeypatch.setattr(Target, "verify", shifted)


def test_everything_is_proved_on_a_sound_engine(found, target):
    status, result, table = found("--drafters", f"none,ngram,suffix,model:{target}", "--seeds", "2")
    assert status == 0, table
    assert result["is_complete"]
    assert {check["check"] for check in result["checks"]} == ALL_CHECKS
    assert len(result["checks"]) == 4 * 5 - 1  # undrafted replies are the reference
    assert all(check["equal"] == check["replies"] == 9 for check in result["checks"])
    idle = {("ngram", name) for name in ALL_CHECKS} | {("suffix", "restored = recomputed")}  # nothing to copy from
    assert {check["remark"] for check in result["checks"] if (check["drafter"], check["check"]) not in idle} == {""}
    assert "No real difference: 171 of 171 replies equal" in table
    assert {"none", "ngram", "suffix", "model"} <= set(DRAFTERS)


def test_stress_drafter_is_partly_right_and_partly_wrong(found):
    _, result, _ = found("--drafters", "none")
    for name in ALL_CHECKS:
        stress = check_of(result, name, "stress")
        assert 0.2 < stress["accepted"] / stress["proposed"] < 0.8


@pytest.mark.parametrize("drafter", ["stress", "suffix"])
def test_windows_that_score_wrongly_are_a_difference(found, monkeypatch, drafter):
    shift_wide_logits(monkeypatch, 5.0, slice(0, None, 2))
    status, result, table = found("--drafters", "none,suffix")
    drafted = check_of(result, "drafted = undrafted", drafter)
    assert status == 1
    assert drafted["differences"] > 0
    assert all(one["gap"] > one["tolerance"] for one in drafted["unequal"] if not one["is_near_tie"])
    assert "DIFFERENCE: drafted = undrafted" in table
    assert "There are real differences" in table


def test_model_whose_windows_are_wrong_in_themselves_is_no_near_tie(found, monkeypatch):
    forward = llama.Model.__call__

    def wrong(self, inputs, cache=None, **options):
        logits = forward(self, inputs, cache=cache, **options)
        return logits + 3.0 * mx.sin(mx.arange(logits.shape[-1])) * (inputs.shape[1] > 1)

    monkeypatch.setattr(llama.Model, "__call__", wrong)
    status, result, _ = found("--drafters", "none", "--seeds", "0")
    unequal = check_of(result, "drafted = undrafted", "stress")["unequal"]
    assert status == 1
    assert any(not one["is_near_tie"] and one["movement"] > 1 > one["tolerance"] for one in unequal)


def test_rewinding_that_is_switched_off_is_a_difference(found, monkeypatch, caplog):
    keep_all = lambda extent, kept: setattr(extent, "lengths", [n + extent.forward.width for n in extent.lengths])  # noqa: E731
    monkeypatch.setattr(Extent, "commit", keep_all)
    status, result, _ = found("--drafters", "none", "--seeds", "0")
    assert status == 1
    assert check_of(result, "drafted = undrafted", "stress")["differences"] > 0
    assert check_of(result, "batched = alone", "none")["differences"] == 0
    caplog.clear()  # a state longer than its text is not saved, and its rows fail


def test_tokens_of_equal_score_that_rounding_turns_round_are_near_ties(found, monkeypatch, tmp_path):
    tied = tiny_folder(tmp_path / "tied")
    weights = mx.load(str(tied / "model.safetensors"))
    head = weights["lm_head.weight"]
    weights["lm_head.weight"] = mx.concatenate([mx.repeat(head[:256:2], 2, axis=0), head[256:]])
    mx.save_safetensors(str(tied / "model.safetensors"), weights, {"format": "mlx"})
    shift_wide_logits(monkeypatch, 2e-6, slice(1, 256, 2))
    status, result, table = found("--model", tied, "--drafters", "none", "--seeds", "0")
    drafted = check_of(result, "drafted = undrafted", "stress")
    assert status == 0, table
    assert (drafted["near_ties"], drafted["differences"]) == (3, 0)
    assert "near tie: drafted = undrafted, stress, prompt 1, greedy, token" in table


def test_reply_that_fails_is_a_difference_and_says_why(found, monkeypatch, caplog):
    monkeypatch.setattr("engine.prove.scripted.ScriptedRows.propose", lambda *_: 1 / 0)
    status, result, table = found("--drafters", "none", "--seeds", "0")
    caplog.clear()
    assert status == 1
    assert check_of(result, "drafted = undrafted", "stress")["differences"] == 3
    assert "DIFFERENCE: drafted = undrafted, stress, prompt 1, greedy: the engine could not go on" in table


def test_reference_that_fails_ends_the_proof(found, monkeypatch, caplog):
    monkeypatch.setattr(Target, "verify", lambda *_: 1 / 0)
    status, result, table = found()
    caplog.clear()
    assert (status, result["is_complete"]) == (1, False)
    assert table == "Nothing was proved.\n"


def test_check_in_which_nothing_happened_says_that_it_proved_nothing(found, tmp_path):
    one = tmp_path / "one.jsonl"
    one.write_text('{"prompt": "x"}')
    status, result, table = found("--prompts", one, "--seeds", "0", "--drafters", "none,ngram", "--max-tokens", "4")
    assert status == 0, table
    assert check_of(result, "drafted = undrafted", "ngram")["remark"] == "proved nothing: nothing was proposed"
    assert check_of(result, "batched = alone", "stress")["remark"] == "proved nothing: no two rows shared a forward"
    assert "proved nothing of the drafter" in check_of(result, "cancelled neighbour = none", "ngram")["remark"]
    assert "proved nothing: nothing was proposed" in table


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (
            ["--drafters", "ngram,tea-leaves"],
            "unknown drafter 'tea-leaves'; choose one of: none, ngram, suffix, auto:PATH",
        ),
        (
            ["--drafters", ""],
            "--drafters is ''; give names with commas between, of: none, ngram, suffix, auto",
        ),
        (["--drafters", "none,stress"], "'stress' always takes part and is not named; give --drafters of: none, ngram"),
        (["--drafters", "model:/nowhere/at/all"], "/nowhere/at/all"),
        (["--model", "/nowhere/at/all"], "/nowhere/at/all"),
        (["--prompts", "/nowhere.jsonl"], "/nowhere.jsonl cannot be read"),
        (["--max-tokens", "0"], "--max-tokens is 0; it must be 1 or more"),
        (["--seeds", "-1"], "--seeds is -1"),
        (["--json", "/nowhere/found.json"], "--json '/nowhere/found.json' cannot be written"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(prove, capsys, options, part):
    assert prove(*options) == 2
    captured = capsys.readouterr()
    assert part in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("prompt", ["  ", "word " * 400])
def test_prompt_that_cannot_be_answered_is_refused(prove, tmp_path, capsys, prompt):
    bad = tmp_path / "bad.jsonl"
    bad.write_text(f'"fine"\n"{prompt}"')
    assert prove("--prompts", bad) == 2
    assert "blank" in (error := capsys.readouterr().err) or "context holds 512" in error


def test_interrupt_tells_what_was_proved_so_far(target, prompts, data_dir):
    options = ["--model", target, "--prompts", prompts, "--max-tokens", "150"]
    command = [sys.executable, "-m", "engine.headless", "prove", *map(str, options)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert any("check 2 of" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert re.search(r"drafted = undrafted +ngram +6 +6 +0 +0", output)
    assert "not all checks were made" in output
