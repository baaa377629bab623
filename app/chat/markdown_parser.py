"""The Markdown parser: CommonMark with tables, struck text and formulas; no HTML, its entities neither."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from app.chat.markdown_formulas import add_formulas

_MARK = re.compile(r"[\\`*_\[\]!<>&$~\n]")


def make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 100}).enable(["table", "strikethrough"])
    parser.disable("entity")  # "&amp;" in a reply is what its reader should see
    parser.core.ruler.at("inline", _parse_inline)
    return add_formulas(parser)


def _parse_inline(state: StateCore) -> None:
    """As markdown-it does, but text without any mark is taken as it is: most cells of a long table are."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        if token.children is None:
            token.children = []
        if _MARK.search(token.content):
            state.md.inline.parse(token.content, state.md, state.env, token.children)
        elif token.content:
            token.children.append(Token("text", "", 0, content=token.content))
