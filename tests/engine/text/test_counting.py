"""What to leave out of a chat that is too long: as little as can be, and whole turns."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.messages import CountTokens, TokenCount, Turn
from engine.text.counting import LEAST_REPLY, num_left_out
from engine.text.desk import TextDesk
from tests.engine.tiny import tiny_folder

SYSTEM, USER, REPLY = "system", "user", "assistant"
CONTEXT = 1024  # a quarter of it is 256


def chat(*roles: str, size: int = 100) -> list[Turn]:
    return [Turn(role, "x" * size) for role in roles]


def length(turns: Sequence[Turn]) -> int:
    return sum(len(turn.text) for turn in turns)


@pytest.mark.parametrize(
    ("turns", "left_out"),
    [
        (chat(*[USER, REPLY] * 6, USER), 6),  # 700 of 768 tokens stay
        (chat(SYSTEM, *[USER, REPLY] * 6, USER), 8),  # with the system turn 800 would stay
        (chat(SYSTEM, SYSTEM, USER, REPLY, USER, size=300), 0),
        (chat(SYSTEM, USER, REPLY, USER, size=300), 2),
        (chat(USER, REPLY, REPLY, USER, USER, REPLY, USER, size=195), 4),
        (chat(USER, REPLY, USER, REPLY, size=350), 2),  # the reply is continued
        (chat(USER, size=1100), 0),
        (chat(USER, REPLY, USER, size=800), 0),
        (chat(REPLY, USER, size=700), 1),
        ([], 0),
    ],
)
def test_the_fewest_whole_turns_are_left_out(turns: list[Turn], left_out: int) -> None:
    assert num_left_out(turns, CONTEXT, length(turns), length) == left_out
    if left_out:
        first = sum(turn.role == SYSTEM for turn in turns)
        assert turns[first + left_out].role == USER
        assert length([*turns[:first], *turns[first + left_out :]]) + LEAST_REPLY <= CONTEXT


def test_a_short_context_leaves_a_quarter_for_the_reply() -> None:
    assert num_left_out(chat(USER, REPLY, USER, REPLY, USER, size=20), 80, 100, length) == 2


def test_turns_are_counted_a_few_times_only() -> None:
    asked: list[int] = []
    turns = chat(*[USER, REPLY] * 500, USER)
    found = num_left_out(turns, CONTEXT, length(turns), lambda kept: asked.append(len(kept)) or length(kept))
    assert (found, len(asked) <= 6) == (994, True)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_texts_weigh_no_fewer_turns_would_do(seed: int) -> None:
    generator = random.Random(seed)
    turns = [Turn(role, "x" * generator.choice([1, 30, 400])) for role in [USER, REPLY] * 40 + [USER]]

    def weigh(kept: Sequence[Turn]) -> int:
        return sum(len(turn.text) if len(turn.text) < 400 else 10 for turn in kept)  # some texts have few tokens

    found = num_left_out(turns, CONTEXT, weigh(turns), weigh)
    assert weigh(turns[found:]) + LEAST_REPLY <= CONTEXT < weigh(turns[found - 2 :]) + LEAST_REPLY


def test_o18_a_chat_that_is_too_long_is_told_what_to_leave_out(data_dir: Path, tmp_path: Path) -> None:
    folder = tiny_folder(tmp_path / "tiny")
    desk = TextDesk(data_dir)

    def counted(*turns: Turn) -> TokenCount:
        answer = desk.answer(CountTokens(1, str(folder), turns))
        assert isinstance(answer.value, TokenCount)
        return answer.value

    turns = (Turn(SYSTEM, "Be brief."), *chat(*[USER, REPLY] * 4, USER, size=60))
    whole = counted(*turns)
    assert (whole.num_tokens > whole.context_length, whole.num_left_out % 2) == (True, 0)
    rest = counted(turns[0], *turns[1 + whole.num_left_out :])
    more = counted(turns[0], *turns[1 + whole.num_left_out - 2 :])
    assert rest.num_tokens <= rest.context_length - rest.context_length // 4 < more.num_tokens
    assert rest.num_left_out == 0
