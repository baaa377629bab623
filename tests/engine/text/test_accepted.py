"""Accepted text: its characters are known when they are shown, however long they were held back."""

from __future__ import annotations

import random

from engine.text.accepted import AcceptedSpans
from engine.text.reply_text import ReplyText
from tests.engine.text.small_tokenizers import byte_tokenizer, spelled

TOKENIZER = byte_tokenizer()


def shown(reply: ReplyText, text: str, num_accepted: int) -> tuple[str, str]:
    """What a round of one token a character shows, and the part of it that accepted tokens wrote."""
    ids = spelled(TOKENIZER, text)
    new = "".join([reply.push(token_id, index < num_accepted) for index, token_id in enumerate(ids)])
    start, end = reply.show_accepted(new)
    return new, new[start:end]


def test_the_bonus_is_not_accepted_text() -> None:
    reply = ReplyText(TOKENIZER, ())
    assert [shown(reply, "the l", 4), shown(reply, "o", 0), shown(reply, "w.", 1)] == [
        ("the l", "the "),
        ("o", ""),
        ("w.", "w"),
    ]


def test_accepted_text_that_a_stop_string_held_back_is_accepted_when_it_is_shown() -> None:
    reply = ReplyText(TOKENIZER, ("lower",))
    assert shown(reply, "a lo", 3) == ("a ", "a ")
    assert shown(reply, "n", 0) == ("lon", "l")


def test_nothing_of_a_stop_string_is_accepted_text() -> None:
    reply = ReplyText(TOKENIZER, ("low",))
    assert shown(reply, "the low!", 8) == ("the ", "the ")


def test_a_character_belongs_to_the_token_that_completes_it() -> None:
    reply = ReplyText(TOKENIZER, ())
    first, second, third = TOKENIZER.encode("日", inert=True)
    texts = [reply.push(first, False), reply.push(second, True), reply.push(third, True)]
    assert (texts, reply.show_accepted("日")) == (["", "", "日"], (0, 1))
    assert reply.push(first, True) == ""
    assert reply.show_accepted("") == (0, 0)


def test_what_a_continued_reply_began_with_is_not_counted() -> None:
    reply = ReplyText(TOKENIZER, (), spelled(TOKENIZER, "The "))
    assert shown(reply, "low", 2) == ("low", "lo")


def test_of_several_parts_the_longest_is_told() -> None:
    spans = AcceptedSpans()
    for length, is_accepted in ((2, True), (1, False), (3, True), (1, False)):
        spans.write(length, is_accepted)
    assert spans.show(7) == (3, 6)


def test_every_accepted_character_is_told_where_all_is_shown_at_once() -> None:
    generator = random.Random(3)
    for _ in range(300):
        spans, told, written = AcceptedSpans(), [], []
        for _ in range(8):
            num_accepted, num_others = generator.randint(0, 4), generator.randint(0, 2)
            spans.write(num_accepted, True)
            spans.write(num_others, False)
            start, end = spans.show(num_accepted + num_others)
            told += [start <= place < end for place in range(num_accepted + num_others)]
            written += [True] * num_accepted + [False] * num_others
        assert told == written
