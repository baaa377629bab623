"""Times a key in the command palette over thousands of chats: `python -m tests.benchmarks.palette`."""

from __future__ import annotations

import random
import sys
import time

from app.palette.entries import Entry, find
from app.palette.matching import name_of

NUM_CHATS = 3000
WORDS = "why does ice float regex for iso dates trip by rail from trieste to split methods draft letter landlord query"
TYPED = ("r", "ra", "rai", "rail", "wdif", "car", "fid", "sprt", "aeiou", "étal")


def main() -> None:
    words, dice = WORDS.split(), random.Random(7)
    titles = {" ".join(dice.choices(words, k=dice.randint(3, 8))) + f" {number}" for number in range(NUM_CHATS)}
    entries = [Entry(title, title, lambda: None) for title in titles]
    for typed in TYPED:
        name_of.cache_clear()
        times = []
        for _ in range(3):
            begun = time.thread_time()
            num_found = len(find(entries, typed, ()))
            times.append(1000 * (time.thread_time() - begun))
        sys.stdout.write(f"{typed!r:9} {num_found:4} shown, first {times[0]:5.1f} ms, then {min(times):5.1f} ms\n")


if __name__ == "__main__":
    main()
