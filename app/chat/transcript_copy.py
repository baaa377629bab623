"""What is copied from the transcript: the words, without what is only there to look at."""

from __future__ import annotations

from PySide6.QtGui import QTextBlock, QTextCursor

from app.chat.transcript_formats import Mark, kind_of, owner_of

_SHOWN_ONLY = frozenset({"strip", "reason", "state", "detail", "note", "code-head", "code-foot", "spacer"})
_CLOSE = {("code", "code"), ("item", "item"), ("user", "user"), ("cell", "cell"), ("cell-head", "cell-head")}


def selected_text(selection: QTextCursor) -> str:
    """The selection as plain text: paragraphs a blank line apart, a table's cells by tabs."""
    start, end = selection.selectionStart(), selection.selectionEnd()
    document = selection.document()
    block = document.findBlock(start)
    parts: list[str] = []
    before: QTextBlock | None = None
    while block.isValid() and block.position() <= end:
        if kind_of(block) not in _SHOWN_ONLY:
            text = block.text()[_clip(start, block) : _clip(end, block)]
            if before is not None:
                parts.append(_between(before, block))
            parts.append(_mark_of(block, start) + text.replace("\u2028", "\n"))
            before = block
        block = block.next()
    return "".join(parts).strip("\n")


def code_text(head: QTextBlock) -> str:
    """The code under a code block's header."""
    lines: list[str] = []
    block = head.next()
    while block.isValid() and kind_of(block) == "code":
        lines.append(block.text())
        block = block.next()
    return "\n".join(lines) + "\n"


def _clip(position: int, block: QTextBlock) -> int:
    """A document position as an index into the block's text, which counts characters, not UTF-16 units."""
    units = min(max(0, position - block.position()), block.length() - 1)
    return len(block.text().encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))


def _mark_of(block: QTextBlock, start: int) -> str:
    mark = block.blockFormat().property(Mark.BULLET)
    return f"{mark} " if mark and block.position() >= start else ""


def _between(before: QTextBlock, block: QTextBlock) -> str:
    kinds = (kind_of(before), kind_of(block))
    table = QTextCursor(block).currentTable()
    if table is not None and table == QTextCursor(before).currentTable():
        same_row = table.cellAt(QTextCursor(before)).row() == table.cellAt(QTextCursor(block)).row()
        return "\t" if same_row else "\n"
    is_close = kinds in _CLOSE and owner_of(before) == owner_of(block)
    if kinds == ("code", "code") and before.next() != block:
        return "\n\n"
    return "\n" if is_close else "\n\n"
