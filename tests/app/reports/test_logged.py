"""Every call that logs something, in the window and in the engine."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).parents[3]
LEVELS = {"debug", "info", "warning", "error", "exception", "critical", "log"}
OF_CHATS = {"text", "texts", "title", "turns", "content", "prompt", "message", "draft", "excerpt", "query", "words"}


@cache
def logging_calls() -> list[tuple[str, ast.Call]]:
    return list(find_calls())


def find_calls() -> Iterator[tuple[str, ast.Call]]:
    for path in (*(PROJECT / "app").rglob("*.py"), *(PROJECT / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LEVELS:
                logger = node.func.value
                if isinstance(logger, ast.Name) and logger.id in ("log", "logger"):
                    yield f"{path.relative_to(PROJECT)}:{node.lineno}", node


def test_no_logged_sentence_is_made_before_it_is_logged() -> None:
    """Values that it has are seen by the log's formatter only where they come beside it."""
    assert len(logging_calls()) > 40
    for place, call in logging_calls():
        sentence = call.args[1 if call.func.attr == "log" else 0]  # type: ignore[attr-defined]
        assert isinstance(sentence, ast.Constant), f"{place}: give the values beside the sentence"


def test_no_text_of_a_chat_is_logged() -> None:
    """What is logged for debugging goes to no file."""
    kept = ((place, call) for place, call in logging_calls() if call.func.attr != "debug")  # type: ignore[attr-defined]
    for place, call in kept:
        for value in call.args[1:]:
            named = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
            assert named not in OF_CHATS, f"{place}: {named} may be a text of a chat"
