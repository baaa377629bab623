"""Cases on what a reply's text looks like, in a real window: each sends the text that a case forces."""

import socket
from contextlib import closing

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from app.chat.blocks.code_block import CodeBlock
from app.chat.markdown_pieces import Text
from app.chat.markdown_reader import parse
from app.conversations.exporting.files import ExportKind
from engine.messages import Finished
from tests.app.fake_engine import deltas_of

TAGS = "use std::vector<int> and <div onclick=x> and &amp; <think>"
PRICES = "It costs $5 and $10, but $x^2$ is maths and `$HOME` is not"


def force(driver, fake_engine, text):
    """Have a message answered with a text."""
    fake_engine.script = deltas_of(text)
    num_messages = len(driver.tab.session.messages) + 2
    driver.type("Go on")
    driver.wait_idle(num_messages)
    driver.tab.transcript.flush()


def copied(driver):
    driver.press("Copy this message")
    return QGuiApplication.clipboard().text()


def test_o12_reasoning_that_never_ends_is_seen_copied_and_exported(driver, fake_engine, tmp_path):
    force(driver, fake_engine, "<think>Hello! How are you?")
    fold, thought = driver.tab.transcript.sections[-1].blocks
    assert "unfinished" in fold.describe()
    assert not thought.is_hidden
    assert "Hello! How are you?" in driver.text
    assert "Hello! How are you?" in copied(driver)
    for kind in ExportKind:
        path = tmp_path / f"chat.{kind.value}"
        chats = [driver.tab.session.conversation_id]
        assert driver.run(driver.window.catalogue.export(chats, path, kind)) == 1
        assert "Hello! How are you?" in path.read_text()


def test_o54_text_like_tags_is_shown_and_copied_exactly(driver, fake_engine):
    force(driver, fake_engine, TAGS)
    assert TAGS in driver.text
    assert copied(driver) == TAGS


@pytest.mark.parametrize("form", ["![x](ADDRESS)", '<img src="ADDRESS">', "![x][p]\n\n[p]: ADDRESS"])
def test_o55_a_picture_in_a_reply_makes_no_request(driver, fake_engine, monkeypatch, form):
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        listener.setblocking(False)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/p?d=1"
        force(driver, fake_engine, form.replace("ADDRESS", address))
        driver.window.grab()
        driver.qtbot.wait(100)
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert address in driver.text
    assert opened == []


def test_o56_a_fence_that_never_ends_ends_with_its_message(driver, fake_engine):
    force(driver, fake_engine, "```py\nx=1\n")
    (code,) = driver.tab.transcript.sections[1].blocks
    assert isinstance(code, CodeBlock)
    assert code.text(0, code.length) == "x=1"
    force(driver, fake_engine, "Some **bold** words")
    assert "Some bold words" in driver.text
    assert not any(isinstance(block, CodeBlock) for block in driver.tab.transcript.sections[3].blocks)


def test_o58_prices_stay_words_beside_a_formula(driver, fake_engine):
    fake_engine.ending = None
    heights = []
    fake_engine.script = deltas_of(PRICES)
    driver.type("How much?")
    for word in ("$5", "$10,", "$x^2$", "$HOME"):
        driver.wait_text(word)
        driver.tab.transcript.flush()
        heights.append(driver.tab.transcript.sections[-1].blocks[0].set_width(2000))
    assert len(set(heights)) == 1  # nothing jumps
    assert "It costs $5 and $10, but $x^2$ is maths and $HOME is not" in driver.text
    fake_engine.emit(Finished(fake_engine.submits[0].request_id, "stop"))
    spans = [span for piece in parse(PRICES).pieces if isinstance(piece, Text) for span in piece.spans]
    assert [span.text for span in spans if span.style.is_formula] == ["$x^2$"]
