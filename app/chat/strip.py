"""The statistics strip under a reply: its words, and how it is painted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.chat.wake import HEIGHT as WAKE_HEIGHT
from app.chat.wake import NUM_ROUNDS, Round, draw_wake, rounds_in, width_of
from app.conversations.totals import num_read_of
from app.figures import (
    NO_BREAK,
    write_count,
    write_loading,
    write_milliseconds,
    write_percent,
    write_rate,
    write_ratio,
    write_seconds,
)
from app.theme.fonts import font
from app.theme.tokens import Tokens
from engine.messages import Progress, Statistics

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


def strip_items(statistics: Statistics) -> tuple[Item, ...]:
    """What is measured, the most important first: a narrow strip drops from the end.

    What was read again is no item: a line of its own stands under the strip, with the reason.
    """
    items: list[Item] = []
    if statistics.tokens_per_second > 0:
        value, unit = write_rate(statistics.tokens_per_second).split(NO_BREAK)
        items.append(Item("", value, unit))
    if statistics.num_proposed:
        items.append(speedup_item(statistics.speedup))
    if statistics.time_to_first_token_seconds > 0:
        items.append(Item("first token", write_seconds(statistics.time_to_first_token_seconds)))
    if statistics.num_cached:
        read = f"cached, {write_count(num_read_of(statistics))} read"
        items.append(Item("", write_count(statistics.num_cached), read, is_before_wake=True))
    if statistics.acceptance_length > 0:
        items.append(Item("acceptance length", write_ratio(statistics.acceptance_length)))
    if statistics.num_proposed:
        items.append(Item("depth", write_count(statistics.depth)))
    return tuple(items)


def speedup_item(speedup: float) -> Item:
    """The rate over plain decoding, as measured on this machine; coloured from a twentieth off 1."""
    if not speedup:
        return Item("", "not measured", "vs plain")
    tone = "target" if speedup >= 1.05 else "alert" if speedup < 0.95 else "ink2"
    return Item("", f"×{write_ratio(speedup)}", "vs plain", tone)


def reread_words(statistics: Statistics) -> str:
    """What was read again, and why; "" where nothing was."""
    if not statistics.num_reread:
        return ""
    verb = "was" if statistics.num_reread == 1 else "were"
    return statistics.reread_reason or f"{write_count(statistics.num_reread, 'tokens')} {verb} read again."


def describe(statistics: Statistics) -> str:
    """Everything that is known of a reply, line by line; acceptance by position too."""
    lines = [item.text for item in strip_items(statistics)]
    read = write_count(num_read_of(statistics))
    prompt = f"{write_count(statistics.num_cached)} cached, {read} read"
    lines.append(f"reply {write_count(statistics.num_tokens, 'tokens')}, prompt {prompt}")
    lines += [words] if (words := reread_words(statistics)) else []
    lines += _describe_rounds(statistics) if statistics.num_rounds else []
    if statistics.depth_reason:
        lines.append(f"depth {write_count(statistics.depth)}: {statistics.depth_reason}")
    return "\n".join(lines)


def _describe_rounds(statistics: Statistics) -> list[str]:
    lines = [f"{write_count(statistics.num_rounds, 'rounds')}, {statistics.tokens_per_forward:.2f} tokens per forward"]
    if statistics.num_proposed:
        accepted = f"{write_count(statistics.num_accepted)} of {write_count(statistics.num_proposed)}"
        lines.append(f"accepted {accepted}, forwards saved {write_count(statistics.num_forwards_saved)}")
    if statistics.num_verified > statistics.num_accepted:
        rest = write_count(statistics.num_verified - statistics.num_accepted)
        lines.append(f"verified and not delivered {rest}")
    lines += _describe_positions(statistics)
    if statistics.verify_seconds > 0:
        verify = write_milliseconds(statistics.verify_seconds / statistics.num_rounds)
        draft = write_milliseconds(statistics.draft_seconds / statistics.num_rounds)
        lines.append(f"verify {verify}, draft {draft} a round")
    if statistics.num_proposed and statistics.extra_seconds > 0:
        lines.append(f"proposing cost {write_seconds(statistics.extra_seconds)} in all, wider forwards included")
    return lines


def _describe_positions(statistics: Statistics) -> list[str]:
    """Survival of each position, and its acceptance after accepted forerunners; older replies lack the latter."""
    lines = []
    counts = (statistics.proposed_by_position, statistics.accepted_by_position, statistics.reached_by_position)
    for position, (proposed, accepted, reached) in enumerate(zip_longest(*counts, fillvalue=0), start=1):
        line = f"position {position}: accepted {write_count(accepted)} of {write_count(proposed)}"
        line += f", {write_percent(accepted, proposed)}"
        says_more = position > 1 and reached
        lines.append(line + (f"; {write_percent(accepted, reached)} where reached" if says_more else ""))
    return lines


def progress_words(progress: Progress, model: str) -> str:
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
    painter: QPainter, tokens: Tokens, rect: QRectF, statistics: Statistics, rounds: Sequence[Round]
) -> None:
    left = rect.left()
    num_rounds, items = fit_strip(strip_items(statistics), rect.width(), has_wake=bool(rounds))
    if num_rounds:
        draw_wake(painter, tokens, left, rect.center().y() - WAKE_HEIGHT / 2, rounds[-num_rounds:])
        left += width_of(num_rounds) + GAP
    for item in items:
        width = _item_width(item)
        _draw_item(painter, tokens, QRectF(left, rect.top(), width, rect.height()), item)
        left += width + GAP


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


def draw_progress(painter: QPainter, tokens: Tokens, rect: QRectF, progress: Progress, words: str) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    left = rect.left()
    if progress.phase != "waiting" and progress.total > 0:
        bar = QRectF(left, rect.center().y() - BAR_HEIGHT / 2, BAR_WIDTH, BAR_HEIGHT)
        painter.setBrush(QColor(tokens.hover))
        painter.drawRoundedRect(bar, 2, 2)
        bar.setWidth(max(BAR_HEIGHT, BAR_WIDTH * min(1.0, progress.done / progress.total)))
        painter.setBrush(QColor(tokens.target))
        painter.drawRoundedRect(bar, 2, 2)
        left += BAR_WIDTH + 12
    painter.setFont(font("small"))
    painter.setPen(QColor(tokens.ink2))
    place = QRectF(left, rect.top(), rect.right() - left, rect.height())
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
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
