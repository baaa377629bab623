"""A few thousand random calls against a model that only remembers token sequences."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from engine.prompt_cache.entries import PAGE_TOKENS, Stream
from engine.prompt_cache.report import CacheSettings
from tests.engine.prompt_cache.chats import Cached, num_shared, stream, text

PLAIN, EXACT = stream("plain"), stream("exact")
NUM_CALLS = 700


@dataclass
class Model:
    """What was put, by conversation."""

    puts: dict[Stream, list[tuple[str, list[int]]]] = field(default_factory=lambda: {PLAIN: [], EXACT: []})

    def best(self, of: Stream, prompt: list[int]) -> int:
        """The longest prefix that a cache which forgets nothing could restore."""
        limit = len(prompt) - 1
        shared = [(min(num_shared(put, prompt), limit), len(put)) for _, put in self.puts[of]]
        if of is EXACT:
            shared = [(length, size) for length, size in shared if length == size]
        return max((length for length, _ in shared), default=0)

    def forget(self, name: str) -> None:
        self.puts = {of: [put for put in puts if put[0] != name] for of, puts in self.puts.items()}


class Play:
    """Random chats that grow, branch, are regenerated, found, deleted, squeezed and reopened."""

    def __init__(self, seed: int, settings: CacheSettings, *, is_held: bool) -> None:
        self.random = random.Random(seed)
        self.cached = Cached(settings=settings, is_held=is_held)
        self.cached.storage.work()
        self.model = Model()
        self.chats: dict[str, list[int]] = {}
        self.num_names = 0

    def step(self) -> None:
        moves = [self.begin, self.go_on, self.go_on, self.go_on, self.look, self.look, self.squeeze]
        rare = [self.delete, self.reopen, self.cached.storage.work]
        self.random.choice(moves if self.random.random() < 0.9 else rare)()
        report = self.cached.cache.report()
        assert self.cached.disk.peak_bytes <= report.budget_bytes
        assert report.ram_bytes <= report.ram_limit_bytes or self.cached.is_held

    def begin(self) -> None:
        self.num_names += 1
        others = list(self.chats.values())
        head = self.random.choice(others)[: self.random.randrange(400)] if others and self.random.random() < 0.6 else []
        self.chats[f"chat {self.num_names}"] = [*head, *self.fresh()]

    def fresh(self) -> list[int]:
        return text(self.random.randrange(5), self.random.choice([1, 3, 60, PAGE_TOKENS, 500]))

    def go_on(self) -> None:
        if not self.chats:
            return
        name = self.random.choice(list(self.chats))
        chat = self.chats[name]
        if self.random.random() < 0.2:
            chat = chat[: self.random.randrange(1, len(chat) + 1)]
        self.chats[name] = chat = [*chat, *self.fresh()][:2000]
        of = self.random.choice([PLAIN, EXACT])
        is_boundary = self.random.random() < 0.3
        self.cached.put(name, chat, of, is_exact=of is EXACT, is_boundary=is_boundary)
        self.model.puts[of].append((name, chat))

    def look(self) -> None:
        if self.chats:
            name = self.random.choice(list(self.chats))
            prompt = [*self.chats[name], *self.fresh()]
            for of in (PLAIN, EXACT):
                found = self.cached.find(name, prompt, of, is_exact=of is EXACT, num_old=self.random.randrange(200))
                assert found.num_tokens <= self.model.best(of, prompt)
                assert (found.num_reread > 0) == bool(found.reason) == bool(found.code)
                del found
            self.squeeze()  # what was held has gone

    def squeeze(self) -> None:
        self.cached.cache.shrink(self.random.choice([0, self.cached.settings.ram_bytes // 2]))

    def delete(self) -> None:
        if self.chats:
            name = self.random.choice(list(self.chats))
            del self.chats[name]
            self.model.forget(name)
            done = []
            self.cached.cache.forget(name, lambda: done.append(name))
            self.cached.storage.work()
            assert done == [name]
            assert not any(owner.conversation_id == name for owner in self.cached.disk.owners.values())

    def reopen(self) -> None:
        self.cached = self.cached.reopened()
        self.cached.storage.work()


@pytest.mark.parametrize("is_held", [False, True], ids=["inline", "held"])
@pytest.mark.parametrize("seed", range(3))
def test_random_calls_restore_only_what_was_put(seed: int, is_held: bool):
    play = Play(seed, CacheSettings(ram_bytes=150_000, budget_bytes=300_000), is_held=is_held)
    for _ in range(NUM_CALLS):
        play.step()
    play.cached.storage.work()
    assert play.cached.cache.report().disk_bytes == play.cached.disk.num_bytes
    for name in list(play.chats):
        play.cached.cache.forget(name, lambda: None)
    play.cached.storage.work()
    assert not play.cached.disk.files
    assert play.cached.cache.report().ram_bytes == 0


@pytest.mark.parametrize("seed", range(3))
def test_with_room_for_all_the_longest_prefix_is_found(seed: int):
    play = Play(seed, CacheSettings(ram_bytes=1 << 30, budget_bytes=1 << 40), is_held=False)
    names = random.Random(seed)
    for _ in range(150):
        play.begin()
        play.go_on()
        name = names.choice(list(play.chats))
        prompt = [*play.chats[name], 1]
        assert play.cached.find(name, prompt, PLAIN).num_tokens == play.model.best(PLAIN, prompt)
        if names.random() < 0.1:
            play.reopen()
