"""The transcript: what streams is what was written at once, and only the end is edited."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.chat.notes import Action
from app.chat.transcript import Transcript, frame_milliseconds
from app.chat.transcript_formats import Formats, bare_block, kind_of
from app.chat.transcript_writer import LiveText
from app.conversations.records import Message, ReplyState
from app.theme.pulse import Pulse
from app.theme.theme import Theme
from app.theme.tokens import DARK, LIGHT
from engine.messages import Delta, Progress, Statistics

SOURCE = """# Head

para **b** `c` 日本 emoji 😀 <b>x</b> ![p](http://x/y.png)

| a | b |
|---|--:|
| 1 | **4** |

- a
  - b
- c *it*

```rust
fn main() {

}
```
> quote
> more

1. x

| q | r |
|---|---|
| z | w |

End."""


def make_live() -> tuple[QTextDocument, LiveText]:
    document = QTextDocument()
    document.documentLayout()  # without one the document reports no changes
    cursor = QTextCursor(document)
    cursor.insertText("above")
    cursor.insertBlock(bare_block("paragraph", 1))
    start = cursor.position()
    cursor.insertBlock(bare_block("strip", 1))
    cursor.insertText("below")
    return document, LiveText(document, start, 1, Formats(Theme()))


def look_of(document: QTextDocument) -> list[tuple[object, ...]]:
    """Every block with its text and formats, without the room around tables."""
    look: list[tuple[object, ...]] = []
    block = document.begin()
    while block.isValid():
        parts = [(part.fragment().text(), part.fragment().charFormat().fontWeight()) for part in block]  # type: ignore[attr-defined]
        margins = (block.blockFormat().topMargin(), block.blockFormat().leftMargin())
        if kind_of(block) != "spacer":
            look.append((kind_of(block), block.text(), margins, parts))
        block = block.next()
    return look


@pytest.mark.parametrize("seed", range(12))
def test_streamed_in_any_pieces_it_looks_as_written_at_once(qapp: QApplication, seed: int) -> None:
    whole, live = make_live()
    live.append(SOURCE, is_live=False)
    streamed, live = make_live()
    chance = random.Random(seed)
    place = 0
    while place < len(SOURCE):
        size = chance.randint(1, 7)
        live.append(SOURCE[place : place + size], is_live=True)
        place += size
    live.append("", is_live=False)
    assert look_of(streamed) == look_of(whole)


def test_closed_blocks_are_never_touched_again(qapp: QApplication) -> None:
    document, live = make_live()
    live.append("First.\n\nSecond.\n\nThird", is_live=True)
    changes: list[int] = []
    document.contentsChange.connect(lambda position, removed, added: changes.append(position))
    third = document.toPlainText().index("Third")
    live.append(" goes on", is_live=True)
    assert changes
    assert min(changes) >= third


def message(role: str, text: str, state: ReplyState = ReplyState.COMPLETE, number: int = 1) -> Message:
    return Message(f"m{number}", "c", None, role, text, state=state, drafter="ngram")


def delta(text: str, place: int = 1) -> Delta:
    return Delta(1, text, (place,), 0, Statistics(num_tokens=place, num_rounds=place, tokens_per_second=50.0))


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    theme = Theme()
    theme.apply(LIGHT)
    return theme


@pytest.fixture
def transcript(qtbot: QtBot, theme: Theme) -> Iterator[Transcript]:
    transcript = Transcript(theme, Pulse())
    qtbot.addWidget(transcript)
    transcript.resize(800, 400)
    transcript.show()
    yield transcript
    transcript.hide()


def start_reply(transcript: Transcript, question: str = "Why?") -> None:
    transcript.add_message(message("user", question, number=1))
    transcript.add_message(message("assistant", "", ReplyState.RUNNING, number=2))


def test_deltas_appear_within_frames(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    for word in ("Ice", " floats", " **well**"):
        transcript.extend(delta(word))
    qtbot.waitUntil(lambda: "Ice floats well" in transcript.toPlainText(), timeout=1000)


def test_a_user_text_is_shown_exactly_as_typed(transcript: Transcript) -> None:
    typed = "# no heading\n<b>&amp;</b> *stars* ![x](http://y/z.png)\n\n\ttab  two spaces"
    start_reply(transcript, typed)
    assert typed in transcript.toPlainText()


def test_a_hidden_transcript_only_keeps_text_until_it_is_shown(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    transcript.hide()
    transcript.extend(delta("unseen"))
    qtbot.wait(40)
    assert "unseen" not in transcript.toPlainText()
    transcript.show()
    assert "unseen" in transcript.toPlainText()


def test_the_end_stays_in_view_until_the_reader_scrolls_up(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    bar = transcript.verticalScrollBar()
    transcript.extend(delta("line\n\n" * 60))
    transcript.flush()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() - 200)
    place = bar.value()
    transcript.extend(delta("more\n\n" * 20))
    transcript.flush()
    qtbot.wait(20)
    assert bar.value() == place
    assert not transcript.is_end_in_view
    transcript.scroll_to_end()
    assert bar.value() == bar.maximum()


def test_copy_gives_the_words_of_several_messages(transcript: Transcript) -> None:
    transcript.show_messages([message("user", "Why?\nReally?"), message("assistant", SOURCE, number=2)])
    transcript.selectAll()
    copied = transcript.createMimeDataFromSelection().text()
    assert copied.startswith("Why?\nReally?\n\nHead\n\npara b c 日本 emoji 😀")
    assert "fn main() {\n\n}" in copied
    assert "• a\n• b\n• c it" in copied
    assert "a\tb\n1\t4" in copied
    assert "\ufffc" not in copied


def test_a_theme_change_keeps_text_and_place(transcript: Transcript, theme: Theme) -> None:
    start_reply(transcript)
    transcript.extend(delta("word\n\n" * 80))
    transcript.flush()
    transcript.verticalScrollBar().setValue(100)
    before = transcript.toPlainText()
    theme.apply(DARK)
    assert transcript.toPlainText() == before
    assert transcript.verticalScrollBar().value() == 100


def test_a_stopped_reply_offers_to_go_on(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    running = transcript.last
    assert running is not None
    transcript.extend(delta("Half"))
    stopped = replace(running.message, text="Half", state=ReplyState.STOPPED, token_ids=(1,))
    transcript.change(stopped)
    assert "Half" in transcript.toPlainText()
    with qtbot.waitSignal(transcript.action_chosen) as chosen:
        press(transcript, "Continue this reply")
    assert chosen.args == [Action.CONTINUE]


def press(transcript: Transcript, name: str) -> None:
    next(button for button in transcript.findChildren(QPushButton) if button.accessibleName() == name).click()


def test_pictures_are_never_asked_for(transcript: Transcript) -> None:
    transcript.show_messages(
        [message("assistant", "![a](http://127.0.0.1:9/a.png) <img src='http://127.0.0.1:9/b.png'>")]
    )
    assert transcript.loadResource(2, QUrl("http://127.0.0.1:9/a.png")) is None
    assert "[picture: a] http://127.0.0.1:9/a.png" in transcript.toPlainText()


def test_a_click_opens_only_allowed_links(transcript: Transcript, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    for address in ("https://example.org/", "file:///etc/passwd", "javascript:alert(1)"):
        transcript.anchorClicked.emit(QUrl(address))
    assert opened == ["https://example.org/"]


def test_a_long_message_is_folded_until_asked(transcript: Transcript) -> None:
    transcript.show_messages([message("user", "\n".join(f"line {number}" for number in range(1204)))])
    assert "Show all, 1,204 lines" in transcript.toPlainText()  # which writes no-break spaces as plain ones
    assert "line 1203" not in transcript.toPlainText()
    transcript.anchorClicked.emit(QUrl("slipstream-unfold:1"))
    assert "line 1203" in transcript.toPlainText()


def test_progress_is_shown_in_the_place_of_the_strip(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    transcript.set_progress(Progress(1, "reading", 11_400, 19_650))
    assert transcript.last is not None
    assert transcript.last.progress is not None
    transcript.grab()
    transcript.set_progress(None)
    assert transcript.last.progress is None


def test_details_stand_under_the_strip_when_asked(transcript: Transcript) -> None:
    numbers = Statistics(num_tokens=3, num_rounds=2, num_proposed=5, num_accepted=1, proposed_by_position=(2, 2, 1))
    reply = replace(message("assistant", "Ice.", number=2), statistics=numbers)
    transcript.show_messages([message("user", "Why?"), reply])
    transcript.toggle_last_details()
    assert "position 3: accepted 0 of 1, 0%" in transcript.toPlainText()
    transcript.toggle_last_details()
    assert "position" not in transcript.toPlainText()


AGAIN = Statistics(num_prompt=50, num_tokens=1, num_rounds=1, num_reread=38, reread_reason="The model's files changed.")
REASON = "38 tokens were read again. The model's files changed."


def test_the_reason_of_a_second_reading_stands_under_a_reply_that_runs(transcript: Transcript, qtbot: QtBot) -> None:
    start_reply(transcript)
    transcript.extend(replace(delta("Ice"), statistics=AGAIN))
    qtbot.waitUntil(lambda: REASON in transcript.toPlainText(), timeout=2000)
    transcript.extend(replace(delta(" floats."), statistics=AGAIN))
    transcript.flush()
    assert transcript.toPlainText().index("Ice floats.") < transcript.toPlainText().index(REASON)
    assert not transcript.grab().isNull()


def test_the_reason_of_a_second_reading_stands_once_with_details_and_without(transcript: Transcript) -> None:
    transcript.show_messages([replace(message("assistant", "Ice."), statistics=AGAIN)])
    for _ in range(3):
        assert transcript.toPlainText().count(REASON) == 1
        transcript.toggle_last_details()


def test_every_state_can_be_painted(transcript: Transcript) -> None:
    states = [ReplyState.STOPPED, ReplyState.LIMIT, ReplyState.CUT_OFF, ReplyState.FAILED, ReplyState.RUNNING]
    for state in states:
        transcript.show_messages([message("user", "Why?"), message("assistant", SOURCE, state, number=2)])
        assert not transcript.grab().isNull()


def test_slow_flushes_leave_four_fifths_of_the_time_to_the_window() -> None:
    assert frame_milliseconds(0.0) == frame_milliseconds(0.003) == 16
    assert frame_milliseconds(0.25) == 1000


def test_details_of_an_earlier_reply_touch_nothing_but_its_strip(transcript: Transcript) -> None:
    counted = Statistics(num_tokens=5, num_rounds=5, tokens_per_second=50.0)
    pairs = [
        (message("user", f"Why {one}?"), replace(message("assistant", f"So {one}.", number=2), statistics=counted))
        for one in range(3)
    ]
    transcript.show_messages([each for pair in pairs for each in pair])
    before = look_of(transcript.document())
    changes: list[tuple[int, int]] = []
    transcript.document().contentsChange.connect(lambda place, removed, added: changes.append((place, place + added)))
    transcript.toggle_details(transcript.content.sections[3])
    text = transcript.toPlainText()
    assert text.index("So 1.") < text.index("reply 5") < text.index("Why 2?")
    assert all(text.index("So 1.") < start and end <= text.index("Why 2?") for start, end in changes)
    transcript.toggle_details(transcript.content.sections[3])
    assert look_of(transcript.document()) == before
