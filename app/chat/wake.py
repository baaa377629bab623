"""The wake: a small drawing of a reply's last rounds."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from app.statistics.rates import RateWindow
from app.theme.tokens import Tokens
from engine.messages import Delta

NUM_ROUNDS, LEAST_ROUNDS = 22, 6  # fewer say nothing
COLUMN, SPACE, HEIGHT, FOOT = 3, 2, 20, 3
MIN_DEPTH = 4  # proposals at full height, at least


@dataclass(frozen=True, slots=True)
class Round:
    num_proposed: int
    num_accepted: int


class Wake:
    """The last rounds of one reply and how fast it is, read from its deltas."""

    def __init__(self) -> None:
        self.rounds: deque[Round] = deque(maxlen=NUM_ROUNDS)
        self._num_proposed: int | None = None
        self._rates = RateWindow()

    @property
    def rate(self) -> float | None:
        """Tokens per second over the last two; None while there is too little to tell."""
        return self._rates.rate(time.monotonic())

    def add(self, delta: Delta) -> None:
        """The first delta of a reply seen in the middle tells what was accepted alone: its totals count all before."""
        total = delta.statistics.num_proposed
        is_first_round = delta.statistics.num_rounds <= 1
        before = self._num_proposed if self._num_proposed is not None else 0 if is_first_round else total
        proposed = max(total - before, delta.num_accepted)
        self._num_proposed = total
        self.rounds.append(Round(proposed, delta.num_accepted))
        self._rates.add(time.monotonic(), len(delta.token_ids))


def width_of(num_rounds: int) -> int:
    return num_rounds * (COLUMN + SPACE) - SPACE


def rounds_in(room: float) -> int:
    """How many rounds to show in so many pixels; 0 where there is no room for a wake."""
    num_rounds = min(NUM_ROUNDS, int((room + SPACE) // (COLUMN + SPACE)))
    return num_rounds if num_rounds >= LEAST_ROUNDS else 0


def draw_wake(painter: QPainter, tokens: Tokens, left: float, top: float, rounds: Sequence[Round]) -> None:
    """Foot: the target's own token. Above it: accepted; as a ghost: proposed and rejected."""
    depth = max([MIN_DEPTH, *(one.num_proposed for one in rounds)])
    room = HEIGHT - FOOT - 2
    ghost = QColor(tokens.reject)
    ghost.setAlphaF(0.2)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    foot_top = top + HEIGHT - FOOT
    for index, one in enumerate(rounds):
        x = left + index * (COLUMN + SPACE)
        accepted = round(room * one.num_accepted / depth)
        proposed = round(room * one.num_proposed / depth)
        painter.setBrush(QColor(tokens.target))
        painter.drawRoundedRect(QRectF(x, foot_top, COLUMN, FOOT), 1, 1)
        if proposed > accepted:
            painter.setBrush(ghost)
            painter.drawRoundedRect(QRectF(x, foot_top - 1 - proposed, COLUMN, proposed - accepted), 1, 1)
        if accepted:
            painter.setBrush(QColor(tokens.draft_fill))
            painter.drawRoundedRect(QRectF(x, foot_top - 1 - accepted, COLUMN, accepted), 1, 1)
    painter.restore()
