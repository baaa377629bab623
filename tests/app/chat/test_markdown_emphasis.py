"""Emphasis as models write it, in scripts with and without spaces between words."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from app.chat.markdown_pieces import Text
from app.chat.markdown_reader import parse


def emphasised(source: str) -> tuple[str, list[str]]:
    """The text as it is shown, and the bold or italic parts of it."""
    (piece,) = parse(source).pieces
    assert isinstance(piece, Text)
    spans = [span.text for span in piece.spans if span.style.is_bold or span.style.is_italic or span.style.is_struck]
    return piece.text, spans


@pytest.mark.parametrize(
    "bold",
    [
        "\u6ce8\u610f\uff1a",
        "\u201c\u5f15\u7528\u201d",
        "\u300c\u6ce8\u610f\u300d",
        "\uff08\u4e00\uff09",
        "100%",
        "(x)",
        "\uc608(example)",
    ],
)
@pytest.mark.parametrize(
    "around", [("", "\u6587\u5b57"), ("\u6587\u5b57", ""), ("\u6587", "\u5b57"), ("\u3002", "\uc740")]
)
@pytest.mark.parametrize("mark", ["**", "*", "~~"])
def test_emphasis_against_letters_without_spaces(bold: str, around: tuple[str, str], mark: str) -> None:
    source = f"{around[0]}{mark}{bold}{mark}{around[1]}"
    assert emphasised(source) == (source.replace(mark, ""), [bold])


@pytest.mark.parametrize(
    ("source", "bold"),
    [
        ("**\u201cquoted\u201d**text", ["\u201cquoted\u201d"]),
        ("**Note:**text", ["Note:"]),
        ("so**(this)**that", ["(this)"]),
        ('the **"word"**s', ['"word"']),
        ('say "**bold**", then "**more**"', ["bold", "more"]),
    ],
)
def test_emphasis_beside_signs(source: str, bold: list[str]) -> None:
    assert emphasised(source) == (source.replace("*", ""), bold)


@pytest.mark.parametrize(
    "source", ["x.*y and z.*w", "2 * 3 * 4", "2 ** 3 ** 4", "snake_case_word", "\u5b57_\uff08x\uff09_\u5b57"]
)
def test_marks_that_are_no_emphasis_stay(source: str) -> None:
    assert emphasised(source) == (source, [])


def as_html(source: str) -> str:
    """What is shown, each span in the tags of its style."""
    (piece,) = parse(source).pieces
    assert isinstance(piece, Text)
    parts = []
    for span in piece.spans:
        style = span.style
        tags = [
            tag for tag, is_on in (("strong", style.is_bold), ("em", style.is_italic), ("s", style.is_struck)) if is_on
        ]
        parts.append("".join(f"<{tag}>" for tag in tags) + span.text + "".join(f"</{tag}>" for tag in reversed(tags)))
    return "".join(parts)


def flat(html: str) -> str:
    """Each text in the tags around it, in one order and each once: what a reader can see of the nesting."""
    is_open, parts = dict.fromkeys(("strong", "em", "s"), 0), list[tuple[str, tuple[str, ...]]]()
    for slash, tag, text in re.findall(r"<(/?)(strong|em|s)>|([^<]+)", html):
        if tag:
            is_open[tag] += -1 if slash else 1
            continue
        around = tuple(each for each, count in is_open.items() if count)
        if parts and parts[-1][1] == around:
            text = parts.pop()[0] + text
        parts.append((text, around))
    return "".join(f"{around}{text}" for text, around in parts)


@pytest.mark.parametrize(
    "source",
    [
        "**a **b** c**",
        "**a **b** c** d",
        "*a *b* c* d",
        "~~a ~~b~~ c~~ d",
        "**a **b **c** d** e** f",
        "***a** b* c",
        "*a **b*** c",
        "**a *b **c** d* e** f",
        "**a __b__ c** d",
        "**a **b** c",
        "****a** b** c",
    ],
)
def test_emphasis_in_emphasis_ends_with_the_outer_one(source: str) -> None:
    expected = MarkdownIt("commonmark").enable("strikethrough").renderInline(source)
    assert flat(as_html(source)) == flat(expected)
