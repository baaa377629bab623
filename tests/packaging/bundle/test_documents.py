"""Metadata and licences: of everything that is inside, and nothing inside without."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

import pytest

from bundle.distributions import installed, metadata_files, required, unlisted
from bundle.licences import ADDED, TEXTS, write_licences, write_texts


def test_the_application_contains_what_the_project_requires_and_what_that_requires():
    names = set(required())
    assert {"slipstream-chat", "mlx", "mlx-lm", "shiboken6", "markupsafe", "hf-xet"} <= names
    assert not names & {"pytest", "ruff", "mypy", "typer", "rich", "setuptools"}


def test_metadata_tells_versions_and_names_no_folder_of_this_machine():
    files = dict(metadata_files([installed("slipstream-chat"), installed("keyring")]))
    names = {Path(file).name for file in files}
    assert names == {"METADATA", "entry_points.txt"}
    assert all(folder.endswith(".dist-info") for folder in files.values())


def test_a_package_that_nobody_asked_for_is_found():
    assert unlisted(["json", "app.window", "numpy.linalg", "_pytest.fixtures"], ["numpy"]) == ["_pytest"]


def test_licences_lie_in_a_folder_for_each_distribution(tmp_path):
    taken = {name: distribution(name) for name in ("numpy", "jinja2", "tokenizers", "shiboken6")}
    write_licences(tmp_path, taken, [], also=())
    assert (tmp_path / "numpy/LICENSE.txt").is_file()
    assert (tmp_path / "numpy/numpy/random/LICENSE.md").is_file()
    assert "Apache License" in (tmp_path / "tokenizers/Apache-2.0.txt").read_text()
    assert "LESSER" in (tmp_path / "shiboken6/LGPL-3.0.txt").read_text()
    assert "SmolLM2" in (tmp_path / "SmolLM2-135M-Instruct/starter.txt").read_text()


def test_a_distribution_without_a_licence_is_refused(tmp_path):
    class Bare:
        files = ()

    with pytest.raises(ValueError, match="no licence was found for bare; add its text to"):
        write_licences(tmp_path, {"bare": Bare()}, [], also=())


def test_every_added_text_is_there(tmp_path):
    names = {name for texts in ADDED.values() for name in texts}
    write_texts(tmp_path, names)
    assert {path.name for path in tmp_path.iterdir()} == names == {path.name for path in TEXTS.iterdir()}
