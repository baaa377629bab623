"""How often what arrives is written into the transcript."""

from __future__ import annotations

FRAME_MS = 16
FRAME_SHARE = 4  # a frame is at least so many times as long as the last took to write


def frame_milliseconds(flush_seconds: float) -> int:
    """How long to wait for the next flush after one that took so long."""
    return max(FRAME_MS, round(1000 * FRAME_SHARE * flush_seconds))
