"""What the page and the inspector show of a history: which rounds, which seconds, and the words beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.conversations.titles import NEW_TITLE
from app.conversations.totals import num_read_of
from app.figures import NO_BREAK, write_clock, write_count, write_rate, write_ratio, write_seconds, write_speedup
from app.models.drafters import drafter_name
from app.models.names import model_name
from app.statistics.details import speedup_tone
from app.statistics.figure_table import Look
from app.statistics.history import History
from app.statistics.numbers import looked_at
from app.statistics.rounds import RoundFigures
from app.statistics.series import Point
from app.statistics.tables import Table
from app.statistics.tracked import TrackedReply

HEADER = ("Reply", "Drafter", "tok/s", "vs plain", "First token", "Cached, read", "Acceptance length", "Depth")
DROPPABLE = (6, 7, 5, 1, 4)  # columns that a narrow table leaves out, in this order
ALL = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """What is drawn of one chat or of all replies; `end` is what the end of a time axis is."""

    replies: tuple[TrackedReply, ...]
    rounds: tuple[RoundFigures, ...]
    points: tuple[Point, ...]
    depth_sentence: str
    end: str

    @property
    def has_rounds(self) -> bool:
        """Whether the replies are of this run of the program: only totals are kept of earlier ones."""
        return any(one.rounds for one in self.replies)


def scene_of(history: History, conversation_id: str = ALL) -> Scene:
    replies = looked_at(history, conversation_id)
    if not replies:
        return Scene((), (), (), "", "now")
    is_running = any(one.is_running for one in replies)
    newest = max(replies, key=lambda one: one.heard_at)
    rounds, series = (newest.rounds, newest.series) if conversation_id else (history.rounds, history.series)
    now = history.clock() if is_running else newest.heard_at
    end = "now" if is_running else write_clock(newest.told_at)
    return Scene(replies, tuple(rounds), series.points(now), depth_sentence(replies, now if is_running else None), end)


def depth_sentence(replies: Sequence[TrackedReply], now: float | None) -> str:
    """The last change of depth and its reason, and how long ago where `now` is given; "" where nothing drafted."""
    changed = [one for one in replies if one.last_change is not None]
    drafted = [one for one in replies if one.own.num_proposed or one.own.depth_reason]
    if not changed:
        own = drafted[0].own if drafted else None
        return f"Depth {write_count(own.depth)}. {own.depth_reason}".strip() if own else ""
    change = max((one.last_change for one in changed if one.last_change), key=lambda one: one.at)
    verb = "fell" if change.after < change.before else "rose"
    seconds = now - change.at if now is not None else 0.0
    ago = f", {seconds:,.0f}{NO_BREAK}s ago" if seconds >= 1 else ""
    return f"Depth {verb} from {change.before} to {change.after}{ago}. {change.reason}".strip()


def segments_of(history: History, chosen: str = ALL) -> tuple[tuple[str, str], ...]:
    """All replies, then each running chat; the chosen one stays when its reply has ended."""
    chats = list(history.running_chats())
    if chosen and chosen not in chats and history.replies(chosen):
        chats.append(chosen)
    return (ALL, "All replies"), *((chat, title_of(history, chat)) for chat in chats)


def title_of(history: History, conversation_id: str) -> str:
    return history.title_of(conversation_id) or NEW_TITLE


def names_of(replies: Sequence[TrackedReply]) -> str:
    """The models and drafters of these replies."""
    names = dict.fromkeys(f"{model_name(one.message.model)}, {drafter_name(one.message.drafter)}" for one in replies)
    return " · ".join(names)


def replies_table(history: History, conversation_id: str = ALL) -> tuple[Table, dict[tuple[int, int], Look]]:
    """The last replies, the newest first."""
    replies = history.replies(conversation_id)
    rows = tuple(_row(history, one) for one in replies)
    looks: dict[tuple[int, int], Look] = {}
    for place, one in enumerate(replies):
        looks[place, 0] = Look(is_running=one.is_running)
        looks[place, 2] = Look(is_strong=True)
        if one.own.num_proposed and one.own.speedup:
            looks[place, 3] = Look(speedup_tone(one.own.speedup), is_strong=True)
        else:
            looks[place, 3] = Look("ink3")
    return Table(HEADER, rows), looks


def _row(history: History, one: TrackedReply) -> tuple[str, ...]:
    own, rate = one.own, history.rate_of(one)
    speedup = write_speedup(own.speedup) if own.speedup else "not measured"
    first = own.time_to_first_token_seconds
    return (
        title_of(history, one.conversation_id),
        drafter_name(one.message.drafter),
        write_rate(rate).removesuffix("\u00a0tok/s") if rate is not None else "",
        speedup if own.num_proposed else "",
        write_seconds(first) if first > 0 else "",
        f"{write_count(own.num_cached)}, {write_count(num_read_of(own))}",
        write_ratio(own.acceptance_length) if own.acceptance_length else "",
        one.depth_words,
    )
