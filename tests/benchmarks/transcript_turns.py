"""How long the GUI thread is held at most while something large is opened, streamed, found or changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from PySide6.QtWidgets import QApplication

from app.chat.transcript import Transcript
from app.conversations.records import Message, ReplyState
from app.theme.fonts import set_text_size
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.theme.tokens import DARK, LIGHT
from engine.messages import Delta, Statistics

QUIET_SECONDS = 0.4  # without anything to do: nothing more comes
MOST_SECONDS = 30.0
NUM_FLUSHES = 20
LONG_REPLY = 587_000  # characters
PAGE = "Water is densest at about 4 °C, and `ice` floats **because** of it, [so](https://example.org) it does.\n\n"
MARKED = "".join(f"so **{number}** and `code` " for number in range(200))  # 400 marks in one paragraph
TABLE = "| " + " | ".join("abcdefghij") + " |\n" + "|---" * 10 + "|\n" + ("| 1,200 and more " * 10 + "|\n") * 1_000


def longest_turn(*deeds: Callable[[], object]) -> float:
    """Milliseconds of the longest turn of the event loop: each deed is one, what it leaves to do are others."""
    longest = 0.0
    for deed in deeds:
        longest = max(longest, _timed(deed), *_turns())
    return 1000 * longest


def _turns() -> Iterator[float]:
    """Seconds of each turn until nothing is left to do."""
    start = busy_at = time.perf_counter()
    yield 0.0
    while time.perf_counter() - busy_at < QUIET_SECONDS and time.perf_counter() - start < MOST_SECONDS:
        taken = _timed(QApplication.processEvents)
        if taken > 0.001:
            busy_at = time.perf_counter()
        yield taken
        time.sleep(0.001)


def _timed(work: Callable[[], object]) -> float:
    """Seconds that this thread worked, without those in which others had the core."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def reply(text: str, state: ReplyState = ReplyState.COMPLETE) -> Message:
    return Message("long", "long", None, "assistant", text, state=state, drafter="ngram")


def print_turns(theme: Theme, chat: list[Message]) -> None:
    """Each in a transcript of its own, as in a tab that was just opened."""
    opened = _make(theme)
    _tell("a chat of 300,000 tokens, opened first", longest_turn(lambda: opened.show_messages(chat)))
    _tell("found in it: one word that is everywhere", longest_turn(lambda: opened.find("water")))
    _tell("found in it: one hit", longest_turn(lambda: opened.find("the 3th time")))
    opened.clear()
    _tell("text size changed over it", longest_turn(*(lambda size=size: _resize(theme, size) for size in (150, 100))))
    themes = longest_turn(lambda: theme.apply(DARK), lambda: theme.apply(LIGHT))
    _tell("theme changed over it", themes)
    opened.deleteLater()
    _tell_streamed(theme, "a running reply of 587 kB", PAGE * (LONG_REPLY // len(PAGE)), PAGE)
    _tell_streamed(theme, "a live paragraph of 5,000 characters with 400 marks", MARKED, "so **it** and `code` ")
    _tell_streamed(theme, "a live table of 10,000 cells", TABLE, "| 1,200 and more " * 10 + "|\n")
    _tell_opened(theme, "a reply of 1 MB", PAGE * (1_000_000 // len(PAGE)))
    _tell_opened(theme, "a table of 10,000 cells", TABLE)
    _tell_opened(theme, "a line of 200,000 characters", "word " * 40_000)


def _tell_opened(theme: Theme, name: str, text: str) -> None:
    shown = _make(theme)
    _tell(name, longest_turn(lambda: shown.show_messages([reply(text)])))
    shown.deleteLater()


def _tell_streamed(theme: Theme, name: str, text: str, more: str) -> None:
    shown = _make(theme)
    running = reply(text, ReplyState.RUNNING)
    _tell(f"{name}, opened", longest_turn(lambda: shown.show_messages([running])))
    numbers = Statistics(num_tokens=5, num_rounds=5, tokens_per_second=50.0)
    flushes, paintings = [], []
    for _ in range(NUM_FLUSHES):
        shown.extend(Delta(1, more, (1,), 1, numbers))
        flushes.append(1000 * _timed(shown.flush))
        paintings.append(1000 * _timed(shown.viewport().repaint))
    _tell(f"{name}, each flush", max(flushes))
    _tell(f"{name}, each painting", max(paintings))
    ended = replace(running, text=text + more * NUM_FLUSHES, state=ReplyState.COMPLETE)
    _tell(f"{name}, ended", longest_turn(lambda: shown.change(ended)))
    shown.deleteLater()


def _make(theme: Theme) -> Transcript:
    shown = Transcript(theme, Pulse())
    shown.resize(1064, 700)
    shown.show()
    QApplication.processEvents()
    return shown


def _resize(theme: Theme, percent: int) -> None:
    set_text_size(percent)
    theme.apply(theme.tokens)


def _tell(name: str, milliseconds: float) -> None:
    print(f"longest turn, {name}: {milliseconds:.0f} ms", flush=True)
