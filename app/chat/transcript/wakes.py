"""The wakes of replies that were seen running, as long as the program runs: nothing of a round is stored."""

from __future__ import annotations

from functools import cache

from app.chat.wake import Wake

_MOST = 500  # the latest replies


@cache
def _wakes() -> dict[str, Wake]:
    return {}


def wake_of(message_id: str) -> Wake | None:
    return _wakes().get(message_id)


def begin_wake(message_id: str) -> Wake:
    """Begin the wake of a reply, and let go of the oldest that are kept."""
    wakes = _wakes()
    wakes[message_id] = Wake()
    for oldest in list(wakes)[:-_MOST]:
        del wakes[oldest]
    return wakes[message_id]


def forget_wakes() -> None:
    _wakes().clear()
