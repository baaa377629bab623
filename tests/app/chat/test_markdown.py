"""Markdown as lines, and what a hostile reply can do with it."""

from __future__ import annotations

import time

import pytest

from app.chat.markdown import Line, Table, is_allowed, parse


def texts_of(source: str) -> list[str]:
    return [line.text for line in parse(source).lines if isinstance(line, Line)]


def test_tags_are_shown_as_they_are_written() -> None:
    source = "<script>alert(1)</script> <img src=x onerror=y> <b>bold</b>"
    assert texts_of(source) == [source]


def test_a_block_of_html_is_shown_as_text() -> None:
    assert "<table><tr><td>x</td></tr></table>" in texts_of("<table><tr><td>x</td></tr></table>\n")[0]


def test_lines_of_a_paragraph_stay_lines() -> None:
    assert texts_of("A\nB\nC") == ["A\u2028B\u2028C"]


def test_a_picture_is_its_address_in_words() -> None:
    assert texts_of("Look ![a cat](http://example.org/cat.png) here") == [
        "Look [picture: a cat] http://example.org/cat.png here"
    ]


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "vscode://x", "//h/x"]
)
def test_a_link_to_anything_but_web_and_mail_is_not_one(address: str) -> None:
    spans = [span for line in parse(f"[press]({address})").lines if isinstance(line, Line) for span in line.spans]
    assert not any(span.style.href for span in spans)
    assert address in "".join(span.text for span in spans)
    assert not is_allowed(address)


def test_web_and_mail_links_are_links() -> None:
    source = "[a](https://example.org) <mailto:a@example.org>"
    spans = [span for line in parse(source).lines if isinstance(line, Line) for span in line.spans]
    assert [span.style.href for span in spans if span.style.href] == ["https://example.org", "mailto:a@example.org"]


def test_a_fence_that_is_never_closed_is_code_to_the_end() -> None:
    lines = parse("Before\n\n```python\nx = 1\n\n# not a heading\n<b>", is_live=True).lines
    kinds = [line.kind for line in lines if isinstance(line, Line)]
    assert kinds == ["paragraph", "code-head", "code", "code", "code", "code", "code-foot"]
    assert [line.text for line in lines if isinstance(line, Line)][-2] == "<b>"


def test_a_table_keeps_short_rows_and_its_alignment() -> None:
    (table,) = parse("| a | b |\n|---|--:|\n| 1 |\n").lines
    assert isinstance(table, Table)
    assert table.at_end == (False, True)
    assert [len(row) for row in table.rows] == [2, 2]


def test_only_the_last_block_stays_open() -> None:
    source = "# Head\n\nFirst.\n\n- one\n- two"
    parsed = parse(source, is_live=True)
    assert source[parsed.open_offset :] == "- one\n- two"
    assert parsed.open_line == 2


@pytest.mark.parametrize("source", ["", "\n\n", "- ", "> ", "```", "|", "[a]: http://b", "#", "***", "\u0000", "1."])
def test_any_beginning_of_markdown_can_be_parsed(source: str) -> None:
    parsed = parse(source, is_live=True)
    assert parsed.open_line <= len(parsed.lines)


HOSTILE = {
    "deep quotes": "> " * 2000 + "x",
    "brackets": "[" * 100_000,
    "doubled brackets": "[[" * 2_000,
    "pictures": "![" * 4_000,
    "one-letter lines": "a\n" * 4_000,
    "open references": "[a\n" * 33_000,
    "links": "[a](" * 25_000,
    "stars": "**a" * 33_000,
    "ticks": "`a" * 50_000,
    "a long list": "- a\n" * 25_000,
    "a long table": "|a|b|\n|-|-|\n" + "|x|y|\n" * 16_000,
    "a wide table": "|" + "a|" * 300 + "\n|" + "-|" * 300 + "\n" + "|x|\n" * 8_000,
    "headings": "# a\n" * 25_000,
    "fences": "```\n" * 25_000,
    "brackets of many blocks": ("[" * 150 + "\n\n") * 600,
}


@pytest.mark.parametrize("is_live", [True, False])
@pytest.mark.parametrize("name", HOSTILE)
def test_no_reply_holds_up_the_window(name: str, is_live: bool) -> None:
    start = time.thread_time()
    lines = parse(HOSTILE[name], is_live=is_live).lines
    assert time.thread_time() - start < (0.25 if is_live else 1)
    assert lines


def test_what_is_too_long_to_parse_while_it_grows_is_shown_as_written_until_it_is_closed() -> None:
    source = "- **a**\n" * 900
    (line,) = parse(source, is_live=True).lines
    assert isinstance(line, Line)
    assert line.text == source.rstrip("\n").replace("\n", "\u2028")
    assert len(parse(source).lines) == 900


def test_a_long_open_code_block_stays_code() -> None:
    lines = parse("```python\n" + "x = [1]  # *a*\n" * 5_000, is_live=True).lines
    assert len(lines) > 5_000


def test_a_long_ordinary_reply_is_parsed() -> None:
    source = "## Head\n\nSome **bold** words and `code` in a [link](https://example.org).\n\n- one\n- two\n\n" * 500
    assert any(getattr(line, "kind", "") == "heading" for line in parse(source).lines)
