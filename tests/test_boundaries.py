"""Who may import what, each package in a process of its own."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
OF_ENGINE_FOR_APP = {"engine.messages", "engine.thread", "engine.blas"}
IMPORT_ALL = """
import importlib, json, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if module.name != "app.desktop.mac" or sys.platform == "darwin":  # which names macOS's own frameworks
        importlib.import_module(module.name)
print(json.dumps(sorted(sys.modules)))
"""


def modules_after(code: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    return json.loads(subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout)


def top_names(modules: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def imported_names(path: Path) -> set[str]:
    """Every module that a file names in an import, `from package import module` as package.module too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_app_loads_no_mlx():
    assert not {"mlx", "mlx_lm", "transformers"} & top_names(modules_after(IMPORT_ALL, "app"))


def test_engine_loads_no_qt():
    assert not {"PySide6", "shiboken6", "qasync", "app"} & top_names(modules_after(IMPORT_ALL, "engine"))


@pytest.mark.parametrize("module", ["engine.messages", "engine.blas", "engine.thread"])
def test_what_app_imports_of_the_engine_loads_nothing_heavy(module):
    loaded = top_names(modules_after(f"import {module}, json, sys; print(json.dumps(sorted(sys.modules)))"))
    assert not {"mlx", "mlx_lm", "numpy", "transformers", "PySide6", "app"} & loaded


def test_app_names_only_the_engine_modules_it_may():
    for path in sorted((PROJECT / "app").rglob("*.py")):
        of_engine = {name for name in imported_names(path) if name.split(".")[0] == "engine"}
        wrong = {name for name in of_engine if ".".join(name.split(".")[:2]) not in OF_ENGINE_FOR_APP}
        assert not wrong, f"{path}: {wrong}"


def test_neither_package_names_the_other_side_s_libraries():
    for package, forbidden in {"app": {"mlx", "mlx_lm"}, "engine": {"PySide6", "qasync", "app"}}.items():
        for path in sorted((PROJECT / package).rglob("*.py")):
            wrong = {name for name in imported_names(path) if name.split(".")[0] in forbidden}
            assert not wrong, f"{path}: {wrong}"
