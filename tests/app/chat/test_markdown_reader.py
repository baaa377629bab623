"""Markdown as pieces, and what a hostile reply can do with it."""

from __future__ import annotations

import time

import pytest

from app.chat.markdown_inline import is_allowed
from app.chat.markdown_pieces import Code, Table, Text
from app.chat.markdown_reader import Before, parse


def texts_of(source: str) -> list[str]:
    return [piece.text for piece in parse(source).pieces if isinstance(piece, Text)]


def kinds_of(source: str, *, is_live: bool = False) -> list[str]:
    return [type(piece).__name__ for piece in parse(source, is_live=is_live).pieces]


def test_tags_are_shown_as_they_are_written() -> None:
    source = "<script>alert(1)</script> <img src=x onerror=y> <b>bold</b> std::vector<int> <think>"
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
    spans = [span for piece in parse(f"[press]({address})").pieces if isinstance(piece, Text) for span in piece.spans]
    assert not any(span.style.href for span in spans)
    assert address in "".join(span.text for span in spans)
    assert not is_allowed(address)


def test_web_and_mail_links_are_links() -> None:
    (piece,) = parse("[a](https://example.org) <mailto:a@example.org>").pieces
    assert isinstance(piece, Text)
    found = [span.style.href for span in piece.spans if span.style.href]
    assert found == ["https://example.org", "mailto:a@example.org"]


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("See https://example.org/a_b_c?x=1.", "https://example.org/a_b_c?x=1"),
        ("(http://example.org/a_(b))", "http://example.org/a_(b)"),
        ("**https://example.org**, then", "https://example.org"),
    ],
)
def test_a_bare_address_is_a_link_without_the_signs_around_it(source: str, address: str) -> None:
    (piece,) = parse(source).pieces
    assert isinstance(piece, Text)
    assert [span.text for span in piece.spans if span.style.href] == [address]
    assert piece.text == source.replace("**", "")


def test_a_fence_that_is_never_closed_is_code_to_the_end() -> None:
    paragraph, code = parse("Before\n\n```python\nx = 1\n\n# not a heading\n<b>", is_live=True).pieces
    assert isinstance(paragraph, Text)
    assert isinstance(code, Code)
    assert (code.code, code.language, code.is_closed) == ("x = 1\n\n# not a heading\n<b>", "python", False)


@pytest.mark.parametrize("source", ["```\nx\n```", "```\n```", "~~~py\nx\n\n~~~\n", "    x\n"])
def test_code_that_has_its_end_is_closed(source: str) -> None:
    (code,) = parse(source).pieces
    assert isinstance(code, Code)
    assert code.is_closed


def test_a_table_keeps_short_rows_and_its_alignment() -> None:
    (table,) = parse("| a | b |\n|---|--:|\n| 1 |\n").pieces
    assert isinstance(table, Table)
    assert table.at_end == (False, True)
    assert [len(row) for row in table.rows] == [2, 2]


def test_only_the_last_block_stays_open() -> None:
    source = "# Head\n\nFirst.\n\n> one\n> two"
    parsed = parse(source, is_live=True)
    assert source[parsed.open_offset :] == "> one\n> two"
    assert parsed.num_closed == 2


def test_only_the_last_item_of_a_list_stays_open() -> None:
    source = "Text\n\n3. one\n4. two\n   - deep\n9. three"
    parsed = parse(source, is_live=True)
    assert source[parsed.open_offset :] == "9. three"
    assert parsed.before_open == Before(is_empty=False, is_list=True, number=5)


def test_a_list_goes_on_where_it_was_left() -> None:
    (item,) = parse("9. three", Before(is_empty=False, is_list=True, number=5)).pieces
    assert isinstance(item, Text)
    assert (item.place.mark, item.place.gap, item.place.joint) == ("5.", 6, "\n")


FIRST_IN_ITEMS = {
    "code": "```sh\n{}ls\n{}```",
    "a table": "| a | b |\n{}|---|---|\n{}| 1 | 2 |",
    "a formula": "$$\n{}x\n{}$$",
    "a rule": "***",
    "a heading": "# h",
    "a quote": "> q",
    "text": "t",
    "nothing": "",
}


@pytest.mark.parametrize("mark", ["1.", "-"])
@pytest.mark.parametrize("name", FIRST_IN_ITEMS)
def test_the_mark_of_an_item_stands_before_its_first_piece(name: str, mark: str) -> None:
    item = FIRST_IN_ITEMS[name].format(*[" " * (len(mark) + 1)] * 2)
    first, outside = parse(f"{mark} {item}\n\nOutside.").pieces
    assert first.place.mark == mark.replace("-", "•")
    assert first.place.level == 1
    assert (outside.place.mark, outside.place.level) == ("", 0)


def test_items_in_which_nothing_stands_are_not_lost() -> None:
    pieces = parse("- \n- a\n-\n\n1.\n2. - b").pieces
    assert [piece.place.mark for piece in pieces] == ["•", "•", "•", "1.", "2.", "•"]
    assert [piece.place.level for piece in pieces] == [1, 1, 1, 1, 1, 2]


@pytest.mark.parametrize("source", ["A *b* c\n\n- d\n\n  e\n- f\n\n> g", "| a |\n|---|\n| b |\n\n```\nx\n```\nlast"])
def test_each_piece_knows_its_source(source: str) -> None:
    places = [piece.place for piece in parse(source).pieces]
    assert "".join(source[place.start : place.end] for place in places).replace("\n", "") == source.replace("\n", "")


def test_places_count_characters_where_lines_end_in_other_ways() -> None:
    source = "one\r\n\r\ntwo\r\n\r\nthree"
    assert [source[piece.place.start : piece.place.end].strip() for piece in parse(source).pieces] == source.split()


def test_a_paragraph_that_is_too_long_is_cut_at_a_word() -> None:
    source = "words and " * 2_000
    pieces = [piece for piece in parse(source).pieces if isinstance(piece, Text)]
    assert "".join(piece.text for piece in pieces) == source.rstrip()
    assert len(pieces) > 2
    assert all(piece.text.endswith(" ") and piece.place.joint == "" for piece in pieces[1:-1])


@pytest.mark.parametrize(
    "source", ["", "\n\n", "- ", "> ", "```", "|", "[a]: http://b", "#", "***", "\u0000", "1.", "$$"]
)
def test_any_beginning_of_markdown_can_be_parsed(source: str) -> None:
    parsed = parse(source, is_live=True)
    assert parsed.num_closed <= len(parsed.pieces)


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
    "dollars": "$a" * 50_000,
    "open formulas": "\\(a" * 30_000,
    "lines of open formulas": "$$a\n" * 20_000,
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
    pieces = parse(HOSTILE[name], is_live=is_live).pieces
    assert time.thread_time() - start < (0.25 if is_live else 1)
    assert pieces


def test_what_is_too_long_to_parse_while_it_grows_is_shown_as_written_until_it_is_closed() -> None:
    source = "- **a**\n" * 900
    shown = "".join(piece.text for piece in parse(source, is_live=True).pieces if isinstance(piece, Text))
    assert shown == source.rstrip("\n").replace("\n", "\u2028")
    assert len(parse(source).pieces) == 900


def test_a_long_open_code_block_stays_code() -> None:
    assert kinds_of("```python\n" + "x = [1]  # *a*\n" * 5_000, is_live=True) == ["Code"]


def test_a_long_ordinary_reply_is_parsed() -> None:
    source = "## Head\n\nSome **bold** words and `code` in a [link](https://example.org).\n\n- one\n- two\n\n" * 500
    assert any(isinstance(piece, Text) and piece.heading for piece in parse(source).pieces)
