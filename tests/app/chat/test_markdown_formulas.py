"""What is a formula in a reply, and what is money or code."""

from __future__ import annotations

import pytest

from app.chat.markdown_pieces import Formula, Text
from app.chat.markdown_reader import parse


def inline_of(source: str) -> list[str]:
    pieces = [piece for piece in parse(source).pieces if isinstance(piece, Text)]
    return [span.text for piece in pieces for span in piece.spans if span.style.is_formula]


def display_of(source: str, *, is_live: bool = False) -> list[tuple[str, bool]]:
    pieces = parse(source, is_live=is_live).pieces
    return [(piece.source, piece.is_closed) for piece in pieces if isinstance(piece, Formula)]


def test_prices_and_code_stay_text_beside_a_formula() -> None:
    assert inline_of("It costs $5 and $10, but $x^2$ is maths and `$HOME` is not") == ["$x^2$"]


@pytest.mark.parametrize(
    "text",
    [
        "from $5 to $10",
        "I have $20 and you have 30$.",
        "$5, $6 or US$7",
        "echo $HOME and $PATH",
        "a \\$x\\$ b",
        "$ x $",
        "$$",
        "$x$5",
        "`$x$`",
        "$5.50 million, then $3",
        "between $10-$20",
        "$20/month and you pay 30$",
        "I paid $20/month, you pay 30$.",
        "echo $A$B",
        "$HOME$x",
        "A$5 and B$6$",
        "$20/\u6708\uff0c\u4f60\u4ed830$",
        "\u4ef7\u683c$5\u5230$10\u4e4b\u95f4",
        "\u5171$5\u5143\u548c$6\u5143",
    ],
)
def test_money_and_variables_are_text(text: str) -> None:
    assert inline_of(text) == []


@pytest.mark.parametrize(
    "formula", ["$x$", "$a + b$", "$2x + 3$", "$\\frac{1}{2}$", "\\(e^{i\\pi}\\)", "$$x$$", "$5$", "$a\\$b$"]
)
def test_formulas_within_a_sentence_are_found(formula: str) -> None:
    assert inline_of(f"Here {formula}, there.") == [formula]


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("\u8bbe$x$\u4e3a\u5b9e\u6570\uff0c\u5219$x^2$\u5927\u4e8e\u96f6", ["$x$", "$x^2$"]),
        ("\u7528$E=mc^2$\u8868\u793a", ["$E=mc^2$"]),
        ("\ubcc0\uc218$x$\ub294", ["$x$"]),
        ("\u5909\u6570$x$\u306f", ["$x$"]),
        ("the $n$th term, the $x$s", ["$n$", "$x$"]),
    ],
)
def test_formulas_stand_against_letters_of_scripts_without_spaces(text: str, formulas: list[str]) -> None:
    assert inline_of(text) == formulas


def test_a_formula_keeps_what_markdown_would_take_for_marks() -> None:
    assert inline_of("So $a_1 * b_2 * c_3$ holds.") == ["$a_1 * b_2 * c_3$"]


@pytest.mark.parametrize(
    ("source", "formula"),
    [
        ("$$\nx = 1\n$$", "x = 1"),
        ("$$x = 1$$", "x = 1"),
        ("\\[ x \\]", "x"),
        ("Then\n$$\na \\\\\nb\n$$\nholds.", "a \\\\\nb"),
        ("- item\n\n  $$x$$", "x"),
    ],
)
def test_formulas_on_lines_of_their_own_are_found(source: str, formula: str) -> None:
    assert display_of(source) == [(formula, True)]


def test_half_a_formula_is_one_while_it_is_written() -> None:
    assert display_of("Text.\n\n$$\n\\frac{a", is_live=True) == [("\\frac{a", False)]


@pytest.mark.parametrize("source", ["$$\n\\frac{a", "$$\nx\n\nmore $$", "\\[ x"])
def test_a_formula_that_never_ends_is_text(source: str) -> None:
    assert display_of(source) == []


def test_two_formulas_in_one_line_are_parts_of_a_sentence() -> None:
    assert inline_of("$$a$$ and $$b$$") == ["$$a$$", "$$b$$"]
