"""What the scripted engine says on the tour."""

from __future__ import annotations

import random
from dataclasses import replace

from engine.messages import CachedConversation, CacheReport, Delta, MemoryReport, Statistics

REPLY = """It would freeze **from the bottom up**, and many lakes would never fully thaw.

Water is densest at about 4 °C. As a lake cools, surface water sinks until the whole column reaches 4 °C; below that, \
colder water stays on top and freezes there. See [the tables](https://example.org/ice), `density(t)` and these:

- near the surface, ice at about −5 °C
- in the middle, water at 1 to 3 °C
- at the floor, water at 4 °C

## In January

| Layer in January | With floating ice | If ice sank | Depth |
|---|---|---|--:|
| Surface | Ice, about −5 °C | Open water, 0 °C | 0.3 m |
| Middle | Water, 1 to 3 °C | Slush, 0 °C | 6 m |
| Floor | Water, 4 °C | Ice that summer cannot reach | 12 m |

1. First the surface cools.
2. Then it *sinks*.

> A pond is a small lake.

```rust
impl<'src> Parser<'src> {
    // The token borrows the source, not the parser.
    fn next(&mut self) -> Option<Token<'src>> {
        let end = rest.find(' ').unwrap_or(12);
        self.position += end + 1;
    }
}
```

Each winter would add another sheet to the floor. In summer, sunlight warms only the upper metres."""
THOUGHT = """The user asks about lakes. Water is densest at 4 °C, so the coldest water rises and freezes at the top.

If ice sank, it would pile up from the floor."""
LIMIT_TEXT = "the prompt has 33,108 tokens; the context holds 32,768. Remove 340."
MEMORY = MemoryReport(
    weight_bytes=4_600_000_000,
    drafter_bytes=1_000_000_000,
    kv_bytes=1_600_000_000,
    drafter_kv_bytes=100_000_000,
    cache_bytes=1_400_000_000,
    limit_bytes=27_000_000_000,
    num_rows=2,
)
STARTER = Statistics(num_prompt=118, num_cached=0)
CACHE_COUNTS = ("num_prompt", "num_cached", "num_read", "num_reread", "reread_reason")
REPORT = CacheReport(
    folder="/home/someone/.local/share/slipstream/prompt-cache",
    memory_bytes=412_000_000,
    memory_limit_bytes=2_000_000_000,
    disk_bytes=11_400_000_000,
    budget_bytes=20_000_000_000,
    written_today_bytes=1_230_000_000,
    daily_limit_bytes=50_000_000_000,
    drafter_bytes=820_000_000,
    conversations=(
        CachedConversation("tour-7", 3_120_000_000, 21_204, 410_000_000, ("DFlash",)),
        CachedConversation("tour-9", 2_480_000_000, 16_870, 240_000_000, ("DFlash", "EAGLE-3")),
        CachedConversation("tour-0", 1_900_000_000, 12_918),
        CachedConversation("tour-4", 1_410_000_000, 9_577, 170_000_000, ("DFlash",)),
        CachedConversation("tour-5", 1_160_000_000, 7_903),
        CachedConversation("tour-2", 800_000_000, 5_410),
        CachedConversation("tour-3", 430_000_000, 2_916),
        CachedConversation("gone", 100_000_000, 712),
    ),
)


def script_of(text: str, *, drafted: bool = True) -> list[Delta]:
    """Rounds of one to five tokens, with the statistics that such rounds give."""
    chance = random.Random(7)
    words = text.split(" ")
    deltas: list[Delta] = []
    place = proposed = accepted = 0
    while place < len(words):
        depth = 5 if drafted and chance.random() < 0.8 else 0
        kept = min(chance.randint(0, depth), len(words) - place - 1)
        piece = " ".join(words[place : place + kept + 1])
        ids = tuple(range(place, place + kept + 1))
        text_of_round = piece if not place else f" {piece}"
        end = sum(len(word) + 1 for word in words[place : place + kept])  # accepted tokens come before the last
        deltas.append(Delta(0, text_of_round, ids, kept, STARTER, accepted_start=0, accepted_end=end))
        place += kept + 1
        proposed += depth
        accepted += kept
        rounds = len(deltas)
        statistics = replace(
            STARTER,
            num_tokens=place,
            num_rounds=rounds,
            num_proposed=proposed,
            num_accepted=accepted,
            proposed_by_position=(rounds,) * 5,
            accepted_by_position=tuple(rounds * share // 100 for share in (81, 63, 46, 31, 19)),
            acceptance_length=1 + accepted / max(1, rounds) if drafted else 0.0,
            tokens_per_forward=place / rounds,
            tokens_per_second=62.3,
            time_to_first_token_seconds=0.42,
            depth=5,
            speedup=1.9 if drafted else 0.0,
        )
        deltas[-1] = replace(deltas[-1], statistics=statistics)
    return deltas
