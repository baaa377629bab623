"""Tokens as bytes: compared and hashed as the tokens are."""

from __future__ import annotations

import hashlib
import random

from engine.prompt_cache.hashes import node_hashes, num_common, root_hash, token_bytes, token_ids
from tests.engine.prompt_cache.chats import STREAM, num_shared, stream

IDS = (0, 1, 255, 65_536, 2**32 - 1)


def test_tokens_survive_being_bytes():
    assert token_bytes(IDS)[4:8] == b"\x01\0\0\0"
    assert token_ids(token_bytes(IDS)) == IDS


def test_a_hash_is_of_the_stream_and_all_tokens_before_however_they_are_cut():
    tokens = token_bytes(range(100))
    whole = hashlib.blake2b(bytes.fromhex(STREAM.identity) + tokens, digest_size=16).hexdigest()
    assert node_hashes(STREAM.identity, tokens, [0, 3, 50, 100])[-1] == whole
    assert node_hashes(STREAM.identity, tokens, [0, 100]) == [root_hash(STREAM.identity).hexdigest(), whole]
    assert node_hashes(stream("other").identity, tokens, [100]) != [whole]


def test_common_tokens_are_counted_as_one_by_one():
    source = random.Random(1)
    for _ in range(300):
        left = [source.choice((1, 256, 1 << 24)) for _ in range(source.randrange(40))]
        right = [*left[: source.randrange(41)], *(source.choice((1, 256, 1 << 24)) for _ in range(source.randrange(9)))]
        assert num_common(token_bytes(left), token_bytes(right)) == num_shared(left, right)
