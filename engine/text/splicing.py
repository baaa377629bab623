"""Puts the ids that replies were generated as into a rendered prompt, so that generated text is never re-encoded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.messages import Turn
from engine.text.detokenizer import shown_text

if TYPE_CHECKING:
    from engine.text.tokenizer import Tokenizer

PRIVATE_USE = range(0xF0000, 0xFFFFE)  # no character is ever assigned here
ID_LIMIT = 1 << 32  # tokenizers takes no id beyond 32 bits


@dataclass(frozen=True, slots=True)
class Marks:
    """Three characters that occur in none of the texts: one cuts control tokens, two enclose a reply's number."""

    cut: str
    start: str
    end: str

    def reply(self, index: int) -> str:
        """What stands for a reply while the template is rendered."""
        return f"{self.start}{index}{self.end}"


def choose_marks(texts: Sequence[str]) -> Marks:
    """Pick marks that the texts do not contain."""
    used = set().union(*texts)
    free = (chr(code) for code in PRIVATE_USE if chr(code) not in used)
    return Marks(next(free), next(free), next(free))


def stored_ids(tokenizer: Tokenizer, turn: Turn) -> tuple[int, ...]:
    """The ids that an assistant's turn may be spliced as, end tokens left out; none where they do not fit its text."""
    if turn.role != "assistant" or turn.tokenizer_id != tokenizer.identity:
        return ()
    token_ids = turn.token_ids
    if not all(0 <= token_id < ID_LIMIT for token_id in token_ids):
        return ()
    while token_ids and token_ids[-1] in tokenizer.end_ids:
        token_ids = token_ids[:-1]
    return token_ids if shown_text(tokenizer, token_ids) == turn.text else ()


def locate_replies(text: str, numbered: str, replies: Mapping[int, str], marks: Marks) -> list[str | int]:
    """Split a rendered prompt into texts and the numbers of replies that it shows verbatim.

    `numbered` is the same prompt with marks for the replies. Joined again, the parts always give `text`.
    """
    pieces = re.split(f"{marks.start}([0-9]+){marks.end}", numbered)
    parts: list[str | int] = []
    start = position = 0
    if not text.startswith(pieces[0]):
        return [text]
    position = len(pieces[0])
    for number, following in zip(map(int, pieces[1::2]), pieces[2::2], strict=True):
        reply = replies[number]
        if text.startswith(reply + following, position):
            parts += [text[start:position], number]
            start = position + len(reply)
            position = start + len(following)
            continue
        found = text.find(following, position) if following else -1  # the template altered this reply
        if found < 0:
            break
        position = found + len(following)
    return [*parts, text[start:]]


def encode_parts(
    tokenizer: Tokenizer, parts: Sequence[str | int], ids: Mapping[int, tuple[int, ...]], marks: Marks
) -> list[int]:
    """Encode the texts between replies, each cut where the marks say, and put the replies' ids between them."""
    token_ids: list[int] = []
    for part, following in zip(parts, [*parts[1:], ""], strict=True):
        if isinstance(part, int):
            token_ids += ids[part]
            continue
        if isinstance(following, int) and part.endswith(" ") and _begins_with_hidden_space(tokenizer, ids[following]):
            part = part[:-1]  # this space is the one that the reply's first token brings
        for piece in part.split(marks.cut):
            token_ids += tokenizer.encode(piece, inert=False, is_first=not token_ids)
    return token_ids


def _begins_with_hidden_space(tokenizer: Tokenizer, token_ids: tuple[int, ...]) -> bool:
    return tokenizer.hidden_spaces > 0 and tokenizer.piece(token_ids[0]).startswith(b" ")
