"""Addresses that stand by themselves, `[1]: https://…`, and notes, `[^1]: …`: what is not used is shown as written."""

from __future__ import annotations

import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_inline import StateInline

_LABEL = re.compile(r"\s*\[((?:\\.|[^\]\\])*)\]:", re.DOTALL)
_NOTE = re.compile(r"\[\^(\d{1,3})\](?!\()")


class References(dict[str, Any]):
    """Addresses by label, and which of them a link has."""

    def __init__(self) -> None:
        super().__init__()
        self.used: set[str] = set()

    def get(self, label: str, default: Any = None) -> Any:
        self.used.add(label)
        return super().get(label, default)

    def __getitem__(self, label: str) -> Any:
        self.used.add(label)
        return super().__getitem__(label)


def add_references(parser: MarkdownIt) -> MarkdownIt:
    parser.block.ruler.at("reference", _read_address)
    parser.inline.ruler.before("link", "note", _read_note)
    return parser


def _read_address(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """As CommonMark's, but a note is none, and a token says where the address stands."""
    place = state.bMarks[start_line] + state.tShift[start_line]
    if state.src.startswith("[^", place):
        return False
    if not reference(state, start_line, end_line, silent):
        return False
    if not silent:
        token = state.push("address", "", 0)
        token.map = [start_line, state.line]
        token.content = state.getLines(start_line, state.line, state.blkIndent, False)
        label = _LABEL.match(token.content)
        token.meta["label"] = normalizeReference(label[1]) if label else ""
    return True


def _read_note(state: StateInline, silent: bool) -> bool:
    """The number of a note, in the text and before the note itself."""
    found = _NOTE.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("text", "", 0).content = f"[{found[1]}]"
    state.pos = found.end()
    return True
