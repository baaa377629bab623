"""Where runs of tokens occurred: in one growing text, or in past replies, which are kept in memory only."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

KEY_LENGTH = 3  # shorter runs occur everywhere in prose and foretell little
NUM_LATEST = 16  # occurrences that are looked at; bounds the work for a token
INDEXED_AT_ONCE = 4096  # tokens of past replies, about 15 ms: a full store would hold up every row for half a second
MAX_STORE_TOKENS = 1 << 17  # about 200 bytes each once indexed, 26 MB in all

Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place in a text: `end` is the index after the run that was looked for."""

    text: Sequence[int]
    end: int


@dataclass(slots=True)
class OccurrenceIndex:
    """Where each run of KEY_LENGTH tokens occurs in some texts, in the order in which they were added."""

    _ends: dict[Key, list[Occurrence]] = field(default_factory=dict)

    def add(self, text: Sequence[int], start: int, stop: int) -> None:
        """Add the runs of a text that end in [start, stop)."""
        for end in range(max(start, KEY_LENGTH), stop):
            self._ends.setdefault(tuple(text[end - KEY_LENGTH : end]), []).append(Occurrence(text, end))

    def remove(self, text: Sequence[int]) -> None:
        """Take out every run of a text, which is known by identity."""
        for key in {tuple(text[end - KEY_LENGTH : end]) for end in range(KEY_LENGTH, len(text))}:
            left = [occurrence for occurrence in self._ends.pop(key) if occurrence.text is not text]
            if left:
                self._ends[key] = left

    def latest(self, key: Key) -> list[Occurrence]:
        """The last few occurrences, latest first."""
        return self._ends.get(key, [])[: -NUM_LATEST - 1 : -1]


class SuffixStore:
    """Past replies in the tokens of one tokenizer; the oldest go first where there are too many."""

    def __init__(self, max_tokens: int = MAX_STORE_TOKENS) -> None:
        self.num_tokens = 0
        self._max_tokens = max_tokens
        self._replies: dict[tuple[str, Key], list[int]] = {}  # by conversation and tokens; oldest first
        self._unindexed: deque[list[int]] = deque()  # until somebody asks, so that nobody pays for what is never used
        self._index = OccurrenceIndex()

    @property
    def texts(self) -> Iterable[Sequence[int]]:
        """The replies that are held, oldest first."""
        return self._replies.values()

    def remember(self, conversation_id: str, token_ids: Sequence[int]) -> None:
        """Add a reply, or its end where it is longer than the store; one that is here already is not added twice."""
        text = list(token_ids[-self._max_tokens :])
        key = (conversation_id, tuple(text))
        if not text or key in self._replies:
            return
        self._replies[key] = text
        self._unindexed.append(text)
        self.num_tokens += len(text)
        while self.num_tokens > self._max_tokens:
            self._drop(next(iter(self._replies)))

    def forget(self, conversation_id: str) -> None:
        """Drop every reply of a conversation."""
        for key in [key for key in self._replies if key[0] == conversation_id]:
            self._drop(key)

    def latest(self, key: Key) -> list[Occurrence]:
        """The last few occurrences of KEY_LENGTH tokens, latest first; a store that was filled is found bit by bit."""
        num_indexed = 0
        while self._unindexed and num_indexed < INDEXED_AT_ONCE:
            text = self._unindexed.popleft()
            self._index.add(text, 0, len(text))
            num_indexed += len(text)
        return self._index.latest(key)

    def _drop(self, key: tuple[str, Key]) -> None:
        text = self._replies.pop(key)
        self.num_tokens -= len(text)
        waiting = deque(other for other in self._unindexed if other is not text)
        if len(waiting) == len(self._unindexed):
            self._index.remove(text)
        self._unindexed = waiting
