"""Spans: what stands inside one paragraph, heading or cell, as plain values.

HTML is shown as it is written, pictures are never fetched, and a link is one only where its scheme is allowed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from markdown_it.token import Token

_ADDRESS = re.compile(r"\bhttps?://[^\s<>\"'`\]\[{}|\\^]+")
LINK_SCHEMES = frozenset({"http", "https", "mailto"})


@dataclass(frozen=True, slots=True)
class Style:
    is_bold: bool = False
    is_italic: bool = False
    is_struck: bool = False
    is_code: bool = False
    is_formula: bool = False  # the text is the formula as it was written, with its marks
    tone: str = ""  # token name of a colour, "" for the ordinary one
    href: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    text: str
    style: Style = Style()


class _Writer:
    """Walks the tokens of one paragraph; the style that stands open is its state."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._style = Style()
        self._open: Counter[str] = Counter()  # how many of a tag stand open
        self._addresses: list[str] = []

    def read(self, token: Token) -> None:
        match token.type:
            case "text" | "html_inline":
                self._push_text(token.content)
            case "code_inline":
                self._push(token.content, is_code=True)
            case "formula":
                self._push(token.content, is_formula=True)
            case "softbreak" | "hardbreak":  # models mean the lines that they write
                self._push("\u2028")
            case "image":
                self._push(f"[picture: {token.content}] {token.attrGet('src') or ''}".rstrip())
            case "strong_open" | "strong_close" | "em_open" | "em_close" | "s_open" | "s_close":
                self._count(token)
            case "link_open":
                self._open_link(str(token.attrGet("href") or ""))
            case "link_close":
                self._close_link()

    def _count(self, token: Token) -> None:
        """Emphasis may stand in emphasis of its kind: a style ends with the outermost of it."""
        self._open[token.tag] += token.nesting
        is_bold, is_italic, is_struck = (self._open[tag] > 0 for tag in ("strong", "em", "s"))
        self._style = replace(self._style, is_bold=is_bold, is_italic=is_italic, is_struck=is_struck)

    def _open_link(self, address: str) -> None:
        self._addresses.append(address)
        self._style = replace(self._style, href=address if is_allowed(address) else "")

    def _close_link(self) -> None:
        address = self._addresses.pop()
        if not self._style.href and address:
            self._push(f" ({address})")
        self._style = replace(self._style, href="")

    def _push_text(self, text: str) -> None:
        """Addresses that stand bare in a text are links."""
        if "://" not in text or self._addresses:
            self._push(text)
            return
        place = 0
        for found in _ADDRESS.finditer(text):
            address = _without_end(found[0])
            self._push(text[place : found.start()])
            self._style = replace(self._style, href=address if is_allowed(address) else "")
            self._push(address)
            self._style = replace(self._style, href="")
            place = found.start() + len(address)
        self._push(text[place:])

    def _push(self, text: str, *, is_code: bool = False, is_formula: bool = False) -> None:
        style = replace(self._style, is_code=is_code, is_formula=is_formula) if is_code or is_formula else self._style
        if self.spans and self.spans[-1].style == style and not is_formula:
            self.spans[-1] = Span(self.spans[-1].text + text, style)
        elif text:
            self.spans.append(Span(text, style))


def _without_end(address: str) -> str:
    """Without the signs that end the sentence or bracket around it."""
    while address and (address[-1] in ".,;:!?*_" or (address[-1] == ")" and address.count(")") > address.count("("))):
        address = address[:-1]
    return address


def read_inline(tokens: Sequence[Token]) -> tuple[Span, ...]:
    writer = _Writer()
    for token in tokens:
        writer.read(token)
    return tuple(writer.spans)


def is_allowed(address: str) -> bool:
    """Whether a click may hand the address to the system."""
    try:
        return urlsplit(address).scheme in LINK_SCHEMES
    except ValueError:
        return False
