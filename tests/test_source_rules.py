"""Rules of the source that a reader would otherwise have to watch."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
SOURCES = sorted(path for room in ("app", "engine", "packaging", "tests") for path in (PROJECT / room).rglob("*.py"))


def body_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    return function.body[1:] if ast.get_docstring(function) is not None else function.body


def num_statements(body: list[ast.stmt]) -> int:
    return sum(isinstance(node, ast.stmt) for statement in body for node in ast.walk(statement))


def test_no_function_body_stands_twice():
    places = defaultdict(list)
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and num_statements(body_of(node)) >= 4:
                text = "\n".join(ast.dump(statement) for statement in body_of(node))
                places[text].append(f"{path.relative_to(PROJECT)}:{node.lineno} {node.name}")
    twins = [found for found in places.values() if len(found) > 1]
    assert not twins, f"move these to the lower layer: {twins}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_no_module_has_over_300_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


@pytest.mark.parametrize("room", ["app", "engine"])
def test_tests_mirror_the_packages(room):
    folders = {path.parent for path in (PROJECT / "tests" / room).rglob("test_*.py")}
    missing = [folder for folder in folders if not (PROJECT / folder.relative_to(PROJECT / "tests")).is_dir()]
    assert not missing, f"these folders of tests have no package: {missing}"
