"""What a draft would cost: one question at a time, and the newest wins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.chat.composer import Composer
from app.chat.composer_cost import parts_of, words_of
from app.chat.counting import Cost, Counting
from app.chat.draft import Draft
from app.conversations.records import Attachment
from app.conversations.reply_plan import ReplyPlan
from engine.messages import Answer, Cancel, CountTokens, Failed, TokenCount, Turn
from tests.app.fake_engine import FakeEngine

NOTES = Attachment("notes.md", "x" * 40)
PLAN = ReplyPlan("/models/tiny", "ngram")
EARLIER = Turn("user", "y" * 100)


@dataclass
class Chat:
    """A chat with one message before the draft."""

    plan: ReplyPlan = PLAN
    switches: tuple[tuple[str, str], ...] = ()
    began_at: float = 7.0
    before: tuple[Turn, ...] = field(default=(EARLIER,))

    def turns_for(self, draft: Draft) -> tuple[Turn, ...]:
        text = "".join(attachment.text for attachment in draft.attachments) + draft.text
        return (*self.before, Turn("user", text)) if draft else self.before


def count_characters(question: CountTokens) -> TokenCount:
    num_tokens = sum(len(turn.text) for turn in question.turns)
    return TokenCount(num_tokens, 1000, min(num_tokens, 100), 2 if num_tokens >= 1000 else 0)


def questions(fake_engine: FakeEngine) -> list[CountTokens]:
    return [command for command in fake_engine.commands if isinstance(command, CountTokens)]


@pytest.fixture
def chat() -> Chat:
    return Chat()


@pytest.fixture
def counting(composer: Composer, bridge: EngineBridge, chat: Chat) -> Counting:
    counting = Counting(bridge, chat, lambda: composer.draft, composer)
    composer.set_counting(counting)
    return counting


@pytest.fixture
def shows(composer: Composer, qtbot: QtBot) -> Callable[[str], None]:
    return lambda words: qtbot.waitUntil(lambda: composer.foot.cost.words == words)


def test_the_cost_is_shown_shortly_after_typing_and_the_meter_in_an_empty_field(
    composer: Composer, counting: Counting, fake_engine: FakeEngine, qtbot: QtBot, shows: Callable[[str], None]
) -> None:
    fake_engine.count = count_characters
    counting.refresh()
    shows("100 of 1,000\u00a0tokens")
    qtbot.keyClicks(composer.field, "sixteen letters!")
    shows("16\u00a0tokens to read, 100 cached")
    assert {question.began_at for question in questions(fake_engine)} == {7.0}
    assert len(questions(fake_engine)) == 2


def test_question_on_an_older_draft_is_taken_back_and_the_newest_is_told(
    composer: Composer, counting: Counting, fake_engine: FakeEngine, qtbot: QtBot, shows: Callable[[str], None]
) -> None:
    for text in ("a", "ab", "abc"):
        composer.field.setPlainText(text)
        counting.count_now()
    first, second, third = questions(fake_engine)
    assert [question.turns[-1].text for question in (first, second, third)] == ["a", "ab", "abc"]
    taken_back = [command.request_id for command in fake_engine.commands if isinstance(command, Cancel)]
    assert taken_back == [first.request_id, second.request_id]
    fake_engine.emit(Answer(first.request_id, TokenCount(999, 1000)))
    fake_engine.emit(Answer(third.request_id, TokenCount(103, 1000, 100)))
    shows("3\u00a0tokens to read, 100 cached")


def test_chips_show_their_tokens_and_the_tooltip_what_the_prompt_consists_of(
    composer: Composer, counting: Counting, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    fake_engine.count = count_characters
    composer.put_back(Draft("hello", (NOTES,)))
    (chip,) = composer.attachments.chips
    qtbot.waitUntil(lambda: chip.accessibleName() == "Show notes.md 39\u00a0tokens")
    said = composer.foot.cost.accessibleDescription().replace("\u00a0", " ").split("\n")
    assert said == [
        "Chat: 100 tokens",
        "This message: 6 tokens",
        "notes.md: about 39 tokens",
        "Room for the reply: 855 tokens",
    ]


def test_the_system_prompt_is_told_apart_from_the_chat(
    composer: Composer, counting: Counting, chat: Chat, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    fake_engine.count = count_characters
    chat.plan = replace(PLAN, system_prompt="s" * 41, context_length=500)
    chat.before = (Turn("system", "s" * 41), EARLIER)
    composer.field.setPlainText("z" * 6)
    qtbot.waitUntil(lambda: "System prompt" in composer.foot.cost.accessibleDescription())
    said = composer.foot.cost.accessibleDescription().replace("\u00a0", " ").split("\n")
    assert said[:3] == ["System prompt: about 40 tokens", "Chat: 101 tokens", "This message: 6 tokens"]
    assert {question.context_length for question in questions(fake_engine)} == {500}


def test_a_prompt_that_is_too_long_is_refused_with_its_count_and_an_offer(
    composer: Composer, sent: list[Draft], counting: Counting, chat: Chat, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    fake_engine.count = count_characters
    composer.field.setPlainText("z" * 950)
    qtbot.waitUntil(lambda: bool(composer.limit.text))
    said = composer.limit.text.replace("\u00a0", " ")
    assert said == "The prompt has 1,050 tokens; the context holds 1,000. Remove 51 tokens."
    assert not composer.foot.send_button.isEnabled()
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == []
    with qtbot.waitSignal(composer.leave_out_asked) as asked:
        qtbot.mouseClick(composer.limit.button, Qt.MouseButton.LeftButton)
    assert asked.args == [2]
    chat.before = ()
    counting.refresh()
    qtbot.waitUntil(composer.foot.send_button.isEnabled)
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == [Draft("z" * 950)]


def test_a_refusal_goes_once_the_prompt_fits(
    composer: Composer, counting: Counting, chat: Chat, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    fake_engine.count = lambda question: replace(count_characters(question), num_left_out=0)
    composer.field.setPlainText("z" * 950)
    qtbot.waitUntil(composer.limit.isVisible)
    assert composer.limit.button.isHidden()
    composer.field.setPlainText("z")
    qtbot.waitUntil(composer.limit.isHidden)


@pytest.mark.parametrize("num_letters", [860, 950])
def test_a_long_draft_is_counted_before_it_goes(
    composer: Composer, sent: list[Draft], counting: Counting, fake_engine: FakeEngine, qtbot: QtBot, num_letters: int
) -> None:
    fake_engine.count = count_characters
    counting.refresh()
    qtbot.waitUntil(lambda: bool(composer.foot.cost.words))
    composer.field.setPlainText("z" * num_letters)
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == []
    qtbot.waitUntil(lambda: bool(sent) or bool(composer.limit.text))
    assert sent == ([Draft("z" * 860)] if num_letters == 860 else [])


def test_a_draft_that_cannot_be_counted_is_for_the_engine_to_judge(
    composer: Composer, sent: list[Draft], counting: Counting, fake_engine: FakeEngine, qtbot: QtBot
) -> None:
    composer.field.setPlainText("z" * 9000)
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == []
    fake_engine.emit(Failed(questions(fake_engine)[0].request_id, "template", "line 12"))
    qtbot.waitUntil(lambda: bool(sent))


def test_a_short_draft_never_waits(composer: Composer, sent: list[Draft], counting: Counting, qtbot: QtBot) -> None:
    qtbot.keyClicks(composer.field, "hi")
    qtbot.keyClick(composer.field, Qt.Key.Key_Return)
    assert sent == [Draft("hi")]


@pytest.mark.parametrize(
    ("count", "text", "words"),
    [
        (TokenCount(2396, 32768, 2380), "hi", "16 tokens to read, 2,380 cached"),
        (TokenCount(1, 32768, 0), "hi", "1 token to read"),
        (TokenCount(2396, 32768), "hi", "2,396 tokens to read"),
        (TokenCount(8020, 32768, 8020), "", "8,020 of 32,768 tokens"),
        (TokenCount(30_000, 32_768, 0), "hi", "30,000 of 32,768 tokens"),
    ],
)
def test_words_of_a_cost(count: TokenCount, text: str, words: str) -> None:
    assert words_of(Cost(Draft(text), count)).replace("\u00a0", " ") == words


def test_many_attachments_are_summed_up_in_the_tooltip() -> None:
    files = tuple((Attachment(f"{number}.txt", "x"), 10) for number in range(11))
    cost = Cost(Draft("", tuple(one for one, _ in files)), TokenCount(120, 1000), 5, files)
    assert [part.replace("\u00a0", " ") for part in parts_of(cost)][-2:] == [
        "3 more files: about 30 tokens",
        "Room for the reply: 880 tokens",
    ]
