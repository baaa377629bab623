"""The transcript: what streams is what was written at once, and only the end is edited."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.chat.notes import Action
from app.chat.transcript import Transcript, frame_milliseconds
from app.chat.transcript_formats import Formats, bare_block
from app.chat.transcript_writer import LiveText
from app.conversations.records import ReplyState
from app.theme.theme import Theme
from app.theme.tokens import DARK
from engine.messages import Progress
from tests.app.chat.transcripts import delta, look_of, message, start_reply

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


def test_every_state_can_be_painted(transcript: Transcript) -> None:
    states = [ReplyState.STOPPED, ReplyState.LIMIT, ReplyState.CUT_OFF, ReplyState.FAILED, ReplyState.RUNNING]
    for state in states:
        transcript.show_messages([message("user", "Why?"), message("assistant", SOURCE, state, number=2)])
        assert not transcript.grab().isNull()


def test_slow_flushes_leave_four_fifths_of_the_time_to_the_window() -> None:
    assert frame_milliseconds(0.0) == frame_milliseconds(0.003) == 16
    assert frame_milliseconds(0.25) == 1000
