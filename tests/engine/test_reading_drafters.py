"""Drafters that read their target: each kind, on full, window and recurrent targets, keeps the four equalities."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace

import mlx.core as mx
import pytest

from engine.checkpoints import Restored
from engine.drafters.base import DrafterState
from engine.messages import Cancel, Submit
from engine.row import Row
from tests.engine.drafters.reading import PAIRS, Pair, tiny_pair
from tests.engine.harness import Harness, submit
from tests.engine.restarts import Chat

TEXTS = (
    "aaaa bbbb aaaa bbbb",
    "The quick brown fox jumps over the lazy dog",
    "x",
    "one two three one two three one two",
)
SAMPLINGS = ({"temperature": 0.0}, {"temperature": 0.8, "seed": 7}, {"temperature": 1.3, "seed": 11})
QUESTIONS = ("one two three one two three", "and then?", "The quick brown fox jumps over the lazy dog. " * 3)


@pytest.fixture(scope="module", params=PAIRS, ids="-".join)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return tiny_pair(tmp_path_factory.mktemp("pairs"), *request.param)


@pytest.fixture(scope="module")
def plain(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[int]]:
    """What the pair's target writes alone and undrafted."""
    data_dir = tmp_path_factory.mktemp("plain")

    def generate(text: str, **options: object) -> list[int]:
        engine = Harness(data_dir)
        engine.send(submit(1, pair.target, text, **options))  # type: ignore[arg-type]
        engine.run()
        return engine.ids_of(1)

    return generate


def requests(pair: Pair) -> list[Submit]:
    """All texts, each with its own way of sampling and its own limit."""
    return [
        submit(index, pair.target, text, drafter=pair.name, max_tokens=24 + 9 * index, **SAMPLINGS[index % 3])  # type: ignore[arg-type]
        for index, text in enumerate(TEXTS)
    ]


def test_kind_of_a_folder_is_found_out(engine, pair):
    engine.send(submit(1, pair.target, TEXTS[1], drafter=f"auto:{pair.drafter}", max_tokens=8))
    engine.run()
    assert engine.statistics_of(1).num_proposed > 0


def test_drafted_and_batched_equals_undrafted_and_alone(engine, pair, plain):
    for request in requests(pair):
        engine.send(request)
        engine.step(2)
    engine.run()
    for index, text in enumerate(TEXTS):
        assert engine.ids_of(index) == plain(text, max_tokens=24 + 9 * index, **SAMPLINGS[index % 3])
        assert engine.statistics_of(index).num_proposed > 0
    assert engine.most_rows_of(0) > 2


def test_cancelled_neighbour_equals_no_neighbour(engine, pair, plain):
    engine.send(*requests(pair))
    engine.step_until(lambda: len(engine.ids_of(1)) > 4)
    engine.send(Cancel(1))
    engine.run()
    assert engine.reason_of(1) == "cancelled"
    for index in (0, 2, 3):
        assert engine.ids_of(index) == plain(TEXTS[index], max_tokens=24 + 9 * index, **SAMPLINGS[index % 3])


def test_chat_that_is_restarted_each_turn_equals_one_read_anew(pair, data_dir, tmp_path):
    cached, anew = Chat(pair.target, data_dir, tmp_path / "cache", pair.name), Chat(pair.target, data_dir, None)
    for index, question in enumerate(QUESTIONS):
        restored, recomputed = cached.ask(question), anew.ask(question)
        assert restored.ids_of(1) == recomputed.ids_of(1)
        assert (restored.statistics_of(1).num_cached > 0) == (index > 0)


def test_restored_reply_proposes_what_the_uninterrupted_one_does(pair, data_dir, tmp_path):
    whole = Harness(data_dir)
    whole.send(submit(1, pair.target, TEXTS[1], drafter=pair.name))
    whole.run()
    chat = Chat(pair.target, data_dir, tmp_path / "cache", pair.name)
    stopped = chat.start()
    stopped.send(chat.request(TEXTS[1]))
    stopped.step_until(lambda: len(stopped.ids_of(1)) >= 9)
    stopped.send(Cancel(1))
    stopped.run()
    half = chat.reply(stopped)
    stopped.close()
    again = chat.start()
    again.send(chat.request(TEXTS[1], later=(half,), max_tokens=40 - len(half.token_ids)))
    again.run()
    assert [*half.token_ids, *again.ids_of(1)] == whole.ids_of(1)
    first, rest, all_of_it = (engine.statistics_of(1) for engine in (stopped, again, whole))
    assert rest.num_cached == rest.num_prompt - 1
    assert first.num_accepted + rest.num_accepted == all_of_it.num_accepted


def test_chat_whose_replies_are_shortened_goes_on_with_what_its_drafter_has_read(pair, data_dir, tmp_path, monkeypatch):
    restored: list[tuple[int, int]] = []
    drafter_state = Restored.drafter_state

    def seen(found: Restored, row: Row) -> DrafterState:
        state = drafter_state(found, row)
        restored.append((state.num_tokens, state.covered.num_tokens if state.covered else 0))
        return state

    monkeypatch.setattr(Restored, "drafter_state", seen)
    chat = Chat(pair.target, data_dir, tmp_path / "cache", pair.name)
    for question in QUESTIONS:
        chat.ask(question)
        chat.turns[-1] = replace(chat.turns[-1], text="x", token_ids=())  # as templates leave out what was thought
    assert len(restored) == len(QUESTIONS) - 1
    assert all(covered == num_tokens > 0 for num_tokens, covered in restored)


def test_drafter_that_is_chosen_soon_reads_the_chat_from_its_beginning(pair, data_dir, tmp_path):
    chat = Chat(pair.target, data_dir, tmp_path / "cache")
    chat.ask(QUESTIONS[0])
    chat.drafter = pair.name
    assert chat.ask(QUESTIONS[1]).statistics_of(1).num_cached == 0
    statistics = chat.ask(QUESTIONS[1]).statistics_of(1)
    assert statistics.num_cached == statistics.num_prompt - statistics.num_read > 60


@pytest.mark.usefixtures("no_rereading")
def test_drafter_that_is_chosen_late_begins_at_the_restored_token(pair, data_dir, tmp_path):
    chat = Chat(pair.target, data_dir, tmp_path / "cache")
    chat.ask(QUESTIONS[0])
    chat.drafter = pair.name
    anew = Chat(pair.target, data_dir, None)
    anew.ask(QUESTIONS[0])
    drafted = chat.ask(QUESTIONS[2])
    assert drafted.ids_of(1) == anew.ask(QUESTIONS[2]).ids_of(1)
    statistics = drafted.statistics_of(1)
    assert statistics.num_cached > 0
    assert statistics.num_proposed > 0


def test_memory_returns_after_the_drafter_is_gone(pair, data_dir):
    def run(drafter: str) -> int:
        engine = Harness(data_dir)
        engine.send(submit(1, pair.target, TEXTS[1], drafter=drafter, max_tokens=12))
        engine.run()
        del engine
        gc.collect()
        mx.clear_cache()
        return mx.get_active_memory()

    run(pair.name)
    before = run("none")
    assert run(pair.name) <= before


def test_rows_without_a_drafter_share_the_batch(engine, pair, plain):
    names = (pair.name, "none", "ngram", pair.name)
    engine.send(*(submit(i, pair.target, text, drafter=names[i]) for i, text in enumerate(TEXTS)))
    engine.run()
    assert [engine.ids_of(i) for i in range(4)] == [plain(text) for text in TEXTS]
    assert engine.most_rows_of(1) == 4
