"""How well letters fit a name, and which of its letters they are."""

from __future__ import annotations

import pytest

from app.palette.matching import Rank, name_of, query_of, rank, spans_in


def marked(text: str, typed: str) -> str:
    """The name with brackets around what was typed."""
    made, at = "", 0
    for start, end in spans_in(name_of(text), query_of(typed)):
        made += f"{text[at:start]}[{text[start:end]}]"
        at = end
    return made + text[at:]


@pytest.mark.parametrize(
    ("text", "typed", "expected"),
    [
        ("Redo", "redo", Rank.WHOLE),
        ("Regex for ISO dates", "reg", Rank.BEGINNING),
        ("Regex for ISO dates", "iso", Rank.WORD),
        ("Regex for ISO dates", "is o", Rank.BEGINNINGS),
        ("Regex for ISO dates", "rid", Rank.BEGINNINGS),
        ("Regex for ISO dates", "reiso", Rank.BEGINNINGS),
        ("Regex for ISO dates", "gex", Rank.INSIDE),
        ("Regex for ISO dates", "gxd", Rank.SCATTERED),
        ("Regex for ISO dates", "osi", None),
        ("Ice on a lake, or nice ice", "nice", Rank.WORD),
    ],
)
def test_a_name_fits_the_better_the_nearer_its_words_begin(text: str, typed: str, expected: Rank | None) -> None:
    assert rank(name_of(text), query_of(typed)) is expected


@pytest.mark.parametrize(
    ("text", "typed", "expected"),
    [
        ("Regex for ISO dates", "reiso", "[Re]gex for [ISO] dates"),
        ("Why does ice float?", "wdif", "[W]hy [d]oes [i]ce [f]loat?"),
        ("Nice ice", "ice", "Nice [ice]"),
        ("Élan vital", "elan v", "[Élan] [v]ital"),
        ("Cafe\u0301 au lait", "cafe", "[Cafe\u0301] au lait"),
        ("Große Straße", "strass", "Große [Straß]e"),
        ("Ideas: a cold Ice", "ic", "Ideas: a cold [Ic]e"),
        ("日本語の文法", "文法", "日本語の[文法]"),
    ],
)
def test_what_was_typed_is_marked_whatever_its_case_and_accents(text: str, typed: str, expected: str) -> None:
    assert marked(text, typed) == expected


def test_signs_of_patterns_are_letters_like_others() -> None:
    assert marked("What is [^a]* for?", "[^]*") == "What is [[^]a[]*] for?"


def test_parts_at_beginnings_are_found_where_the_first_ones_lead_nowhere() -> None:
    assert marked("ab ac abd", "abd") == "ab ac [abd]"
    assert marked("a bx a by c", "abyc") == "a bx [a] [by] [c]"
