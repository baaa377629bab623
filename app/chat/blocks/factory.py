"""Which block shows which piece."""

from __future__ import annotations

from typing import assert_never

from app.chat.blocks.code_block import CodeBlock
from app.chat.blocks.formula_block import FormulaBlock
from app.chat.blocks.growing import PieceBlock
from app.chat.blocks.looks import REPLY, Look
from app.chat.blocks.rule_block import RuleBlock
from app.chat.blocks.table_block import TableBlock
from app.chat.blocks.text_block import TextBlock
from app.chat.markdown_pieces import Code, Formula, Piece, Rule, Table, Text


def make_block(piece: Piece, source: str, source_start: int, look: Look = REPLY) -> PieceBlock:
    match piece:
        case Text():
            return TextBlock(piece, source, source_start, look)
        case Rule():
            return RuleBlock(piece.place, source, source_start)
        case Code():
            return CodeBlock(piece, source, source_start)
        case Table():
            return TableBlock(piece, source, source_start, look)
        case Formula():
            return FormulaBlock(piece, source, source_start)
        case _:
            assert_never(piece)
