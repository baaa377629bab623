"""The command as a user calls it, on the tiny target."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.headless import main

TEXTS = ("aaaa bbbb aaaa bbbb aaaa", "The quick brown fox", "x")


@pytest.fixture(autouse=True)
def _no_preload(monkeypatch):
    """Starting the process again with another BLAS would start the tests again."""
    monkeypatch.setattr("engine.blas.preload_blas", lambda: None)


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    file = tmp_path / "prompts.jsonl"
    file.write_text("\n".join(json.dumps({"prompt": text}) for text in TEXTS), encoding="utf-8")
    return file


@pytest.fixture
def prove(target: Path, prompts: Path) -> Callable[..., int]:
    """Run `slipstream-engine prove` with short replies; later options win over these."""

    def run(*options: str | Path) -> int:
        return main(
            ["prove", "--model", str(target), "--prompts", str(prompts), "--max-tokens", "16", *map(str, options)]
        )

    return run


@pytest.fixture
def found(prove, tmp_path: Path, capsys) -> Callable[..., tuple[int, dict, str]]:
    """Run it; the exit status, the JSON object and the printed table."""

    def run(*options: str | Path) -> tuple[int, dict, str]:
        status = prove("--json", tmp_path / "found.json", *options)
        return status, json.loads((tmp_path / "found.json").read_text(encoding="utf-8")), capsys.readouterr().out

    return run
