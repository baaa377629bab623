"""The headless tool as a user calls it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from engine.headless import main
from engine.messages import Statistics
from engine.models.locate import STARTER_FILE
from tests.engine.models.tiny_gguf import write_tiny_gguf

QUESTION = "The quick brown fox"


@pytest.fixture(autouse=True)
def _no_preload(monkeypatch):
    """Starting the process again with another BLAS would start the tests again."""
    monkeypatch.setattr("engine.blas.preload_blas", lambda: None)
    monkeypatch.setattr("engine.ask.missing_blas_hint", lambda: "")


def ask(*arguments: str | Path) -> int:
    return main(["ask", *map(str, arguments)])


def test_json_gives_one_object_with_every_statistic(target, capsys):
    assert ask(QUESTION, "--model", target, "--json", "--max-tokens", "12", "--seed", "5") == 0
    reply = json.loads(capsys.readouterr().out)
    assert list(reply) == ["text", "token_ids", "finish_reason", "seed", "statistics"]
    assert (len(reply["token_ids"]), reply["finish_reason"], reply["seed"]) == (12, "length", 5)
    assert set(reply["statistics"]) == {field.name for field in fields(Statistics)}


def test_text_streams_to_the_terminal(target, capsys):
    ask(QUESTION, "--model", target, "--json", "--max-tokens", "12")
    text = json.loads(capsys.readouterr().out)["text"]
    assert ask(QUESTION, "--model", target, "--max-tokens", "12") == 0
    assert capsys.readouterr().out == text + "\n"


def test_drafters_give_the_same_ids(looping_target, capsys):
    replies = []
    for drafter in ("none", "ngram"):
        ask(QUESTION, "--model", looping_target, "--json", "--max-tokens", "80", "--drafter", drafter)
        replies.append(json.loads(capsys.readouterr().out))
    assert replies[0]["token_ids"] == replies[1]["token_ids"]
    assert replies[1]["statistics"]["num_accepted"] > 0


def test_batch_answers_one_object_a_line_in_order(target, tmp_path, capsys):
    batch = tmp_path / "questions.jsonl"
    batch.write_text('{"prompt": "one"}\n\n{"prompt": ""}\n"three"\n', encoding="utf-8")
    assert ask("--batch", batch, "--model", target, "--max-tokens", "5") == 2
    first, empty, third = map(json.loads, capsys.readouterr().out.splitlines())
    assert len(first["token_ids"]) == len(third["token_ids"]) == 5
    assert (empty["text"], empty["token_ids"]) == ("", [])
    assert "blank" in empty["error"]


def test_sampling_options_reach_the_engine_and_logprobs_come_back(target, capsys):
    draw = ["--json", "--max-tokens", "6", "--seed", "3", "--temperature", "3"]
    filters = ["--top-p", "0.9", "--top-k", "30", "--min-p", "0.01", "--logprobs", "2"]
    penalties = ["--repetition-penalty", "1.2", "--presence-penalty", "0.5", "--frequency-penalty", "0.5"]
    assert ask(QUESTION, "--model", target, *draw, *filters, *penalties) == 0
    reply = json.loads(capsys.readouterr().out)
    assert [entry["token_id"] for entry in reply["logprobs"]] == reply["token_ids"]
    assert all(len(entry["top"]) == 2 for entry in reply["logprobs"])
    ask(QUESTION, "--model", target, *draw)
    assert json.loads(capsys.readouterr().out)["token_ids"] != reply["token_ids"]


def test_grammars_come_from_a_file_or_the_command_line(target, tmp_path, capsys):
    schema = tmp_path / "schema.json"
    schema.write_text('{"enum": ["red", "green"]}', encoding="utf-8")
    assert ask(QUESTION, "--model", target, "--json-schema", schema) == 0
    assert capsys.readouterr().out.strip() in {'"red"', '"green"'}
    assert ask(QUESTION, "--model", target, "--regex", "[0-9]{3}") == 0
    assert re.fullmatch(r"\d{3}\n", capsys.readouterr().out)


@pytest.mark.parametrize("output", [["--json"], []], ids=["json", "text"])
@pytest.mark.parametrize("rule", ["--regex", "--json-schema"])
def test_reply_that_its_limit_cuts_off_inside_a_grammar_has_a_status_of_its_own(target, tmp_path, capsys, rule, output):
    schema = tmp_path / "schema.json"
    schema.write_text('{"enum": ["red and blue"]}', encoding="utf-8")
    grammar = "[0-9]{9}" if rule == "--regex" else schema
    assert ask(QUESTION, "--model", target, rule, grammar, "--max-tokens", "2", *output) == 3
    captured = capsys.readouterr()
    assert "The reply reached its limit of tokens before its grammar ended it: raise --max-tokens." in captured.err
    assert not output or json.loads(captured.out)["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--top-k", "5", "--seed", "1"], "--seed and --top-k were given at temperature 0"),
        (["--top-p", "1"], "--top-p was given at temperature 0"),
        (["--kv-start", "0"], "--kv-start was given without --kv-bits"),
        (["--kv-group-size", "32", "--kv-start", "4"], "--kv-group-size and --kv-start were given without --kv-bits"),
        (["--top-k", "5", "--temperature", "1"], ""),
        (["--min-p", "0.1", "--temperature", "0.5", "--seed", "4"], ""),
    ],
)
def test_options_that_change_nothing_are_told_of_and_the_reply_is_made(target, capsys, arguments, sentence):
    assert ask(QUESTION, "--model", target, "--json", "--max-tokens", "2", *arguments) == 0
    told = capsys.readouterr().err.splitlines()
    assert len(told) == bool(sentence)
    assert all(sentence in line for line in told)


INTERRUPTED = """
import os, sys
import engine.blas
from engine.headless import main
engine.blas.preload_blas = lambda: os.kill(os.getpid(), 2)
sys.exit(main(["ask", "hello"]))
"""


def test_interrupt_of_a_tool_that_is_starting_ends_it_with_one_line(data_dir):
    run = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "slipstream-engine: interrupted\n")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["  "], "blank"),
        ([QUESTION, "--top-p", "0"], "Top-p"),
        ([QUESTION, "--logprobs", "1"], "--json"),
        ([QUESTION, "--regex", "("], "unclosed group"),
        ([QUESTION, "--json-schema", "/nowhere.json"], "/nowhere.json"),
        ([QUESTION, "--drafter", "tea-leaves"], "choose one of: none, ngram"),
        ([QUESTION, "--temperature", "-1"], "temperature"),
        ([QUESTION, "--max-tokens", "0"], "token limit"),
        (["word " * 400], "context holds 512"),
        ([QUESTION, "--model", "/nowhere/at/all"], "/nowhere/at/all"),
        ([], "question"),
        (["--batch", "/nowhere.jsonl"], "/nowhere.jsonl"),
    ],
)
def test_bad_input_is_one_sentence_and_status_2(target, capsys, arguments, part):
    model = [] if "--model" in arguments else ["--model", target]
    assert ask(*arguments, *model) == 2
    captured = capsys.readouterr()
    assert part in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


def test_batch_line_that_is_not_json_is_named(tmp_path, capsys):
    batch = tmp_path / "questions.jsonl"
    batch.write_text('{"prompt": "one"}\n{oops\n', encoding="utf-8")
    assert ask("--batch", batch) == 2
    assert "line 2" in capsys.readouterr().err


def test_interrupt_ends_the_reply_and_keeps_what_was_written(target, data_dir):
    command = [sys.executable, "-m", "engine.headless", "ask", QUESTION, "--max-tokens", "480", "--model", target]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    first = process.stdout.read(4)
    process.send_signal(2)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert len(first + output) > 4


def test_batch_line_may_hold_another_line_separator(target, tmp_path, capsys):
    batch = tmp_path / "questions.jsonl"
    batch.write_text('{"prompt": "one\u2028two"}\n', encoding="utf-8")
    assert ask("--batch", batch, "--model", target, "--max-tokens", "2") == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_reader_that_goes_away_is_not_an_error_of_ours(target, data_dir):
    command = f"'{sys.executable}' -m engine.headless ask hello --max-tokens 300 --model '{target}' | head -c 3"
    run = subprocess.run(command, shell=True, capture_output=True, timeout=120, check=False)
    assert len(run.stdout) == 3
    assert run.stderr == b""


@pytest.mark.parametrize("damage", ["config.json", "model.safetensors", "tokenizer.json"])
def test_folder_that_lacks_a_file_is_refused_with_its_name(target, tmp_path, capsys, damage):
    broken = shutil.copytree(target, tmp_path / "broken")
    (broken / damage).unlink()
    assert ask(QUESTION, "--model", broken) == 2
    captured = capsys.readouterr()
    assert damage.split(".")[0].replace("model", "safetensors") in captured.err
    assert captured.out == ""


def test_o50_folder_whose_index_names_an_absent_shard_is_refused_with_its_name(target, tmp_path, capsys):
    broken = shutil.copytree(target, tmp_path / "broken")
    index = {"weight_map": {"model.norm.weight": "model-00002-of-00002.safetensors"}}
    (broken / "model.safetensors.index.json").write_text(json.dumps(index))
    assert ask(QUESTION, "--model", broken) == 2
    assert "model-00002-of-00002.safetensors" in capsys.readouterr().err


def test_folder_without_a_template_answers_and_says_so(target, tmp_path, capsys):
    plain = shutil.copytree(target, tmp_path / "plain")
    config = json.loads((plain / "tokenizer_config.json").read_text())
    config.pop("chat_template")
    (plain / "tokenizer_config.json").write_text(json.dumps(config))
    assert ask(QUESTION, "--model", plain, "--max-tokens", "3") == 0
    assert "template" in capsys.readouterr().err


def test_truncated_gguf_file_is_refused(tmp_path, capsys):
    path = write_tiny_gguf(tmp_path / "tiny.gguf")
    path.write_bytes(path.read_bytes()[:-200])
    assert ask(QUESTION, "--model", path) == 2
    assert "tiny.gguf" in capsys.readouterr().err


def test_starter_with_another_sha256_is_refused(tmp_path, capsys):
    path = write_tiny_gguf(tmp_path / STARTER_FILE)
    assert ask(QUESTION, "--model", path) == 2
    assert "sha256" in capsys.readouterr().err
