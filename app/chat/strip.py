"""The statistics strip under a reply: its words, and how it is painted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QPainter

from app.chat.wake import HEIGHT as WAKE_HEIGHT
from app.chat.wake import NUM_ROUNDS, Round, draw_wake, rounds_in, width_of
from app.conversations.records import Message
from app.conversations.totals import num_cached_of, num_read_of
from app.figures import (
    NO_BREAK,
    write_count,
    write_loading,
    write_rate,
    write_ratio,
    write_seconds,
    write_speedup,
)
from app.statistics.details import detail_rows, speedup_tone
from app.statistics.details import reread_words as reread_words
from app.theme.fonts import font
from app.theme.mirroring import mirrored
from app.theme.tokens import Tokens
from engine.messages import Notice, Progress, Statistics

GAP = 16
BAR_WIDTH, BAR_HEIGHT = 108, 4
_WIDEST = {"tok/s": "888"}  # so that what stands behind does not move


@dataclass(frozen=True, slots=True)
class Item:
    """One number with its words before or behind it."""

    before: str
    value: str
    behind: str = ""
    tone: str = "ink2"
    is_before_wake: bool = False  # stays where that costs the wake some of its room, or all of it

    @property
    def text(self) -> str:
        return f"{self.before} {self.value}{NO_BREAK}{self.behind}".strip(f" {NO_BREAK}")

    @property
    def spoken(self) -> str:
        """As a screen reader should say it."""
        unit = {"tok/s": "tokens per second", "vs plain": "times plain"}.get(self.behind, self.behind)
        if self.behind == "vs plain" and not self.value.startswith("×"):
            unit = "against plain"
        value = self.value.removeprefix("×").replace(f"{NO_BREAK}s", " seconds")
        return f"{self.before} {value} {unit}".strip()


def strip_items(statistics: Statistics, *, is_running: bool = False, rate: float | None = None) -> tuple[Item, ...]:
    """What is measured, the most important first: a narrow strip drops from the end.

    `rate` is that of the last seconds, while it runs: the rate over the whole reply stands at its end.
    What was read again is no item: a line of its own stands under the strip, with the reason.
    """
    items: list[Item] = []
    if statistics.tokens_per_second > 0:
        shown = rate if is_running and rate is not None else statistics.tokens_per_second
        value, unit = write_rate(shown).split(NO_BREAK)
        items.append(Item("", value, unit))
    if statistics.num_proposed:
        items.append(speedup_item(statistics.speedup))
    if statistics.time_to_first_token_seconds > 0:
        items.append(Item("first token", write_seconds(statistics.time_to_first_token_seconds)))
    if num_cached := num_cached_of(statistics):
        read = f"cached, {write_count(num_read_of(statistics))} read"
        items.append(Item("", write_count(num_cached), read, is_before_wake=True))
    if statistics.acceptance_length > 0:
        items.append(Item("acceptance length", write_ratio(statistics.acceptance_length)))
    if statistics.num_proposed:
        items.append(_depth_item(statistics, is_running))
    return tuple(items)


def _depth_item(statistics: Statistics, is_running: bool) -> Item:
    """Of the round that runs; of a reply that has ended the mean, as its last round tells nothing of the others."""
    if is_running:
        return Item("depth", write_count(statistics.depth))
    return Item("mean depth", write_ratio(statistics.num_proposed / max(1, statistics.num_rounds)))


def speedup_item(speedup: float) -> Item:
    """The rate over plain decoding, as measured on this machine; coloured from a twentieth off 1."""
    if not speedup:
        return Item("", "not measured", "vs plain")
    return Item("", write_speedup(speedup), "vs plain", speedup_tone(speedup))


def describe(statistics: Statistics, reply: Message | None = None) -> str:
    """Everything that is known of a reply, line by line, at any time; with the message also what wrote it."""
    return "\n".join(f"{name}: {words}" for name, words in detail_rows(statistics, reply))


def spoken(statistics: Statistics) -> str:
    """The strip's accessible name."""
    words = [item.spoken for item in strip_items(statistics)]
    return f"Statistics: {', '.join(words)}" if words else "Statistics"


def progress_words(progress: Progress | Notice, model: str) -> str:
    if isinstance(progress, Notice):
        return "Waiting for memory."
    match progress.phase:
        case "reading":
            cached = f", {write_count(progress.num_cached)} cached" if progress.num_cached else ""
            return f"Reading {write_count(progress.done)} of {write_count(progress.total, 'tokens')}{cached}"
        case "loading" | "importing":
            verb = "Loading" if progress.phase == "loading" else "Importing"
            return f"{verb} {model or 'the model'}, {write_loading(progress.done, progress.total)}"
        case _:
            return "Waiting for the replies before it."


