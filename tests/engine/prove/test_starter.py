"""The real starter model put to every check once."""

from __future__ import annotations

import json

import pytest

from engine.headless import main
from engine.prove.checks import CHECKS


@pytest.mark.model
def test_starter_is_the_same_drafted_batched_restored_and_beside_cancelled_rows(starter_folder, tmp_path):
    prompts = tmp_path / "prompts.jsonl"
    prompts.write_text('"Write the alphabet three times."\n"Why?"', encoding="utf-8")
    options = ["--prompts", prompts, "--drafters", "ngram", "--seeds", "0", "--max-tokens", "16"]
    assert main(["prove", "--model", *map(str, [starter_folder, *options, "--json", tmp_path / "found.json"])]) == 0
    found = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert [check["differences"] for check in found["checks"]] == [0] * 2 * len(CHECKS)
    assert all(check["accepted"] > 0 for check in found["checks"] if check["drafter"] == "stress")
