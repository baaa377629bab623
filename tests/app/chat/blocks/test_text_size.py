"""Blocks at another text size."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from app.chat.blocks import looks
from app.theme.fonts import font
from tests.app.chat.blocks.drawing import WIDTH, blocks_of

TEXT = "# Head\n\nSome `code` text.\n\n- item\n\n```\nx = 1\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n$$x$$"


def larger(name: str) -> QFont:
    made = QFont(font(name))
    made.setPixelSize(round(made.pixelSize() * 1.5))
    return made


def test_every_kind_of_block_grows_with_the_text(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [*blocks_of(TEXT), *blocks_of("Mine.", role="user")]
    before = [block.set_width(WIDTH) for block in blocks]
    monkeypatch.setattr(looks, "font", larger)
    assert not any(block.is_laid_out for block in blocks)
    after = [block.set_width(WIDTH) for block in blocks]
    assert all(new > old for old, new in zip(before, after, strict=True))
    assert all(block.is_laid_out for block in blocks)
