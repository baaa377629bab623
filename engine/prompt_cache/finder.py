"""Finds: from a prompt to state in RAM, over a read of the disk where that is worth it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from weakref import WeakSet

from engine.prompt_cache.arrays import from_tensors, num_bytes
from engine.prompt_cache.budget import PrefillSpeeds, ReadSpeed
from engine.prompt_cache.entries import EntryKey, ReadBack, SaveValue, Storage
from engine.prompt_cache.hashes import token_bytes
from engine.prompt_cache.held import Held
from engine.prompt_cache.reasons import CORRUPT, SLOWER, UNREADABLE, Restored, explain
from engine.prompt_cache.requests import Found, Wanted
from engine.prompt_cache.search import Match, anywhere, farthest_stand, in_ram, longest, num_held
from engine.prompt_cache.tiers import Tiers
from engine.prompt_cache.tree import Part

READ_SPEED = "read_bytes_per_second"  # names of stored values
PREFILL_SPEEDS = "prefill_tokens_per_second"
MAX_READS = 4  # of one find; each but the last met a damaged file, or a path that was evicted meanwhile


@dataclass(slots=True, eq=False)
class Search:
    """One find that is under way."""

    wanted: Wanted
    tokens: bytes
    done: Callable[[Found], None]
    num_reads: int = 0
    asked: tuple[Part, ...] = ()  # what is being read for it
    fault: str = ""
    has_new_template: bool = False


class Finder:
    """Owns the finds under way and knows what was found and is still held."""

    def __init__(self, tiers: Tiers, storage: Storage) -> None:
        self._tiers, self._storage = tiers, storage
        self._searches: dict[int, Search] = {}
        self._held: WeakSet[Held] = WeakSet()
        self._template_ids: dict[str, str] = {}  # of each conversation's last prompt
        self.speed = ReadSpeed()
        self.prefill = PrefillSpeeds()

    @property
    def pinned(self) -> set[Part]:
        """Parts that somebody holds."""
        return {part for held in self._held for part in held.parts}

    def held_bytes(self, besides: Collection[Held] = ()) -> int:
        """What of the cache in RAM somebody holds, other than through these."""
        parts = {part for held in self._held if held not in besides for part in held.parts}
        return sum(part.ram_bytes for part in parts)

    def begin(self, wanted: Wanted, done: Callable[[Found], None], *, is_ready: bool) -> None:
        """Search; the answer comes at once where nothing has to be read, and not before `start` unless it is ready."""
        search = Search(wanted, token_bytes(wanted.token_ids), done)
        if self.prefill.measure(wanted.streams[0].stream.identity, wanted.tokens_per_second):
            self._tiers.owners.changes.append(SaveValue(PREFILL_SPEEDS, self.prefill.store()))
        last_id = self._template_ids.setdefault(wanted.conversation_id, wanted.template_id)
        search.has_new_template = last_id != wanted.template_id
        self._template_ids[wanted.conversation_id] = wanted.template_id
        self._searches[wanted.request_id] = search
        if is_ready:
            self._advance(search)

    def start(self) -> None:
        """Do the searches that came before the tree was there."""
        for search in list(self._searches.values()):
            self._advance(search)

    def drop(self, request_id: int) -> None:
        self._searches.pop(request_id, None)

    def take(self, message: ReadBack) -> None:
        """Take what was read into RAM, remove what could not be, and search again."""
        search = self._searches.get(message.request_id)
        self.speed.measure(message.num_bytes, message.seconds)
        self._tiers.owners.changes.append(SaveValue(READ_SPEED, self.speed.store()))
        self._remove_faulty(message.faults)
        if search is None:
            return
        is_unread = any(part.key not in message.tensors and part.key not in message.faults for part in search.asked)
        if is_unread:
            search.num_reads = MAX_READS  # what the disk cannot give just now is not asked for again
        search.fault = CORRUPT if message.faults else UNREADABLE if is_unread else search.fault
        for part in search.asked:
            tensors = message.tensors.get(part.key)
            if tensors is not None and part.arrays is None and self._tiers.is_alive(part):
                arrays = from_tensors(tensors)
                self._tiers.adopt(part, arrays, num_bytes(arrays) + len(part.node.tokens))
        self._advance(search)

    def _advance(self, search: Search) -> None:
        matches = self._matches(search)
        absent = list(dict.fromkeys(part for match in matches if match for part in match.absent))
        if not absent:
            self._finish(search, matches)
            return
        search.num_reads += 1
        search.asked = tuple(absent)
        self._storage.read(search.wanted.request_id, [part.key for part in absent])

    def _matches(self, search: Search) -> list[Match | None]:
        """The best for each stream; where reading the disk is not worth it, or failed too often, the best in RAM."""
        target, *others = search.wanted.streams
        limit = len(search.wanted.token_ids) - 1
        match = longest(self._tiers.tree, target, search.tokens, limit)
        can_use = in_ram if search.num_reads >= MAX_READS else anywhere
        if match is not None and match.absent:
            warm = longest(self._tiers.tree, target, search.tokens, limit, in_ram)
            if can_use is in_ram or not self._is_worth(search, match, warm):
                match = warm
        if match is None:
            return [None] * len(search.wanted.streams)
        companions = (longest(self._tiers.tree, other, search.tokens, match.num_tokens, can_use) for other in others)
        return [match, *companions]

    def _is_worth(self, search: Search, match: Match, warm: Match | None) -> bool:
        if search.num_reads:
            return True  # it was, and part of it is there
        file_bytes = sum(part.file_bytes for part in match.absent)
        num_tokens = match.num_tokens - (warm.num_tokens if warm else 0)
        tokens_per_second = self.prefill.of(search.wanted.streams[0].stream.identity)
        if self.speed.is_worth(file_bytes, num_tokens, tokens_per_second):
            return True
        search.fault = search.fault or SLOWER
        return False

    def _finish(self, search: Search, matches: Sequence[Match | None]) -> None:
        del self._searches[search.wanted.request_id]
        states = tuple(self._hold(match) if match else None for match in matches)
        found = self._explain(search, matches[0])
        search.done(replace(found, states=states))

    def _hold(self, match: Match) -> Held:
        self._tiers.touch(match.node)
        held = Held(match.num_tokens, match.pages, match.checkpoint)
        self._held.add(held)
        return held

    def _explain(self, search: Search, match: Match | None) -> Found:
        wanted, owners = search.wanted, self._tiers.owners
        stream = wanted.streams[0].stream
        num_tokens = match.num_tokens if match else 0
        is_whole = match is not None and num_tokens == match.node.num_tokens
        restored = Restored(
            stream,
            search.tokens,
            num_tokens,
            wanted.num_old,
            owners.read_of(wanted.conversation_id, stream.identity),
            owners.latest_read(wanted.conversation_id),
            search.fault,
            has_more=num_held(self._tiers.tree, stream.identity, search.tokens) > num_tokens,
            is_short=farthest_stand(self._tiers.tree, stream.identity, search.tokens, wanted.conversation_id)
            > num_tokens,
            is_end=is_whole and match is not None and wanted.conversation_id in match.node.stands,
            has_new_template=search.has_new_template,
        )
        num_reread, code, reason = explain(restored)
        return Found(num_tokens, num_reread, reason, code)

    def _remove_faulty(self, keys: Iterable[EntryKey]) -> None:
        for key in keys:
            node = self._tiers.tree.get(key.end)
            part = node and (node.checkpoint if key.is_checkpoint else node.page)
            if part and part.key == key and part.is_stored:
                self._tiers.delete(part, CORRUPT)
