"""Which colour token each part of a code block has."""

from __future__ import annotations

from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name, get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

MAX_COLOURED = 200_000  # characters; longer code stays plain
_TONES = (
    (Comment, "ink3"),
    (Keyword.Type, "code_type"),
    (Keyword, "target"),
    (Operator.Word, "target"),
    (Name.Class, "code_type"),
    (Name.Builtin, "code_type"),
    (Name.Decorator, "code_attribute"),
    (Name.Attribute, "code_attribute"),
    (Name.Label, "code_attribute"),
    (Name.Tag, "target"),
    (String, "ok"),
    (Number, "code_number"),
    (Generic.Inserted, "ok"),
    (Generic.Deleted, "alert"),
    (Generic.Subheading, "code_type"),
    (Generic.Heading, "ink3"),
)

_prepared: set[str] = set()

Row = tuple[tuple[str, str], ...]  # (text, token name or "") of one line


def colour_code(code: str, language: str) -> tuple[Row, ...]:
    """Colour code line by line; in no colours where the language is not known or the code is over MAX_COLOURED."""
    return _colour(code, language) if language and len(code) <= MAX_COLOURED else _plain(code)


@lru_cache(maxsize=256)
def name_language(language: str) -> str:
    """Its usual spelling: rust -> Rust."""
    try:
        name = str(find_lexer_class_by_name(language).name)
    except ClassNotFound:
        name = "Text only"
    return name if name != "Text only" else language or "Code"


def is_prepared(language: str) -> bool:
    """Whether code in a language can be coloured at once; at first that takes a tenth of a second, see `prepare`."""
    return language in _prepared


def prepare(language: str) -> None:
    """Read the rules of a language; touches nothing of Qt, so that any thread can do it."""
    _find_lexer(language)
    _prepared.add(language)


@lru_cache(maxsize=64)
def _colour(code: str, language: str) -> tuple[Row, ...]:
    lexer = _find_lexer(language)
    if lexer is None:
        return _plain(code)
    rows: list[list[tuple[str, str]]] = [[]]
    for kind, text in lexer.get_tokens(code):
        tone = _tone_of(kind)
        for index, part in enumerate(text.split("\n")):
            if index:
                rows.append([])
            if part:
                rows[-1].append((part, tone))
    return tuple(tuple(_join(row)) for row in rows[: code.count("\n") + 1])


def _join(row: list[tuple[str, str]]) -> list[tuple[str, str]]:
    joined: list[tuple[str, str]] = []
    for text, tone in row:
        if joined and joined[-1][1] == tone:
            joined[-1] = (joined[-1][0] + text, tone)
        else:
            joined.append((text, tone))
    return joined


def _plain(code: str) -> tuple[Row, ...]:
    return tuple(((line, ""),) if line else () for line in code.split("\n"))


@lru_cache(maxsize=64)
def _find_lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=True)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _tone_of(kind: _TokenType) -> str:
    return next((tone for parent, tone in _TONES if kind in parent), "")
