"""Whether letters stand in a name in their order, how well, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, lru_cache

from app.conversations.folding import Span, fold

MOST_LETTERS = 60  # of a query; a longer one finds nothing more
_WORD = re.compile(r"[^\W_]+")


class Rank(IntEnum):
    """How well a name fits, the best first."""

    WHOLE = 0
    BEGINNING = 1
    WORD = 2  # it stands at the beginning of a word
    BEGINNINGS = 3  # its parts stand at the beginnings of words
    INSIDE = 4
    SCATTERED = 5


class Name:
    """A name as it is compared: without case and accents."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folded = fold(text)
        self._places: dict[str, int] = {}

    @cached_property
    def starts(self) -> int:
        """Bit i is set where a word begins with letter i of the folded name."""
        found, folded = 0, self.folded
        for match in _WORD.finditer(folded):
            found |= 1 << match.start()
        return found

    def places(self, letter: str) -> int:
        """Bit i is set where letter i is this one."""
        found = self._places.get(letter)
        if found is None:
            found, at = 0, self.folded.find(letter)
            while at >= 0:
                found |= 1 << at
                at = self.folded.find(letter, at + 1)
            self._places[letter] = found
        return found


@lru_cache(maxsize=16_384)
def name_of(text: str) -> Name:
    """Kept, as the same names are looked through with every key."""
    return Name(text)


@dataclass(frozen=True, slots=True)
class Query:
    phrase: str  # folded, with single spaces
    letters: str  # the same without spaces
    pattern: re.Pattern[str]  # finds the letters in their order

    @property
    def is_empty(self) -> bool:
        return not self.letters


def query_of(text: str) -> Query:
    phrase = " ".join(fold(text.replace("\0", "")).split())[:MOST_LETTERS].rstrip()
    letters = phrase.replace(" ", "")
    gaps = (f"[^{re.escape(letter)}]*{re.escape(letter)}" for letter in letters[1:])
    return Query(phrase, letters, re.compile(re.escape(letters[:1]) + "".join(gaps), re.DOTALL))


def rank(name: Name, query: Query) -> Rank | None:
    """None where the letters are not there in their order."""
    folded, phrase = name.folded, query.phrase
    if query.pattern.search(folded) is None:
        return None
    if folded.startswith(phrase):
        return Rank.WHOLE if len(folded) == len(phrase) else Rank.BEGINNING
    place = folded.find(phrase)
    while place >= 0:
        if not folded[place - 1].isalnum():  # at the very beginning it has been found
            return Rank.WORD
        place = folded.find(phrase, place + 1)
    if len(query.letters) > 1 and _reach(name, query.letters)[-1]:
        return Rank.BEGINNINGS
    return Rank.INSIDE if phrase in folded else Rank.SCATTERED


def spans_in(name: Name, query: Query) -> tuple[Span, ...]:
    """Where the letters stand in the name itself, with the accents behind them; for a name that has them."""
    return _joined(name.text, _letters_in(name, query, rank(name, query)))


def _letters_in(name: Name, query: Query, found: Rank | None) -> list[int]:
    """A place in the folded name for each letter."""
    match found:
        case None:
            return []
        case Rank.BEGINNINGS:
            return _places_of(_reach(name, query.letters))
        case Rank.SCATTERED:
            places: list[int] = []
            for letter in query.letters:
                places.append(name.folded.index(letter, places[-1] + 1 if places else 0))
            return places
    starts = [at.start() for at in re.finditer(re.escape(query.phrase), name.folded)]
    start = next((at for at in starts if name.starts >> at & 1), starts[0])
    return [start + at for at, letter in enumerate(query.phrase) if letter != " "]


def _reach(name: Name, letters: str) -> list[int]:
    """For each letter, the places where it can stand: behind the one before it, or at a later beginning of a word."""
    places = name.starts & name.places(letters[0])
    reached = [places]
    for letter in letters[1:]:
        later = name.starts & -((places & -places) << 1) if places else 0
        places = name.places(letter) & (places << 1 | later)
        reached.append(places)
    return reached


def _places_of(reached: list[int]) -> list[int]:
    """One way through the places that were reached, with as few gaps as can be, from the end."""
    place = (reached[-1] & -reached[-1]).bit_length() - 1
    places = [place]
    for before in reversed(reached[:-1]):
        if before >> place - 1 & 1:
            place -= 1
        else:
            below = before & (1 << place) - 1
            place = below.bit_length() - 1
        places.append(place)
    return places[::-1]


def _joined(text: str, places: list[int]) -> tuple[Span, ...]:
    """Half-open spans of the text for places in its folded form."""
    wanted = set(places)
    spans: list[Span] = []
    at = 0
    for index, character in enumerate(text):
        length = len(fold(character))
        is_wanted = any(at + step in wanted for step in range(length))
        is_mark = not length and bool(spans) and spans[-1][1] == index
        at += length
        if is_mark or (is_wanted and spans and spans[-1][1] == index):
            spans[-1] = (spans[-1][0], index + 1)
        elif is_wanted:
            spans.append((index, index + 1))
    return tuple(spans)
