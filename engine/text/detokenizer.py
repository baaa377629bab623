"""Turns token ids into text one at a time, at a cost that does not grow with the text."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from engine.text.tokenizer import Tokenizer

REPLACEMENT = "\ufffd"
# An incomplete character is at most 3 byte tokens; a longer run of replacement marks is the model's own.
MAX_INCOMPLETE_TOKENS = 4


class Detokenizer(Protocol):
    """Text of a growing list of ids; what an incomplete character would be is kept back until it is whole."""

    def push(self, token_id: int) -> str: ...


class ByteDetokenizer:
    """For tokens whose bytes do not depend on their neighbours."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._piece = tokenizer.piece
        self._hidden_spaces = tokenizer.hidden_spaces
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, token_id: int) -> str:
        piece = self._piece(token_id)
        if self._hidden_spaces and piece:
            piece = strip_spaces(piece, self._hidden_spaces)
            self._hidden_spaces = 0
        return self._decoder.decode(piece)


class WindowDetokenizer:
    """For any other decoder: decodes the last few tokens again and takes what they add."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._decode = tokenizer.decode
        self._context: list[int] = []  # ids already shown, which give what follows its spacing
        self._pending: list[int] = []
        self._num_shown = 0  # characters of context and pending ids that were given out

    def push(self, token_id: int) -> str:
        self._pending.append(token_id)
        text = self._decode(self._context + self._pending)
        is_full = len(self._pending) >= MAX_INCOMPLETE_TOKENS
        stable = text if is_full else text.rstrip(REPLACEMENT)
        added = stable[self._num_shown :]
        self._num_shown += len(added)
        if is_full or (added and stable == text):
            self._context, self._pending = self._pending, []
            self._num_shown = len(self._decode(self._context))
        return added


def open_detokenizer(tokenizer: Tokenizer) -> Detokenizer:
    """Start an empty text."""
    return ByteDetokenizer(tokenizer) if tokenizer.has_pieces else WindowDetokenizer(tokenizer)


def shown_text(tokenizer: Tokenizer, token_ids: Iterable[int]) -> str:
    """The text that a reply of these ids has shown; an incomplete character at the end is not in it."""
    detokenizer = open_detokenizer(tokenizer)
    return "".join([detokenizer.push(token_id) for token_id in token_ids])


def strip_spaces(piece: bytes, limit: int) -> bytes:
    """Drop up to `limit` spaces from the start."""
    num_spaces = len(piece) - len(piece.lstrip(b" "))
    return piece[min(num_spaces, limit) :]
