"""Spelling: marks words that the system's dictionaries do not know, in what is seen of a field; silent without one."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Protocol

from PySide6.QtCore import QLocale, QObject, QTimer
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from app.theme.theme import Theme

WAIT_MILLISECONDS = 400  # after the last key or scroll
MOST_LONG = 5_000  # characters of a block; longer ones are data
MOST_UNKNOWN = 200  # words that are looked up at a time: the window must answer
MOST_KEPT = 20_000  # words whose answer is remembered
MOST_SUGGESTED = 5
_CHUNK = re.compile(r"\S+")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_AROUND = "\"'`“”‘’«»„()[]{}<>*_.,;:!?…–—"  # may stand at a word's ends; inside, it makes a name or an address


class Dictionary(Protocol):
    def check(self, word: str) -> bool: ...
    def suggest(self, word: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Languages:
    """A word is right in any of them; what is suggested is the first one's."""

    dictionaries: Sequence[Dictionary]

    def check(self, word: str) -> bool:
        return any(dictionary.check(word) for dictionary in self.dictionaries)

    def suggest(self, word: str) -> list[str]:
        return self.dictionaries[0].suggest(word)


class SpellChecker:
    """The one of macOS. Source: developer.apple.com, NSSpellChecker."""

    def __init__(self, kit: Any) -> None:
        self._kit = kit

    def check(self, word: str) -> bool:
        checker = self._kit.NSSpellChecker.sharedSpellChecker()
        return not checker.checkSpellingOfString_startingAt_(word, 0).length

    def suggest(self, word: str) -> list[str]:
        checker = self._kit.NSSpellChecker.sharedSpellChecker()
        whole = self._kit.NSMakeRange(0, len(word.encode("utf-16-le")) // 2)
        found = checker.guessesForWordRange_inString_language_inSpellDocumentWithTag_(whole, word, None, 0)
        return [str(guess) for guess in found or ()]


def find_dictionary() -> Dictionary | None:
    """What this system has for the user's languages; None where it has nothing."""
    try:
        if sys.platform == "darwin":
            return SpellChecker(import_module("AppKit"))
        enchant = import_module("enchant")
    except ImportError:  # the package, or the library that it needs
        return None
    names = [name.replace("-", "_") for name in QLocale.system().uiLanguages()]
    found = [enchant.Dict(name) for name in dict.fromkeys(names) if enchant.dict_exists(name)]
    return Languages(found) if found else None


@cache
def _loading() -> Future[Dictionary | None]:
    """Begun once, on a thread of its own: libraries and word lists take their time."""
    pool = ThreadPoolExecutor(1, "spelling")
    future = pool.submit(find_dictionary)
    pool.shutdown(wait=False)
    return future


class Spelling(QObject):
    """Looks at the blocks of a field that are seen, when it comes to rest."""

    def __init__(self, theme: Theme, field: QPlainTextEdit, parent: QObject | None = None) -> None:
        super().__init__(parent or field)
        self.dictionary: Dictionary | None = None
        self._theme = theme
        self._field = field
        self._known: dict[str, bool] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MILLISECONDS)
        self._timer.timeout.connect(self.mark)
        field.textChanged.connect(self._timer.start)
        field.verticalScrollBar().valueChanged.connect(lambda value: self._timer.start())
        theme.tokens_changed.connect(self._timer.start)

    def mark(self) -> None:
        """Underline what is misspelled of what is seen, but not the word that is being written."""
        if not self._has_dictionary():
            return
        written, num_left = self._field.textCursor().position(), MOST_UNKNOWN
        wrong = []
        for block in self._seen():
            for start, word in words_in(block.text()):
                num_left -= word not in self._known
                if num_left < 0:
                    self._timer.start()
                    break
                if block.position() + start + len(word) != written and not self._is_right(word):
                    wrong.append(self._selection(block.position() + start, len(word)))
        self._field.setExtraSelections(wrong)

    def word_at(self, position: int) -> QTextCursor | None:
        """The misspelled word at a place in the text."""
        for selection in self._field.extraSelections():
            cursor: QTextCursor = selection.cursor
            if cursor.selectionStart() <= position <= cursor.selectionEnd():
                return QTextCursor(cursor)  # the other goes with its selection
        return None

    def suggestions(self, word: str) -> list[str]:
        return self.dictionary.suggest(word)[:MOST_SUGGESTED] if self.dictionary else []

    def _has_dictionary(self) -> bool:
        if self.dictionary is None and _loading().done():
            self.dictionary = _loading().result()
        elif self.dictionary is None:
            self._timer.start()
        return self.dictionary is not None

    def _seen(self) -> Iterator[QTextBlock]:
        """Blocks within the field's height, from the one at its top on."""
        field = self._field
        block = field.cursorForPosition(field.viewport().rect().topLeft()).block()
        last = field.cursorForPosition(field.viewport().rect().bottomRight()).block()
        while block.isValid() and block.blockNumber() <= last.blockNumber():
            if block.length() <= MOST_LONG:
                yield block
            block = block.next()

    def _is_right(self, word: str) -> bool:
        if word not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.clear()
            assert self.dictionary is not None
            self._known[word] = self.dictionary.check(word)
        return self._known[word]

    def _selection(self, start: int, length: int) -> QTextEdit.ExtraSelection:
        look = QTextCharFormat()
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SpellCheckUnderline)
        look.setUnderlineColor(self._theme.colour("alert"))
        cursor = QTextCursor(self._field.document())
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        selection = QTextEdit.ExtraSelection()
        selection.cursor, selection.format = cursor, look
        return selection


def words_in(text: str) -> Iterator[tuple[int, str]]:
    """Start and word of what may be looked up, counted as Qt does: no numbers, names in code, addresses, capitals."""
    for chunk in _CHUNK.finditer(text):
        inner = chunk.group().strip(_AROUND)
        start = chunk.start() + chunk.group().find(inner)
        if "`" in chunk.group() or not re.fullmatch(rf"{_WORD.pattern}(?:-{_WORD.pattern})*", inner):
            continue
        for found in _WORD.finditer(inner):
            word = found.group()
            if len(word) > 1 and word[1:] == word[1:].lower():
                yield _num_units(text, start + found.start()), word


def _num_units(text: str, end: int) -> int:
    """UTF-16 units before a place in a text."""
    return end + sum(character > "\uffff" for character in text[:end])
