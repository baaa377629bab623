"""What the window says of a model whose files are gone; the engine's own sentence is for its command line."""

from __future__ import annotations

import os
from pathlib import Path

from app.asking import RefusedError
from app.conversations.off_thread import run_off_thread
from app.shown_paths import write_place

_SENTENCE = "The files of this model are gone from {place}. Put them back, or choose another model."


def gone_words(target: str) -> str:
    return _SENTENCE.format(place=write_place(Path(target)))


async def reason_of(target: str, refused: RefusedError) -> str:
    """Why the engine refused what was asked of a model, for the user; looks at the disk."""
    is_gone = os.path.isabs(target) and not await run_off_thread(lambda: os.path.exists(target))
    return gone_words(target) if is_gone else str(refused)
