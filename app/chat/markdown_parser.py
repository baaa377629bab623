"""The Markdown parser: CommonMark with tables, struck text and formulas; no HTML, its entities neither."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from app.chat.markdown_emphasis import parse_inline
from app.chat.markdown_formulas import add_formulas
from app.chat.markdown_references import add_references

MAX_CELLS = 1_500  # of a table, each some 40 microseconds of parsing on a slow machine
_RULE = re.compile(r"[-:|\s]*-[-:|\s]*")
_MARK = re.compile(r"[\\`*_\[\]!<>&$~\n]")


def make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(["table", "strikethrough"])
    parser.disable("entity")  # "&amp;" in a reply is what its reader should see
    parser.core.ruler.at("inline", _parse_inline)
    parser.block.ruler.before("table", "long_table", _long_table)
    return add_references(add_formulas(parser))


def _long_table(state: StateBlock, start: int, end: int, is_silent: bool) -> bool:
    """A table of more than MAX_CELLS stands as its source, in lines that do not wrap: code that says what it is."""
    last = start
    while last < end and state.sCount[last] >= state.blkIndent and "|" in _line(state, last):
        last += 1
    if (last - start) * _line(state, start).count("|") <= MAX_CELLS or not _RULE.fullmatch(_line(state, start + 1)):
        return False
    if not is_silent:
        token = state.push("code_block", "code", 0)
        token.content = state.getLines(start, last, state.blkIndent, False)
        token.info = "markdown"
        token.map = [start, last]
        state.line = last
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _parse_inline(state: StateCore) -> None:
    """As markdown-it does, but text without any mark is taken as it is: most cells of a long table are."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        if token.children is None:
            token.children = []
        if _MARK.search(token.content):
            parse_inline(state.md, token.content, state.env, token.children)
        elif token.content:
            token.children.append(Token("text", "", 0, content=token.content))
