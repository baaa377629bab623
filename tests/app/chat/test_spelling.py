"""Misspelled words: which are marked, and what they may have meant."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.chat.composer import Composer
from app.chat.spelling import Languages, find_dictionary, words_in


class English:
    """Knows a few words."""

    def __init__(self, *words: str) -> None:
        self.words = set(words)
        self.asked: list[str] = []

    def check(self, word: str) -> bool:
        self.asked.append(word)
        return word.lower() in self.words

    def suggest(self, word: str) -> list[str]:
        return [f"{word}{number}" for number in range(9)]


@pytest.fixture
def english() -> English:
    return English("the", "ice", "floats", "don’t")


@pytest.fixture
def marked(composer: Composer, english: English) -> Callable[[], list[str]]:
    spelling = composer.field.spelling
    assert spelling is not None
    spelling.dictionary = english

    def mark() -> list[str]:
        spelling.mark()
        return [selection.cursor.selectedText() for selection in composer.field.extraSelections()]

    return mark


def test_words_that_no_dictionary_knows_are_marked(composer: Composer, marked: Callable[[], list[str]]) -> None:
    composer.field.setPlainText("The ice flaots, 🧊 “teh” ice don’t ")
    assert marked() == ["flaots", "teh"]
    composer.field.setPlainText("The ice floats ")
    assert marked() == []


def test_the_word_that_is_being_written_is_let_be(
    composer: Composer, marked: Callable[[], list[str]], qtbot: QtBot
) -> None:
    qtbot.keyClicks(composer.field, "the flao")
    assert marked() == []
    qtbot.keyClicks(composer.field, "ts ")
    assert marked() == ["flaots"]


@pytest.mark.parametrize(
    "text", ["parse_args", "main.rs", "`teh`", "https://teh.example", "HTTP", "x86", "camelCase", "a/b", "me@home"]
)
def test_names_in_code_addresses_and_capitals_are_no_words(text: str) -> None:
    assert list(words_in(text)) == []


def test_parts_of_a_compound_are_looked_up_each() -> None:
    assert [word for _, word in words_in("a well-known (fact).")] == ["well", "known", "fact"]


def test_only_what_is_seen_is_looked_up(composer: Composer, marked: Callable[[], list[str]], english: English) -> None:
    composer.field.set_most_height(60)
    composer.field.setPlainText("\n".join(f"teh{letter}" for letter in "abcdefghijklmnopqrstuvwxyz" * 400))
    assert 0 < len(marked()) < 10
    assert len(english.asked) < 10


def test_a_known_word_is_asked_once(composer: Composer, marked: Callable[[], list[str]], english: English) -> None:
    composer.field.setPlainText("ice ice ice ")
    marked()
    marked()
    assert english.asked == ["ice"]


def test_the_menu_offers_what_a_misspelled_word_may_have_meant(
    composer: Composer, marked: Callable[[], list[str]]
) -> None:
    composer.field.setPlainText("teh ice ")
    marked()
    place = composer.field.cursorRect().center()
    place.setX(8)
    reason = QContextMenuEvent.Reason.Mouse
    composer.field.contextMenuEvent(QContextMenuEvent(reason, place, composer.field.mapToGlobal(place)))
    menu = composer.field.findChild(QMenu)
    assert menu is not None
    assert [action.text() for action in menu.actions()][:6] == ["teh0", "teh1", "teh2", "teh3", "teh4", ""]
    menu.actions()[1].trigger()
    menu.close()
    assert composer.field.toPlainText() == "teh1 ice "


def test_a_word_is_right_in_any_of_the_users_languages() -> None:
    languages = Languages([English("ice"), English("eis")])
    assert [languages.check(word) for word in ("ice", "eis", "glace")] == [True, True, False]
    assert languages.suggest("x")[0] == "x0"


def test_a_system_without_a_spell_checker_has_no_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("enchant", "AppKit"):
        monkeypatch.setitem(sys.modules, library, None)
    assert find_dictionary() is None


def test_dictionaries_are_those_of_the_users_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    class Enchant:
        Dict = staticmethod(lambda name: English(name.lower()))

        @staticmethod
        def dict_exists(name: str) -> bool:
            return name == "en_US"

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setitem(sys.modules, "enchant", Enchant)
    monkeypatch.setattr(QLocale, "uiLanguages", lambda locale: ["en-US", "de-DE", "en"])
    found = find_dictionary()
    assert isinstance(found, Languages)
    assert [found.check("en_us"), len(found.dictionaries)] == [True, 1]
