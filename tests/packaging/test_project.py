"""What the installed project promises: its names, its resources, and a Qt that suits this Python."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

PROJECT = Path(__file__).parents[2]
VOID_CALLS = "from PySide6.QtCore import QObject\nfor _ in range(60_000): QObject().setObjectName('x')"


@pytest.fixture
def project():
    return tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_entry_points_name_functions_that_exist(project):
    for target in project["scripts"].values():
        module, _, function = target.partition(":")
        code = f"import {module}; assert callable({module}.{function})"
        subprocess.run([sys.executable, "-c", code], cwd=PROJECT, check=True)


def test_every_installed_requirement_is_pinned_as_it_is_here():
    lines = [line for line in (PROJECT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pins = dict(line.split(";")[0].strip().split("==") for line in lines)
    here = {name: version for name in pins if (version := installed_version(name))}
    assert here == {name: pins[name] for name in here}
    assert {"mlx", "mlx-lm", "PySide6_Essentials", "pytest"} <= set(here)


def installed_version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def test_symbols_are_package_resources_in_the_text_s_colour():
    symbols = importlib.resources.files("resources") / "icons" / "symbols"
    texts = [path.read_text(encoding="utf-8") for path in symbols.iterdir()]
    assert len(texts) >= 20
    for text in texts:
        assert ElementTree.fromstring(text).tag.endswith("svg")
        assert "currentColor" in text


def test_void_calls_into_qt_keep_none_alive():
    ended = subprocess.run([sys.executable, "-c", VOID_CALLS], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, f"this PySide6 loses references to None: {ended.stderr[:300]}"
