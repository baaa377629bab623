"""Why a prompt that had been read before is read again: codes, which of them applies, and sentences for the user."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.prompt_cache.entries import NO_TIME, Stream
from engine.prompt_cache.hashes import TOKEN_BYTES, num_common

if TYPE_CHECKING:
    from engine.prompt_cache.owners import Read

OTHER_MODEL = "other_model"
MODEL_CHANGED = "model_changed"
OTHER_KV = "other_kv"
OTHER_VERSION = "other_version"
TEXT_CHANGED = "text_changed"
TEMPLATE_CHANGED = "template_changed"
OLD_BRANCH = "old_branch"
RAM_EVICTED = "ram_evicted"
BUDGET = "budget"
CORRUPT = "corrupt"
CLEARED = "cleared"
NOT_STORED = "not_stored"
DISK_FAULT = "disk_fault"
DAILY_LIMIT = "daily_limit"
TOO_LARGE = "too_large"
OFF = "off"
SLOW_DISK = NO_TIME
SLOWER = "slower"
UNREADABLE = "unreadable"
NOT_RESTORABLE = "not_restorable"
UNSAVED = "unsaved"

TAIL = 64  # tokens that a template may put behind a reply before the next turn; no reading has them
OBSTACLES = (DISK_FAULT, DAILY_LIMIT, TOO_LARGE, SLOW_DISK)  # that keep something from being written
_OF_FACTS = {
    "model": OTHER_MODEL,
    "weights": MODEL_CHANGED,
    "tokenizer": MODEL_CHANGED,
    "numbers": OTHER_KV,
    "kv": OTHER_KV,
    "version": OTHER_VERSION,
}
_CAUSES = {
    OTHER_MODEL: "another model had read them.",
    MODEL_CHANGED: "the model's files changed.",
    OTHER_KV: "they were saved with another precision.",
    OTHER_VERSION: "another version of Slipstream had saved them.",
    TEXT_CHANGED: "the chat's text changed at token {place:,} (an edit, the system prompt, or the template).",
    TEMPLATE_CHANGED: "the chat is written with another template.",
    OLD_BRANCH: "this branch of the chat was removed to stay within the cache's budget.",
    RAM_EVICTED: "they had to leave memory before they were saved.",
    BUDGET: "they were removed to stay within the cache's budget.",
    CORRUPT: "a file of the cache was damaged or gone.",
    CLEARED: "the cache was cleared.",
    NOT_STORED: "the cache did not have them.",
    DISK_FAULT: "the cache's disk could not be written.",
    DAILY_LIMIT: "the cache had written as much as it may in a day.",
    OFF: "the prompt cache was off.",
    TOO_LARGE: "they are larger than the cache's budget.",
    SLOW_DISK: "the disk was too slow to save them in time.",
    UNREADABLE: "the cache's disk could not be read.",
    SLOWER: "that is faster than loading them from this disk.",
    UNSAVED: "they had not been saved when the program ended.",
    NOT_RESTORABLE: "this model can go on only from where its state was saved.",
}


@dataclass(frozen=True, slots=True)
class Restored:
    """What was found for a prompt, and what is known of its conversation.

    own: its reading in the wanted stream; latest: its reading in whichever stream came last. fault: CORRUPT or SLOWER
    where the search met that, else "". has_more: the tree holds more of the prompt, which cannot be restored there.
    is_short: among that is a place where the conversation's state had been saved. is_end: the restored place is one up
    to which the conversation had read, maybe on another branch. has_new_template: its last prompt was written with
    another template.
    """

    stream: Stream
    tokens: bytes  # of the prompt
    num_tokens: int
    num_old: int
    own: Read | None
    latest: Read | None
    fault: str = ""
    has_more: bool = False
    is_short: bool = False
    is_end: bool = False
    has_new_template: bool = False


def explain(restored: Restored) -> tuple[int, str, str]:
    """How many tokens are read again, the cause's code, and the sentence; 0 and two empty texts where none are."""
    num_shared = _num_shared(restored)
    num_reread = max(0, min(_num_known(restored, num_shared), _length(restored.tokens) - 1) - restored.num_tokens)
    if not num_reread:
        return 0, "", ""
    code = _cause(restored, num_shared)
    if code == TEXT_CHANGED and restored.has_new_template:
        code = TEMPLATE_CHANGED
    return num_reread, code, sentence(code, num_reread, num_shared)


def sentence(code: str, num_tokens: int, place: int = 0) -> str:
    """For the user; `place` is where a text changed."""
    subject = "1 token was" if num_tokens == 1 else f"{num_tokens:,} tokens were"
    return f"{subject} read again: {_CAUSES[code].format(place=place)}"


def difference(before: Stream, wanted: Stream) -> str:
    """The code for what makes two streams differ, by their facts."""
    wanted_facts = dict(wanted.facts)
    for name, code in _OF_FACTS.items():
        if dict(before.facts).get(name) != wanted_facts.get(name):
            return code
    return MODEL_CHANGED


def _num_shared(restored: Restored) -> int:
    """Tokens that the prompt and what the conversation had read begin with alike."""
    reads = [read for read in (restored.own, restored.latest) if read and _has_same_tokens(read, restored.stream)]
    return max((num_common(read.tokens, restored.tokens) for read in reads), default=0)


def _num_known(restored: Restored, num_shared: int) -> int:
    """Tokens of the prompt that the conversation had read, in this form or in another."""
    has_lost_branch = restored.own is not None and restored.own.loss == OLD_BRANCH
    is_near = restored.num_old - restored.num_tokens <= TAIL
    if restored.is_end and is_near and not has_lost_branch and restored.num_tokens >= num_shared:
        return restored.num_tokens
    if _goes_on(restored, num_shared) and restored.num_old - num_shared <= TAIL:
        return num_shared
    return max(num_shared, restored.num_old)


def _goes_on(restored: Restored, num_shared: int) -> bool:
    """Whether the prompt begins with all that the conversation is known to have had."""
    latest = restored.latest
    return latest is not None and _has_same_tokens(latest, restored.stream) and num_shared >= _length(latest.tokens)


def _cause(restored: Restored, num_shared: int) -> str:
    latest, own = restored.latest, restored.own
    if restored.fault:
        return restored.fault
    if latest is None:
        return UNSAVED if restored.is_end else NOT_STORED
    if latest.stream.identity != restored.stream.identity:
        return difference(latest.stream, restored.stream)
    loss = own.loss if own else ""
    if num_shared < restored.num_old and restored.num_tokens >= num_shared:
        if _goes_on(restored, num_shared):
            return loss or UNSAVED
        return OLD_BRANCH if loss == OLD_BRANCH else TEXT_CHANGED
    if loss and loss != OLD_BRANCH:
        return loss
    if restored.has_more:
        elsewhere = CORRUPT if restored.is_short else NOT_RESTORABLE
        return TEXT_CHANGED if num_shared < restored.num_old else elsewhere
    return NOT_STORED


def _has_same_tokens(read: Read, stream: Stream) -> bool:
    """Whether ids mean the same in both."""
    is_same = read.stream.identity == stream.identity
    return is_same or dict(read.stream.facts).get("tokenizer") == dict(stream.facts).get("tokenizer")


def _length(tokens: bytes) -> int:
    return len(tokens) // TOKEN_BYTES
