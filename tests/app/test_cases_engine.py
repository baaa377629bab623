"""Cases on whole chats, in a real window over the real engine with a tiny random target."""

import json
import time

import pytest

from app.conversations.records import Conversation, Message, ReplyState
from engine.thread import EngineThread
from tests.engine.text.small_tokenizers import NO_SYSTEM, STRICT
from tests.engine.tiny import tiny_folder

CONTEXT = 96  # tokens; a letter is one, and a random reply goes on to the end


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return tiny_folder(tmp_path_factory.mktemp("models") / "tiny", max_position_embeddings=CONTEXT)


@pytest.fixture
def folder(tiny, tmp_path):
    """The target of this test, which may be changed."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    for path in tiny.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture
def target(folder):
    return str(folder)


@pytest.fixture
def fake_engine(data_dir):
    """No fake."""
    return EngineThread(data_dir)


@pytest.fixture
def use_template(folder):
    def use(template):
        path = folder / "tokenizer_config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"chat_template": template}))

    return use


def say(driver, text):
    """Send a message and wait for its reply."""
    num_messages = len(driver.tab.session.messages) + 2
    driver.type(text)
    driver.wait_idle(num_messages)
    return driver.tab.session.messages[-1]


def test_o08_a_chat_with_a_system_prompt_goes_on_where_the_template_has_none(use_template, make_driver, ask):
    use_template(NO_SYSTEM)
    ask(lambda store: store.create_conversation(Conversation("c", "Brief", "m", "none", 1.0, 1.0)))
    ask(lambda store: store.add_message(Message("s", "c", None, "system", "Be brief.")))
    driver = make_driver()
    driver.window.workspace.open_chat("c")
    driver.wait(lambda: driver.tab.session.conversation_id == "c")
    reply = say(driver, "Why?")
    assert reply.text
    assert any("no system prompt" in notice for notice in reply.notices)


def test_o09_a_stop_before_the_first_token_does_not_block_a_strict_template(use_template, driver):
    use_template(STRICT)
    driver.type("One")
    driver.wait(lambda: driver.tab.session.running is not None)
    driver.tab.stop()
    driver.wait_idle()
    stopped = driver.tab.session.messages[-1]
    assert (stopped.text, stopped.state) == ("", ReplyState.STOPPED)
    assert say(driver, "Two").text


def test_o18_a_prompt_beyond_the_context_is_counted_and_refused_and_other_tabs_go_on(driver):
    driver.type("A")
    other = driver.tab.session
    driver.wait(lambda: other.is_busy)
    driver.window.workspace.new_tab()
    driver.type("x" * 600)
    driver.wait(lambda: bool(driver.tab.composer.limit.text))
    said = driver.tab.composer.limit.text.replace("\u00a0", " ")
    assert f"tokens; the context holds {CONTEXT}." in said
    assert driver.tab.is_empty
    assert driver.tab.composer.draft.text == "x" * 600
    driver.wait(lambda: not other.is_busy)
    assert other.messages[-1].text


def test_o38_a_reply_written_again_computes_one_position_and_says_the_same(driver):
    first = say(driver, "Why?")
    driver.run(driver.tab.session.regenerate(first.id))
    driver.wait_idle()
    again = driver.tab.session.messages[-1]
    assert again.id != first.id
    assert again.text == first.text
    assert again.statistics.num_prompt - again.statistics.num_cached == 1


def test_o42_a_clock_that_is_set_back_in_mid_reply_upsets_nothing(driver, monkeypatch):
    driver.type("One")
    driver.wait(lambda: driver.tab.session.running is not None and driver.tab.session.running.text)
    now = time.time
    monkeypatch.setattr("time.time", lambda: now() - 3600)
    driver.wait_idle()
    statistics = driver.tab.session.messages[-1].statistics
    assert 0 < statistics.tokens_per_second < 1e6
    assert 0 < statistics.time_to_first_token_seconds < 60
    driver.window.workspace.new_tab()
    say(driver, "Two")
    listing = driver.window.catalogue.conversations
    assert [chat.title for chat in listing] == ["Two", "One"]
    driver.window.workspace.row.bar.setCurrentIndex(0)
    driver.run(driver.tab.session.regenerate(driver.tab.session.messages[0].id))
    driver.wait_idle()
    assert driver.tab.session.messages[-1].statistics.num_cached > 0
