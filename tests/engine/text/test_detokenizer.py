"""Tokens to text, one at a time: whole characters only, nothing lost, nothing held back for long."""

from __future__ import annotations

import itertools
import random
import time

import pytest
import tokenizers
from tokenizers import decoders, models

from engine.text.detokenizer import shown_text
from engine.text.reply_text import ReplyText
from engine.text.tokenizer import Tokenizer
from tests.engine.text.small_tokenizers import byte_backend, byte_tokenizer, sentence_backend, sentence_tokenizer

TEXTS = ["ďábel Жук 🙂", "日本語", " Hello world", "a = [ 1 , 2 ] . x 'm ?", "👩‍👩‍👧 e\u0301 \n\n\t tab", "  two", "�x"]


@pytest.fixture(params=["bytes", "sentences"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return byte_tokenizer() if request.param == "bytes" else sentence_tokenizer()


def chunks_of(tokenizer: Tokenizer, token_ids: list[int], prefix_ids: list[int] | None = None) -> list[str]:
    reply = ReplyText(tokenizer, (), prefix_ids or ())
    return [*(reply.push(token_id) for token_id in token_ids), reply.flush()]


@pytest.mark.parametrize("text", TEXTS)
def test_o01_chunks_join_to_the_text_and_hold_no_half_character(tokenizer: Tokenizer, text: str) -> None:
    chunks = chunks_of(tokenizer, tokenizer.encode(text, inert=True))
    assert "".join(chunks) == text
    assert "\ufffd" in text or not any("\ufffd" in chunk for chunk in chunks)


@pytest.mark.parametrize("backend", [byte_backend(), sentence_backend()], ids=["bytes", "sentences"])
def test_joined_chunks_equal_the_librarys_own_decoding(backend: tokenizers.Tokenizer) -> None:
    tokenizer = Tokenizer(backend, identity="x")
    generator = random.Random(7)
    alphabet = "aow tHel.,\n é日🙂Ж"
    for _ in range(200):
        text = "".join(generator.choices(alphabet, k=12))
        token_ids = backend.encode(text).ids
        assert shown_text(tokenizer, token_ids) == backend.decode(token_ids)


def test_any_bytes_of_a_byte_level_tokenizer_decode_as_the_library_does() -> None:
    tokenizer, generator = byte_tokenizer(), random.Random(3)
    for _ in range(200):
        token_ids = [*generator.choices(range(256), k=20), *tokenizer.encode("a", inert=True)]
        assert shown_text(tokenizer, token_ids) == tokenizer.decode(token_ids)


def test_o02_half_a_character_before_a_space_gives_one_mark_and_goes_on(tokenizer: Tokenizer) -> None:
    half = tokenizer.encode("xé", inert=True)[:-1]
    text = "".join(chunks_of(tokenizer, [*half, *tokenizer.encode(" the", inert=True, is_first=False)]))
    assert text == "x\ufffd the"


def test_o03_a_limit_inside_a_character_shows_the_whole_ones_only(tokenizer: Tokenizer) -> None:
    token_ids = tokenizer.encode("日本語", inert=True)
    assert "".join(chunks_of(tokenizer, token_ids[:-1])) == "日本"


@pytest.mark.parametrize("split", range(6))
def test_o04_a_leading_space_is_the_same_plain_and_continued(tokenizer: Tokenizer, split: int) -> None:
    token_ids = tokenizer.encode(" Hello wörld", inert=True)
    before = shown_text(tokenizer, token_ids[:split])
    assert before + "".join(chunks_of(tokenizer, token_ids[split:], token_ids[:split])) == " Hello wörld"


def test_o05_spaces_before_punctuation_stay(tokenizer: Tokenizer) -> None:
    text = "a = [ 1 , 2 ] . x 'm ?"
    assert "".join(chunks_of(tokenizer, tokenizer.encode(text, inert=True))) == text


def test_o07_chinese_without_spaces_arrives_steadily(tokenizer: Tokenizer) -> None:
    chunks = chunks_of(tokenizer, tokenizer.encode("日本語中文" * 40, inert=True, is_first=False))
    shown_at = [index for index, chunk in enumerate(chunks) if chunk]
    assert max(later - earlier for earlier, later in itertools.pairwise(shown_at)) <= 3
    assert max(map(len, chunks)) == 1


def test_special_tokens_and_ids_beyond_the_vocabulary_are_not_shown() -> None:
    tokenizer = byte_tokenizer()
    [end_id] = tokenizer.end_ids
    token_ids = [*tokenizer.encode("a<think>", inert=False), end_id, 99_999, *tokenizer.encode("b", inert=True)]
    assert "".join(chunks_of(tokenizer, token_ids)) == "a<think>b"


def test_a_decoder_of_another_kind_is_read_through_a_window() -> None:
    vocabulary = {"hel": 0, "lo</w>": 1, "wor": 2, "ld</w>": 3}
    backend = tokenizers.Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    backend.decoder = decoders.BPEDecoder("</w>")
    tokenizer = Tokenizer(backend, identity="words")
    assert not tokenizer.has_pieces
    assert "".join(chunks_of(tokenizer, [0, 1, 2, 3])).split() == ["hello", "world"]


def test_o01_a_window_gives_whole_characters_too() -> None:
    backend = tokenizers.Tokenizer.from_str(byte_backend().to_str())
    backend.decoder = decoders.Sequence([decoders.ByteLevel(), decoders.Replace("never", "found")])
    tokenizer = Tokenizer(backend, identity="window")
    token_ids = tokenizer.encode("ďábel Жук 🙂 日本語", inert=True)
    chunks = chunks_of(tokenizer, token_ids)
    assert not tokenizer.has_pieces
    assert "".join(chunks) == "ďábel Жук 🙂 日本語"
    assert not any("\ufffd" in chunk for chunk in chunks)


def test_a_token_costs_as_little_after_a_long_reply() -> None:
    reply = ReplyText(byte_tokenizer(), ("never found",))
    start = time.thread_time()
    for token_id in range(100_000):
        reply.push(token_id % 256)
    assert time.thread_time() - start < 3
