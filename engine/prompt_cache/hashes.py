"""Token sequences as bytes, so that they are compared and hashed without a loop over tokens."""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Sequence

TOKEN_BYTES = 4
HASH_BYTES = 16


def token_bytes(token_ids: Sequence[int]) -> bytes:
    """Little-endian uint32 each."""
    tokens = array("I", token_ids)
    assert tokens.itemsize == TOKEN_BYTES
    if sys.byteorder == "big":
        tokens.byteswap()
    return tokens.tobytes()


def token_ids(tokens: bytes) -> tuple[int, ...]:
    """The inverse of `token_bytes`."""
    ids = array("I", tokens)
    if sys.byteorder == "big":
        ids.byteswap()
    return tuple(ids)


def root_hash(stream: str) -> hashlib.blake2b:
    """State of the hash before a stream's first token; `update` it with the bytes of tokens, however they are cut."""
    return hashlib.blake2b(bytes.fromhex(stream), digest_size=HASH_BYTES)


def node_hashes(stream: str, tokens: bytes, ends: Sequence[int]) -> list[str]:
    """Hashes, 32 hex digits, of the first `end` tokens for each of the ascending `ends`."""
    state, begin, hashes = root_hash(stream), 0, []
    for end in ends:
        state.update(tokens[TOKEN_BYTES * begin : TOKEN_BYTES * end])
        hashes.append(state.hexdigest())
        begin = end
    return hashes


def num_common(left: bytes, right: bytes) -> int:
    """Tokens that two sequences begin with alike."""
    low, high = 0, min(len(left), len(right)) // TOKEN_BYTES
    if left[: TOKEN_BYTES * high] == right[: TOKEN_BYTES * high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        span = slice(TOKEN_BYTES * low, TOKEN_BYTES * middle)
        if left[span] == right[span]:
            low = middle
        else:
            high = middle - 1
    return low
