"""Emphasis whose marks stand between a sign and a letter, as in text without spaces between words.

CommonMark reads the last marks of `**Note:**text` as opening ones. Between a sign and a letter of a script without
spaces, marks may here do both; so may two or more marks beside a bracket or a sign that ends a sentence.
"""

from __future__ import annotations

import re
from typing import Any
from unicodedata import category

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token

_NO_SPACES = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_ENDS, _BEGINS = frozenset({"Pe", "Pf"}), frozenset({"Ps", "Pi"})
_ENDING_SIGNS = frozenset(".,:;!?%\"'…")
_BEGINNING_SIGNS = frozenset("\"'")


class _State(StateInline):
    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # markdown-it's names
        scanned = super().scanDelims(start, canSplitWord)
        end = start + scanned.length
        before = self.src[start - 1 : start] if start else ""
        after = self.src[end : min(end + 1, self.posMax)]
        if not canSplitWord or not before.strip() or not after.strip():
            return scanned
        is_beside = bool(_NO_SPACES.match(before) or _NO_SPACES.match(after))
        is_double = scanned.length > 1
        closes = is_beside or (is_double and (category(before) in _ENDS or before in _ENDING_SIGNS))
        opens = is_beside or (is_double and (category(after) in _BEGINS or after in _BEGINNING_SIGNS))
        return Scanned(scanned.can_open or opens, scanned.can_close or closes, scanned.length)


def parse_inline(parser: MarkdownIt, source: str, env: Any, tokens: list[Token]) -> None:
    """As the parser's own, with these rules for emphasis."""
    state = _State(source, parser, env, tokens)
    parser.inline.tokenize(state)
    for rule in parser.inline.ruler2.getRules(""):
        rule(state)
