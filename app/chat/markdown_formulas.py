"""Rules that find formulas in Markdown: `$…$`, `$$…$$`, `\\(…\\)` and `\\[…\\]`; prices are text.

Source of the rule for `$…$`: pandoc's manual, "tex_math_dollars"; what it leaves unsaid is decided for prices.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

MAX_INLINE = 400  # characters between two marks
MAX_LINES = 60  # of a formula on lines of its own
_BLOCK_MARKS = {"$$": "$$", "\\[": "\\]"}
_INLINE_MARKS = {"\\(": "\\)", "\\[": "\\]"}
_WORDS_AFTER_NUMBER = re.compile(
    r"[\d.,]+[kKmMbB]?(?:[\s–-]+[^\W\d_]{2,}|\s*/\s*[^\W\d_]+\W*\s[^\W\d_]{2,}|\s*/?\s*[\u3040-\uffdc])"
)
_VARIABLE = re.compile(r"[A-Z_][A-Z\d_]+")  # of a shell
_SIGNS = re.compile(r"[\\^_=<>{}]")


def add_formulas(parser: MarkdownIt) -> MarkdownIt:
    parser.inline.ruler.before("escape", "formula", _read_inline_formula)
    parser.block.ruler.before(
        "fence", "formula", _read_block_formula, {"alt": ["paragraph", "reference", "blockquote"]}
    )
    return parser


def _read_inline_formula(state: StateInline, silent: bool) -> bool:
    end = _end_of_formula(state.src, state.pos, state.posMax)
    if end is None:
        return False
    if not silent:
        state.push("formula", "", 0).content = state.src[state.pos : end]
    state.pos = end
    return True


def _end_of_formula(source: str, start: int, limit: int) -> int | None:
    """Where the formula that begins at `start` ends, marks included; None where none begins."""
    opening = source[start : start + 2]
    closing = "$$" if opening == "$$" else _INLINE_MARKS.get(opening)
    if closing is not None:
        found = source.find(closing, start + 2, min(limit, start + 2 + MAX_INLINE))
        return found + 2 if found > start + 2 and source[start + 2 : found].strip() else None
    return _end_of_dollars(source, start, limit) if opening[:1] == "$" else None


def _end_of_dollars(source: str, start: int, limit: int) -> int | None:
    """No space inside the marks, no word before nor digit after them, no dollar and no sum of money between them."""
    if start + 1 >= limit or source[start + 1].isspace() or _is_word(source[start - 1 : start]):
        return None
    place = start + 1
    limit = min(limit, start + MAX_INLINE)
    while place < limit and source[place] != "$":
        place += 2 if source[place] == "\\" else 1
    if place >= limit or place == start + 1 or source[place - 1].isspace():
        return None
    after = source[place + 1 : place + 2]
    text = source[start + 1 : place]
    is_variable = after.isupper() or (_is_word(after) and _VARIABLE.fullmatch(text))
    if after == "$" or (_is_word(after) and (after.isdigit() or is_variable)) or _is_money(text):
        return None
    return place + 1


def _is_word(letter: str) -> bool:
    """Whether a dollar beside it is part of a word or sum; other scripts set formulas against their letters."""
    return letter.isascii() and letter.isalnum()


def _is_money(text: str) -> bool:
    """Between "$20 and you have 30$", as no formula is written."""
    return bool(_WORDS_AFTER_NUMBER.match(text)) and not _SIGNS.search(text)


def _read_block_formula(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    first = _line_of(state, start_line)
    closing = _BLOCK_MARKS.get(first[:2])
    if closing is None:
        return False
    lines = [first[2:]]
    line = start_line
    while not lines[-1].rstrip().endswith(closing):
        line += 1
        if line >= end_line or line - start_line > MAX_LINES or not (row := _line_of(state, line)).strip():
            return _take_open(state, start_line, line, lines, silent) if line >= end_line else False
        lines.append(row)
    source = "\n".join(lines).rstrip().removesuffix(closing)
    if closing in source or not source.strip():
        return False  # two formulas of a paragraph, or none
    return _take(state, start_line, line + 1, source, silent, is_closed=True)


def _take_open(state: StateBlock, start_line: int, line: int, lines: list[str], silent: bool) -> bool:
    """What is still being written is kept as a formula, so that nothing jumps when its end comes."""
    if not state.env.get("is_live") or state.level or line < state.lineMax:
        return False
    source = "\n".join(lines)
    return not any(mark in source for mark in _BLOCK_MARKS.values()) and _take(
        state, start_line, line, source, silent, is_closed=False
    )


def _take(state: StateBlock, start_line: int, line: int, source: str, silent: bool, *, is_closed: bool) -> bool:
    if silent:
        return True
    token = state.push("formula_block", "", 0)
    token.map = [start_line, line]
    token.content = source.strip()
    token.meta["is_closed"] = is_closed
    state.line = line
    return True


def _line_of(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
