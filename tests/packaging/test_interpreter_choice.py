"""How make finds a Python: one that is found and fails is passed over, one that is named is taken or refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHOOSE = Path(__file__).parents[2] / "packaging/setup/choose_python.sh"


@pytest.fixture
def commands(tmp_path):
    """A folder that is the whole PATH: `put(name, script)` adds a program."""
    folder = tmp_path / "с пробелом"
    folder.mkdir()

    def put(name: str, script: str) -> None:
        program = folder / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    return folder, put


def choose(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": str(folder), "HOME": os.environ.get("HOME", "/"), **environment}
    return subprocess.run(["/bin/sh", CHOOSE], env=env, capture_output=True, text=True, check=False)


REAL = f'exec "{sys.executable}" "$@"'
SHIM = "echo 'python3.12: command not found' >&2; exit 127"


def test_a_shim_that_fails_is_passed_over(commands):
    folder, put = commands
    put("python3.12", SHIM)
    put("python3.13", REAL)
    assert choose(folder).stdout == "python3.13\n"


def test_an_interpreter_out_of_range_or_without_venv_is_passed_over(commands):
    folder, put = commands
    put("python3.12", f'exec "{sys.executable}" -c "import sys; sys.modules[\'venv\'] = None; exec(sys.argv[2])" "$@"')
    put("python3.11", f'exec "{sys.executable}" -c "import sys; sys.version_info = (3, 14); exec(sys.argv[2])" "$@"')
    put("python3", REAL)
    assert choose(folder).stdout == "python3\n"


def test_without_any_one_sentence_says_how_to_get_one(commands):
    folder, put = commands
    put("python3", SHIM)
    ended = choose(folder)
    assert ended.returncode == 1
    assert ended.stderr.startswith("No Python 3.11, 3.12 or 3.13 with venv was found: install one")
    assert ended.stderr.count("\n") == 1


def test_the_user_s_choice_comes_first(commands):
    folder, put = commands
    put("python3.12", REAL)
    put("mine", REAL)
    assert choose(folder, PYTHON="mine").stdout == "mine\n"


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        (None, "is no program that can be run"),
        (SHIM, "does not run as a Python"),
        (
            f'exec "{sys.executable}" -c "import sys; sys.version_info = (3, 9); exec(sys.argv[2])" "$@"',
            "is Python 3.9;",
        ),
        (
            f'exec "{sys.executable}" -c "import sys; sys.modules[\'venv\'] = None; exec(sys.argv[2])" "$@"',
            "lacks venv",
        ),
    ],
)
def test_a_choice_that_cannot_be_used_is_refused_with_its_fault(commands, script, fault):
    folder, put = commands
    put("python3.12", REAL)
    if script:
        put("mine", script)
    ended = choose(folder, PYTHON="mine")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(f"PYTHON=mine {fault}")
    assert ended.stderr.count("\n") == 1
