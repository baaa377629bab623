"""Stop strings: found across chunks, never shown, released when they come to nothing."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import pytest

from engine.text.reply_text import ReplyText
from engine.text.stops import StopFilter
from tests.engine.text.small_tokenizers import byte_tokenizer


def shown(chunks: Sequence[str], *stops: str) -> tuple[str, bool]:
    stop_filter = StopFilter(stops)
    texts = [stop_filter.push(chunk) for chunk in chunks]
    return "".join([*texts, stop_filter.flush()]), stop_filter.stopped


def test_o14_not_one_letter_of_a_stop_string_across_tokens_is_shown() -> None:
    tokenizer = byte_tokenizer()
    reply, text = ReplyText(tokenizer, ("own fox",)), ""
    for token_id in tokenizer.encode("The quick brown fox", inert=True):
        text += reply.push(token_id)
        assert "The quick br".startswith(text)
    assert (text, reply.stopped, reply.flush()) == ("The quick br", True, "")


def test_o17_the_stop_string_that_ends_first_wins() -> None:
    assert shown("xxabyy", "ab", "abcdef") == ("xx", True)
    assert shown(["xxabcdef"], "abcdef", "ab") == ("xx", True)


@pytest.mark.parametrize("chunks", [["aabaabx"], list("aabaabx"), ["aab", "aabx"]])
def test_a_stop_string_that_overlaps_itself_is_found(chunks: list[str]) -> None:
    assert shown(chunks, "abaabx") == ("a", True)


def test_of_two_that_end_together_the_longer_is_hidden() -> None:
    assert shown("xabcd", "cd", "bcd") == ("xa", True)


def test_a_partial_match_is_held_and_released_when_it_fails() -> None:
    stop_filter = StopFilter(["END"])
    assert [stop_filter.push(text) for text in ("xE", "N", "Ey", "EN")] == ["x", "", "ENEy", ""]
    assert (stop_filter.flush(), stop_filter.stopped) == ("EN", False)


def test_empty_stop_strings_are_ignored() -> None:
    assert shown(["abc"], "", "") == ("abc", False)


def test_a_stop_string_begun_before_a_continued_reply_is_completed() -> None:
    tokenizer = byte_tokenizer()
    reply = ReplyText(tokenizer, ("own fox",), tokenizer.encode("The quick brown f", inert=True))
    assert [reply.push(token_id) for token_id in tokenizer.encode("ox", inert=True)] == ["", ""]
    assert reply.stopped


def test_any_chunks_give_what_a_search_in_the_whole_text_gives() -> None:
    generator = random.Random(5)
    for _ in range(500):
        text = "".join(generator.choices("ab", k=20))
        stops = ["".join(generator.choices("ab", k=generator.randint(1, 5))) for _ in range(2)]
        ends = [(text.find(stop) + len(stop), text.find(stop)) for stop in stops if stop in text]
        expected = text[: min(ends)[1]] if ends else text
        cut = generator.randint(0, 20)
        assert shown([text[:cut], text[cut:]], *stops) == (expected, bool(ends))


def test_long_stop_strings_cost_time_in_proportion_to_the_text() -> None:
    stop_filter = StopFilter(["a" * 20_000 + "b"])
    start = time.thread_time()
    for _ in range(60_000):
        stop_filter.push("a")
    assert time.thread_time() - start < 2
