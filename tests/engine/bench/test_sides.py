"""Both sides on the same tiny weights."""

from __future__ import annotations

import pytest

from engine.bench.mlx_lm_side import MlxLmSide, load_mlx_lm_tokenizer
from engine.bench.our_side import OurSide
from engine.bench.prompts import Chat
from engine.bench.session import bring
from engine.bench.tasks import TaskMaker, full_batches
from engine.command_line import BadInputError
from engine.depth import FullDepth
from engine.target import Target
from engine.text.tokenizer import load_tokenizer

CHATS = [Chat("one", ("The quick brown fox",)), Chat("two", ("abc abc", "again"))]
MAX_TOKENS = 24


class Sides:
    """One loaded model and both sides on it."""

    def __init__(self, folder, data_dir, max_tokens=MAX_TOKENS):
        self.tokenizer = load_tokenizer(folder)
        self.loaded = bring(str(folder), data_dir)
        self.theirs = MlxLmSide(
            self.loaded.model, load_mlx_lm_tokenizer(folder, self.tokenizer.end_ids), self.tokenizer.end_ids, max_tokens
        )
        self.max_tokens = max_tokens
        self.data_dir = data_dir
        self.told: list[str] = []
        self.target = Target(self.loaded.model, self.loaded.facts)

    def ours(self, drafter):
        return OurSide(self.target, drafter, self.max_tokens, self.data_dir, self.told.append)

    def tasks(self, chats=CHATS):
        maker = TaskMaker(
            self.tokenizer, self.loaded.facts, self.max_tokens, lambda task: self.theirs.stream([task]).replies[0]
        )
        return [task for chat in chats for task in maker.make(chat)]


@pytest.fixture
def sides(target, data_dir):
    return Sides(target, data_dir)


def test_both_sides_give_the_same_ids_alone_and_together(sides):
    tasks = sides.tasks()
    alone = tuple(sides.theirs.stream([task]).replies[0] for task in tasks)
    assert sides.theirs.batch(tasks).replies == alone
    for drafter in ("none", "ngram", "suffix"):
        ours = sides.ours(drafter)
        assert ours.run(tasks).replies == alone
        assert tuple(ours.run([task]).replies[0] for task in tasks) == alone


def test_a_later_question_stands_behind_the_reply_to_the_earlier(sides):
    _, first, second = sides.tasks()
    reply = sides.theirs.stream([first]).replies[0]
    assert second.name == "two/2"
    assert [turn.role for turn in second.turns] == ["user", "assistant", "user"]
    assert second.turns[1].token_ids == reply
    assert second.prompt_ids[: len(first.prompt_ids) + len(reply)] == (*first.prompt_ids, *reply)


def test_mlx_lm_speculates_with_a_draft_model(sides):
    task = sides.tasks()[0]
    run = sides.theirs.stream([task], draft_model=sides.loaded.model)
    assert run.replies == sides.theirs.stream([task]).replies


def test_an_end_token_counts_for_both_and_is_in_no_reply(eight_target, data_dir):
    sides = Sides(eight_target, data_dir, max_tokens=200)
    tasks = sides.tasks([Chat("x", ("abcde",))])
    theirs, together, ours = sides.theirs.stream(tasks), sides.theirs.batch(tasks), sides.ours("none").run(tasks)
    assert theirs.replies == together.replies == ours.replies
    assert len(ours.replies[0]) < 200
    for run in (theirs, together, ours):
        assert sum(delivery.num_tokens for delivery in run.deliveries) == len(run.replies[0]) + 1


def test_a_repeat_is_not_helped_by_the_reply_before_it(looping_target, data_dir):
    sides = Sides(looping_target, data_dir)
    sides.target.depth = FullDepth()  # a measured one follows what forwards take just then
    tasks = sides.tasks(CHATS[:1])
    ours = sides.ours("suffix")
    first, second = (ours.run(tasks).statistics[0] for _ in range(2))
    assert second.num_accepted == first.num_accepted


def test_a_prompt_without_room_for_its_reply_is_refused(sides):
    with pytest.raises(BadInputError, match=r"prompt 'long' needs .* context holds 512"):
        sides.tasks([Chat("long", ("word " * 100,))])


def test_batches_are_full():
    assert full_batches("abcde", 2) == [("a", "b"), ("c", "d")]
    assert full_batches("abc", 4) == []
