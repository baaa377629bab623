"""Many replies at once are those that the target writes alone."""

from __future__ import annotations

import pytest

from engine.training.writing import Writing, in_batches, write_batch
from tests.engine.harness import submit

TEXTS = ("a", "tell me a longer story about b", "c d e f g h " * 30, "hello")


@pytest.fixture
def writings(chat):
    return [Writing(chat.prompt([text])) for text in TEXTS]


def test_greedy_replies_of_a_batch_are_those_of_each_alone(teacher_target, chat, writings):
    together = write_batch(teacher_target, writings, max_tokens=40, end_ids=chat.end_ids, seed=0)
    alone = [
        write_batch(teacher_target, [writing], max_tokens=40, end_ids=chat.end_ids, seed=0)[0] for writing in writings
    ]
    assert together == alone


def test_reply_is_the_engines_own(teacher_target, chat, looping_target, engine):
    writing = Writing(chat.prompt(["tell me more"]))
    (written,) = write_batch(teacher_target, [writing], max_tokens=30, end_ids=chat.end_ids, seed=0)
    engine.send(submit(1, looping_target, "tell me more", max_tokens=30))
    engine.run()
    assert [token_id for token_id in written if token_id not in chat.end_ids] == engine.ids_of(1)


def test_nothing_is_written_after_an_end(teacher_target, chat, writings):
    replies = write_batch(teacher_target, writings, max_tokens=60, end_ids=range(0, 400, 3), seed=0)
    for reply in replies:
        assert not any(token_id % 3 == 0 for token_id in reply[:-1])
        assert len(reply) == 60 or reply[-1] % 3 == 0


def test_sampled_replies_repeat_with_their_seed(teacher_target, chat):
    def write(seed):
        writings = [Writing(chat.prompt(["go"]), 1.0)] * 4
        return write_batch(teacher_target, writings, max_tokens=20, end_ids=(), seed=seed)

    assert write(1) == write(1)
    assert write(1) != write(2)
    assert len({tuple(reply) for reply in write(1)}) == 4


def test_batches_hold_every_sequence_once_and_the_longest_first(writings):
    batches = list(in_batches(writings, 3))
    assert sorted(index for batch in batches for index in batch) == [0, 1, 2, 3]
    assert batches[0][0] == 2
