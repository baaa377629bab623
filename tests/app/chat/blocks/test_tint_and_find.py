"""Accepted text and hits of a search as positions of blocks."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.chat.blocks.find import find_in
from app.chat.blocks.tint import drafted_in
from tests.app.chat.blocks.drawing import block_of, blocks_of


def tinted(text: str, drafted: str) -> list[str]:
    """The parts of each block's text that come from a part of the message's text."""
    start = text.index(drafted)
    spans = [(start, start + len(drafted))]
    return [block.text(*span) for block in blocks_of(text) for span in drafted_in(block, spans)]


@pytest.mark.parametrize(
    ("text", "drafted", "shown"),
    [
        ("Some **bold** text", "**bold** te", ["bold te"]),
        ("Some **bold** text", "ld** t", ["ld t"]),
        ("One.\n\nTwo *three* four.", "ne.\n\nTwo *th", ["ne.", "Two th"]),
        ("- a\n- bcd\n", "bc", ["bc"]),
        ("> quoted\n> words", "ted\n> wo", ["ted\nwo"]),
        ("See [words](https://e.org/words) after", "after", ["after"]),
        ("```py\nx = 1\ny = 2\n```", "= 1\ny", ["= 1\ny"]),
        ("| a | b |\n|---|---|\n| cd | ef |", "d | e", ["d\te"]),
        ("a &amp; b 😀 c 😀 d", "b 😀 c", ["b 😀 c"]),
        ("<think>Hm, so.</think>Yes.", "so.</think>Y", ["so.", "Y"]),
    ],
)
def test_accepted_text_is_found_in_what_is_shown(qapp: QApplication, text: str, drafted: str, shown: list[str]) -> None:
    assert tinted(text, drafted) == shown


def test_spans_that_touch_are_one(qapp: QApplication) -> None:
    block = block_of("Some **bold** text")
    assert drafted_in(block, [(0, 5), (5, 9), (15, 18)]) == ((0, 7), (11, 14))
    assert drafted_in(block, []) == ()


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("Ice, ice, baby", "ICE", ["Ice", "ice"]),
        ("Crème brûlée", "creme brulee", ["Crème brûlée"]),
        ("creme", "CRÈME", ["creme"]),
        ("Straße, STRASSE", "strasse", ["Straße", "STRASSE"]),
        ("😀 a **bold** word", "bold w", ["bold w"]),
        ("مُحَمَّد", "محمد", ["مُحَمَّد"]),
        ("aaaa", "aa", ["aa", "aa"]),
        ("text", "", []),
        ("text", "none", []),
        ("```\nLet x\n```", "let X", ["Let x"]),
    ],
)
def test_words_are_found_whatever_their_case_and_marks(
    qapp: QApplication, text: str, words: str, found: list[str]
) -> None:
    assert [block.text(*span) for block in blocks_of(text) for span in find_in(block, words)] == found


def test_words_in_folded_reasoning_are_found_and_revealed(qapp: QApplication) -> None:
    fold, thought, _ = blocks_of("<think>Hidden words.</think>Yes.")
    ((start, _),) = find_in(thought, "words")
    thought.reveal(start)
    assert not thought.is_hidden
    assert "shown" in fold.describe()
