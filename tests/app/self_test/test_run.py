"""The self-test as it is started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.self_test.replies import CheckError
from app.self_test.run import Checks, device_words
from app.system.machine import program_version

PROJECT = Path(__file__).parents[3]
TOO_LATE = "import sys; from app.launch import print_line; from app.self_test.run import run_self_test; \
sys.exit(run_self_test(print_line, 0.01))"


def run_program(*arguments: str, data_dir: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    environment["SLIPSTREAM_DATA"] = str(data_dir)
    return subprocess.run(
        [sys.executable, *arguments], cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=280
    )


@pytest.mark.model
def test_this_program_passes_and_leaves_the_user_s_data_alone(data_dir: Path) -> None:
    ended = run_program("-m", "app.launch", "--self-test", data_dir=data_dir)
    *lines, last = ended.stdout.splitlines()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert [line[:7] for line in lines[1:]] == ["ok     "] * len(lines[1:])
    assert last == f"All {len(lines) - 1} checks passed."
    told = "\n".join(lines)
    assert all(word in told for word in ("starter", "MLX computes on", "ngram", "suffix", "window opened and closed"))
    assert not list(data_dir.iterdir())


def test_one_that_takes_too_long_is_ended_with_what_it_did(data_dir: Path) -> None:
    ended = run_program("-c", TOO_LATE, data_dir=data_dir)
    assert ended.returncode == 1
    assert "did not end within" in ended.stdout
    assert "most recent call first" in ended.stderr


def test_a_failed_check_is_counted_and_the_others_go_on() -> None:
    lines: list[str] = []
    checks = Checks(lines.append)
    with checks.check("The window"):
        raise CheckError("it has no glass")
    checks.good("The door opens.")
    assert checks.conclude() == 1
    assert lines == ["FAILED The window: it has no glass", "ok     The door opens.", "1 of 2 checks failed."]


def test_version_is_told_without_a_display(data_dir: Path) -> None:
    ended = run_program("-m", "app.launch", "--version", data_dir=data_dir)
    assert (ended.returncode, ended.stdout) == (0, f"Slipstream {program_version()}\n")


@pytest.mark.parametrize(
    ("device", "system", "has_blas"), [("CPU", "darwin", False), ("", "darwin", False), ("CPU", "linux", False)]
)
def test_a_bundle_that_computes_without_what_it_brings_fails(device: str, system: str, has_blas: bool) -> None:
    with pytest.raises(CheckError):
        device_words(device, system, has_blas=has_blas, is_bundle=True)


def test_the_device_is_named_with_what_helps_it() -> None:
    told = device_words("Metal, Apple M3", "darwin", has_blas=False, is_bundle=True)
    assert told.startswith("MLX computes on: Metal, Apple M3; its Metal library was found")
    assert device_words("CPU", "linux", has_blas=True, is_bundle=True) == "MLX computes on: CPU, with OpenBLAS."
    assert "slow" in device_words("CPU", "linux", has_blas=False, is_bundle=False)
