"""Puts the ids that replies were generated as into a rendered prompt, so that generated text is never re-encoded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from engine.messages import Turn
from engine.text.detokenizer import open_detokenizer, shown_text

if TYPE_CHECKING:
    from engine.text.tokenizer import Tokenizer

PRIVATE_USE = range(0xF0000, 0xFFFFE)  # no character is ever assigned here


@dataclass(frozen=True, slots=True)
class Marks:
    """Three characters that occur in none of the texts: one cuts control tokens, two enclose a reply's number."""

    cut: str
    start: str
    end: str

    def reply(self, index: int) -> str:
        """What stands for a reply while the template is rendered."""
        return f"{self.start}{index}{self.end}"

    def find_replies(self, numbered: str) -> tuple[str, list[tuple[int, str]]]:
        """What stands before the first of these in a text, and each number with what follows it."""
        pieces = re.split(f"{self.start}([0-9]+){self.end}", numbered)
        return pieces[0], list(zip(map(int, pieces[1::2]), pieces[2::2], strict=True))


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a rendered prompt, and the ids that it was generated as where it is a reply or the rest of one."""

    text: str
    token_ids: tuple[int, ...] = ()


def choose_marks(texts: Sequence[str]) -> Marks:
    """Pick marks that the texts do not contain."""
    used = set().union(*texts)
    free = (chr(code) for code in PRIVATE_USE if chr(code) not in used)
    return Marks(next(free), next(free), next(free))


def stored_ids(tokenizer: Tokenizer, turn: Turn) -> tuple[int, ...]:
    """The ids that an assistant's turn may be spliced as, end tokens left out; none where they do not fit its text."""
    if turn.role != "assistant" or not tokenizer.wrote(turn):
        return ()
    token_ids = turn.token_ids
    while token_ids and token_ids[-1] in tokenizer.end_ids:
        token_ids = token_ids[:-1]
    return token_ids if shown_text(tokenizer, token_ids) == turn.text else ()


def locate_replies(
    tokenizer: Tokenizer, text: str, numbered: str, replies: Mapping[int, Part], marks: Marks
) -> list[Part]:
    """Split a rendered prompt where it shows replies, whole or without their beginning or end.

    `numbered` is the same prompt with marks for the replies. Joined again, the parts' texts always give `text`.
    """
    before, found = marks.find_replies(numbered)
    parts: list[Part] = []
    start = 0
    if not text.startswith(before):
        return [Part(text)]
    position = len(before)
    for number, following in found:
        reply = replies[number]
        kept: Part | None = reply
        end = position + len(reply.text)
        if not text.startswith(reply.text + following, position):  # the template altered this reply
            end = text.find(following, position) if following else -1
            if end < 0:
                break
            kept = kept_part(tokenizer, reply, text[position:end], marks)
        if kept is not None:
            parts += [Part(text[start:position]), kept]
            start = end
        position = end + len(following)
    return [*parts, Part(text[start:])]


def encode_parts(tokenizer: Tokenizer, parts: Sequence[Part], marks: Marks) -> list[list[int]]:
    """The ids of each part: a text is cut where the marks say and encoded."""
    encoded: list[list[int]] = []
    is_first = True
    for part, following in zip(parts, [*parts[1:], Part("")], strict=True):
        token_ids = list(part.token_ids) or _encode_text(tokenizer, part.text, following, marks, is_first)
        is_first &= not token_ids
        encoded.append(token_ids)
    return encoded


def count_shared(
    tokenizer: Tokenizer, parts: Sequence[Part], encoded: Sequence[Sequence[int]], length: int, marks: Marks
) -> int:
    """How many ids a prompt of these parts shares with every one that has its first `length` characters."""
    num_tokens = 0
    for part, token_ids in zip(parts, encoded, strict=True):
        if length < len(part.text):
            cut = _encode_text(tokenizer, part.text[:length], Part(""), marks, num_tokens == 0)
            return num_tokens + (0 if part.token_ids else num_equal(cut, token_ids))
        length -= len(part.text)
        num_tokens += len(token_ids)
    return num_tokens


def num_equal(first: Sequence[int], second: Sequence[int]) -> int:
    """How many ids two lists begin with alike."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(first), len(second)))


def _encode_text(tokenizer: Tokenizer, text: str, following: Part, marks: Marks, is_first: bool) -> list[int]:
    if following.token_ids and text.endswith(" ") and _begins_with_hidden_space(tokenizer, following.token_ids):
        text = text[:-1]  # this space is the one that the reply's first token brings
    token_ids: list[int] = []
    for piece in text.split(marks.cut):
        token_ids += tokenizer.encode(piece, inert=False, is_first=is_first and not token_ids)
    return token_ids


def kept_part(tokenizer: Tokenizer, reply: Part, kept: str, marks: Marks) -> Part | None:
    """The ids that the kept part of a reply was generated as; None where it is no such part or begins or ends inside
    a token. A template that drops earlier thinking keeps the end of a reply, one that trims texts its beginning."""
    shown = kept.replace(marks.cut, "")
    detokenizer = open_detokenizer(tokenizer)
    lengths = [len(detokenizer.push(token_id)) for token_id in reply.token_ids]
    starts = list(accumulate(lengths, initial=0))
    offset = reply.text.replace(marks.cut, "").rfind(shown)
    if not shown or offset + len(shown) not in starts:
        return None
    end = starts.index(offset + len(shown))
    for start in range(end - 1, -1, -1):
        if starts[start] == offset and shown_text(tokenizer, reply.token_ids[start:end]) == shown:
            return Part(kept, reply.token_ids[start:end])
    return None


def _begins_with_hidden_space(tokenizer: Tokenizer, token_ids: tuple[int, ...]) -> bool:
    return tokenizer.hidden_spaces > 0 and tokenizer.piece(token_ids[0]).startswith(b" ")