def draw_strip(
    painter: QPainter,
    tokens: Tokens,
    rect: QRectF,
    statistics: Statistics,
    rounds: Sequence[Round],
    *,
    is_running: bool = False,
    rate: float | None = None,
) -> None:
    """Under a right-to-left interface from the right, and the wake runs the other way."""
    items = strip_items(statistics, is_running=is_running, rate=rate)
    left = rect.left()
    num_rounds, items = fit_strip(items, rect.width(), has_wake=bool(rounds))
    if num_rounds:
        _draw_wake(painter, tokens, rect, rounds[-num_rounds:])
        left += width_of(num_rounds) + GAP
    for item in items:
        width = _item_width(item)
        place = QRectF(left, rect.top(), width, rect.height())
        _draw_item(painter, tokens, mirrored(place, rect, QGuiApplication.layoutDirection()), item)
        left += width + GAP


def _draw_wake(painter: QPainter, tokens: Tokens, rect: QRectF, rounds: Sequence[Round]) -> None:
    painter.save()
    if QGuiApplication.isRightToLeft():
        painter.translate(rect.left() + rect.right(), 0)
        painter.scale(-1, 1)
    draw_wake(painter, tokens, rect.left(), rect.center().y() - WAKE_HEIGHT / 2, rounds)
    painter.restore()


def fit_strip(items: Sequence[Item], room: float, *, has_wake: bool) -> tuple[int, tuple[Item, ...]]:
    """How many rounds of the wake a strip so wide has room for, and which items."""
    widths = [_item_width(item) + GAP for item in items]
    num_first = max((place for place, item in enumerate(items, start=1) if item.is_before_wake), default=0)
    needed = sum(widths[:num_first]) - GAP
    num_rounds = NUM_ROUNDS if has_wake else 0
    if has_wake and num_first and needed <= room:
        num_rounds = rounds_in(room - needed - GAP)
    left = width_of(num_rounds) + GAP if num_rounds else 0.0
    ends = accumulate(widths, initial=left - GAP)
    next(ends)
    return num_rounds, tuple(item for item, end in zip(items, ends, strict=True) if end <= room)


def fit_progress(words: str, room: float) -> str:
    """Without what stands behind the comma where there is no room for it."""
    has_room = QFontMetricsF(font("small")).horizontalAdvance(words) <= room
    return words if has_room else words.rsplit(", ", 1)[0]


def draw_progress(painter: QPainter, tokens: Tokens, rect: QRectF, progress: Progress | Notice, words: str) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    direction = QGuiApplication.layoutDirection()
    left = rect.left()
    if isinstance(progress, Progress) and progress.phase != "waiting" and progress.total > 0:
        bar = QRectF(left, rect.center().y() - BAR_HEIGHT / 2, BAR_WIDTH, BAR_HEIGHT)
        painter.setBrush(QColor(tokens.hover))
        painter.drawRoundedRect(mirrored(bar, rect, direction), 2, 2)
        bar.setWidth(max(BAR_HEIGHT, BAR_WIDTH * min(1.0, progress.done / progress.total)))
        painter.setBrush(QColor(tokens.target))
        painter.drawRoundedRect(mirrored(bar, rect, direction), 2, 2)
        left += BAR_WIDTH + 12
    painter.setFont(font("small"))
    painter.setPen(QColor(tokens.ink2))
    place = mirrored(QRectF(left, rect.top(), rect.right() - left, rect.height()), rect, direction)
    side = Qt.AlignmentFlag.AlignRight if QGuiApplication.isRightToLeft() else Qt.AlignmentFlag.AlignLeft
    alignment = side | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
    painter.drawText(place, alignment, fit_progress(words, place.width()))
    painter.restore()


def _item_width(item: Item) -> float:
    plain, strong = QFontMetricsF(font("small")), QFontMetricsF(font("small-strong"))
    value = max(item.value, _WIDEST.get(item.behind, ""), key=len)
    parts = [plain.horizontalAdvance(f"{item.before} ")] if item.before else []
    parts.append(strong.horizontalAdvance(value))
    if item.behind:
        parts.append(plain.horizontalAdvance(f" {item.behind}"))
    return sum(parts)


def _draw_item(painter: QPainter, tokens: Tokens, rect: QRectF, item: Item) -> None:
    parts = [(f"{item.before} ", "small")] if item.before else []
    parts.append((item.value, "small-strong"))
    if item.behind:
        parts.append((f" {item.behind}", "small"))
    left = rect.left()
    baseline = rect.center().y() + QFontMetricsF(font("small")).capHeight() / 2
    for text, use in parts:
        painter.setFont(font(use))
        painter.setPen(QColor(getattr(tokens, item.tone) if use == "small-strong" else tokens.ink2))
        painter.drawText(QPointF(left, baseline), text)
        left += QFontMetricsF(font(use)).horizontalAdvance(text)
