"""What finished replies leave for drafters to learn from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.drafters.suffix_store import SuffixStore
from engine.messages import Delta, Event, Failed, Finished


@dataclass(slots=True)
class RunningReply:
    conversation_id: str
    tokenizer_id: str = ""  # known once its target is loaded
    token_ids: list[int] = field(default_factory=list)


class Replies:
    """Owns one store for each tokenizer, and collects the tokens of running replies until they finish."""

    def __init__(self) -> None:
        self._stores: defaultdict[str, SuffixStore] = defaultdict(SuffixStore)
        self._running: dict[int, RunningReply] = {}

    def store(self, tokenizer_id: str) -> SuffixStore:
        return self._stores[tokenizer_id]

    def begin(self, request_id: int, conversation_id: str) -> None:
        """Follow a reply whose events will be observed."""
        self._running[request_id] = RunningReply(conversation_id)

    def set_tokenizer(self, request_id: int, tokenizer_id: str) -> None:
        """Say what the tokens of a reply belong to, before its first; does nothing for one that was forgotten."""
        if request_id in self._running:
            self._running[request_id].tokenizer_id = tokenizer_id

    def observe(self, event: Event) -> None:
        """Take a reply's tokens, and remember them once it is finished; a failed one is dropped."""
        match event:
            case Delta() if event.request_id in self._running:
                self._running[event.request_id].token_ids += event.token_ids
            case Finished() | Failed():
                reply = self._running.pop(event.request_id, None)
                if reply is not None and isinstance(event, Finished):
                    self._stores[reply.tokenizer_id].remember(reply.conversation_id, reply.token_ids)

    def remember(self, tokenizer_id: str, replies: Sequence[tuple[str, Sequence[int]]]) -> None:
        for conversation_id, token_ids in replies:
            self._stores[tokenizer_id].remember(conversation_id, token_ids)

    def forget(self, conversation_id: str) -> None:
        """Drop a conversation's replies, those that still run too."""
        for request_id, reply in list(self._running.items()):
            if reply.conversation_id == conversation_id:
                del self._running[request_id]
        for store in self._stores.values():
            store.forget(conversation_id)
