import pytest

from app.conversations.folding import first_place, fold, spans_of, words_of


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ďábel", "dabel"),
        ("STRASSE Straße", "strasse strasse"),
        ("ﬁne ①", "fine 1"),
        ("Ёлка", "елка"),
        ("İstanbul", "istanbul"),
        ("日本語", "日本語"),
        ("كِتَاب", "كتاب"),
    ],
)
def test_case_accents_and_forms_do_not_count(text, folded):
    assert fold(text) == folded


def test_words_are_folded_and_each_is_looked_for_once():
    assert words_of("  Été été\0 ICE\u0301 \u0301 ") == ("ete", "ice")


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Café crème", "creme", ["crème"]),
        ("Die Straße", "strasse", ["Straße"]),
        ("e\u0301te\u0301 x", "été", ["e\u0301te\u0301"]),
        ("banana", "ana na", ["anana"]),
        ("ice, Ice", "ice", ["ice", "Ice"]),
        ("ﬁne", "f", ["ﬁ"]),
        ("none", "x", []),
    ],
)
def test_matches_are_marked_in_the_text_as_it_is_written(text, query, marked):
    assert [text[start:end] for start, end in spans_of(text, words_of(query))] == marked


def test_first_match_is_found_far_into_a_text_of_other_lengths():
    text = "ß\u0301" * 30_000 + "Ziel"
    assert text[first_place(text, ("ziel",)) :] == "Ziel"
    assert first_place(text, ("ziel", "missing")) is None
