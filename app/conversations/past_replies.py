"""Which replies of earlier times a drafter may learn from; read on the database thread."""

from __future__ import annotations

from app.conversations.store import Store
from engine.messages import ModelFacts

MAX_TOKENS = 200_000  # of one reading; half as many again as the engine's store holds
Reply = tuple[str, tuple[int, ...]]  # a conversation's id, and the ids that the reply was generated as


def read_past_replies(
    store: Store, facts: ModelFacts, conversation_id: str | None = None, max_tokens: int = MAX_TOKENS
) -> tuple[Reply, ...]:
    """The latest replies in this model's tokens, the oldest first: of every conversation, or of one.

    No reply is cut: the first that goes beyond `max_tokens` ends the reading, and one that alone does is left out.
    """
    replies: list[Reply] = []
    room = max_tokens
    for reply in store.past_replies(facts.tokenizer_id, conversation_id):
        num_tokens = len(reply[1])
        if num_tokens > max_tokens or not _is_known(reply[1], facts.vocab_size):
            continue
        if num_tokens > room:
            break
        room -= num_tokens
        replies.append(reply)
    return tuple(reversed(replies))


def _is_known(token_ids: tuple[int, ...], vocab_size: int) -> bool:
    """Whether the model has a row for each; an id beyond them is of a damaged record."""
    return bool(token_ids) and min(token_ids) >= 0 and max(token_ids) < vocab_size
