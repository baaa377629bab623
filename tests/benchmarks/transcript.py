"""The transcript: opening a chat of 300,000 tokens, streaming 200 tokens a second, scrolling, and long turns.

    python -m tests.benchmarks.transcript

Uses the platform plugin that QT_QPA_PLATFORM names, "offscreen" by default.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.chat.transcript import Transcript
from app.conversations.records import Message, ReplyState
from app.system.garbage import GarbageCollector
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.theme.tokens import LIGHT
from engine.messages import Delta, Statistics
from tests.benchmarks.transcript_turns import longest_turn, print_turns

NUM_TOKENS = 300_000
CHARACTERS_PER_TOKEN = 4
TOKENS_PER_SECOND, STREAM_SECONDS = 200, 8
REPLY = """It would freeze from the bottom up, and many lakes would **never** fully thaw, see [here](https://example.org).

Water is densest at about 4 °C. As a lake cools, `surface` water sinks until the whole column reaches 4 °C; below that,
colder water stays on top and freezes there, and the ice then shields what lies beneath:

| Layer in January | With floating ice | Depth |
|---|---|--:|
| Surface | Ice, about −5 °C | 0.3 m |
| Floor | Water, 4 °C | 12 m |

```python
def freeze(water):
    return water.volume * 1.09  # by about 9%
```

1. One thing.
2. Another, with $E = mc^2$ in it.

"""


class TimedTranscript(Transcript):
    """Keeps how long each flush took, in milliseconds."""

    def __init__(self, theme: Theme, pulse: Pulse) -> None:
        self.flushes: list[float] = []
        super().__init__(theme, pulse)

    def flush(self) -> None:
        self.flushes.append(milliseconds_of(super().flush))


def make_chat() -> list[Message]:
    """Questions and answers, so many characters in all as the tokens have."""
    reply = REPLY * 3
    num_pairs = NUM_TOKENS * CHARACTERS_PER_TOKEN // len(reply)
    numbers = Statistics(num_tokens=500, num_rounds=300, tokens_per_second=80.0, num_proposed=400)
    pairs = (
        (
            Message(f"u{place}", "c", None, "user", f"Why, for the {place}th time?"),
            Message(f"r{place}", "c", None, "assistant", reply, statistics=numbers),
        )
        for place in range(num_pairs)
    )
    return [message for pair in pairs for message in pair]


def milliseconds_of(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def summary(times: Sequence[float]) -> str:
    ordered = sorted(times)
    middle, late, latest = (ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.95, 0.995))
    return f"median {middle:.1f} ms, 95% {late:.1f} ms, 99.5% {latest:.1f} ms, of {len(ordered)}"


def open_chat(transcript: Transcript, chat: list[Message]) -> None:
    transcript.show_messages(chat)
    transcript.viewport().repaint()


def scroll(transcript: Transcript, by: int, times: int) -> list[float]:
    bar = transcript.verticalScrollBar()

    def step() -> None:
        bar.setValue(bar.value() + by)
        transcript.viewport().repaint()

    taken = []
    for _ in range(times):
        taken.append(milliseconds_of(step))
        QApplication.processEvents()
    return taken


def stream(transcript: TimedTranscript) -> tuple[list[float], list[float]]:
    """Milliseconds of each flush and of each painting while a reply comes."""
    transcript.add_message(Message("q", "c", None, "user", "And then?"))
    transcript.add_message(Message("a", "c", None, "assistant", "", state=ReplyState.RUNNING, drafter="ngram"))
    text = REPLY * 40
    size, milliseconds = CHARACTERS_PER_TOKEN, 1000 // TOKENS_PER_SECOND
    sent = 0

    def send() -> None:
        nonlocal sent
        numbers = Statistics(num_tokens=sent + 1, num_rounds=sent + 1, tokens_per_second=200.0)
        transcript.extend(Delta(1, text[sent * size : (sent + 1) * size], (sent,), 1, numbers))
        sent += 1

    transcript.flushes.clear()
    sender, end = QTimer(), QEventLoop()
    sender.timeout.connect(send)
    sender.start(milliseconds)
    QTimer.singleShot(STREAM_SECONDS * 1000, end.quit)
    used = time.process_time()
    end.exec()
    sender.stop()
    share = (time.process_time() - used) / STREAM_SECONDS
    paints = [milliseconds_of(transcript.viewport().repaint) for _ in range(60)]
    print(f"streaming {TOKENS_PER_SECOND} tok/s: {share:.0%} of one core")
    return transcript.flushes, paints


def main() -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = Application([])
    garbage = GarbageCollector()  # as in the program
    theme = Theme()
    theme.apply(LIGHT)
    transcript = TimedTranscript(theme, Pulse())
    transcript.resize(1064, 700)
    transcript.show()
    application.processEvents()
    chat = make_chat()
    print(f"{len(chat)} messages, {sum(len(message.text) for message in chat):,} characters")
    print(f"longest turn, first chat of the program: {longest_turn(lambda: transcript.show_messages(chat)):.0f} ms")
    transcript.show_messages([])
    print(f"opened in {milliseconds_of(lambda: open_chat(transcript, chat)):.0f} ms")
    print(f"opened again in {milliseconds_of(lambda: open_chat(transcript, chat)):.0f} ms")
    print(f"scrolling up by 150 px: {summary(scroll(transcript, -150, 200))}")
    print(f"scrolling up by 20,000 px: {summary(scroll(transcript, -20_000, 40))}")
    transcript.scroll_to_end()
    flushes, paints = stream(transcript)
    print(f"flush: {summary(flushes)}")
    print(f"painting all: {summary(paints)}")
    transcript.hide()
    print_turns(theme, chat)
    garbage.close()


if __name__ == "__main__":
    main()
