"""Native MTP in the whole engine: no token changes, and heads that know the next token are always right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from engine.depth import Decision, FullDepth
from engine.messages import Failed, Submit, Turn
from engine.taps import Taps
from tests.engine.drafters.mtp.counting import LETTERS, counting_head, counting_target
from tests.engine.drafters.tiny_mtp import MTP_TARGETS, tiny_mtp
from tests.engine.harness import Harness, submit
from tests.engine.restarts import Chat
from tests.engine.tiny import tiny_folder

TEXTS = ("The quick brown fox", "x", "one two three one two three one two", "aaaa")
SAMPLING = ({}, {"temperature": 0.8, "seed": 7})


@pytest.fixture(scope="module", params=["deepseek_v3", "glm4_moe", "glm_moe_dsa", "qwen3_5", "qwen3_next"])
def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("targets") / request.param
    return tiny_folder(folder, request.param, **MTP_TARGETS[request.param])


def test_drafted_in_a_batch_equals_undrafted_alone(engine, target, alone, tmp_path):
    drafter = f"mtp:{tiny_mtp(tmp_path / 'head', target)}"
    for index, text in enumerate(TEXTS):
        engine.send(submit(index, target, text, drafter=drafter, max_tokens=12 + 8 * index, **SAMPLING[index % 2]))
        engine.step(2)
    engine.run()
    for index, text in enumerate(TEXTS):
        assert engine.ids_of(index) == alone(text, target, max_tokens=12 + 8 * index, **SAMPLING[index % 2])
    assert engine.statistics_of(3).num_proposed > 20
    assert engine.most_rows_of(2) > 1


@pytest.fixture(scope="module", params=["glm4_moe", "glm_moe_dsa", "qwen3_5"])
def counting(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return counting_target(tmp_path_factory.mktemp("counting") / request.param, request.param)


def count(request_id: int, target: Path, drafter: str, start: str, max_tokens: int = 40) -> Submit:
    """Go on with a reply of two letters, so that what follows the pending one is known from the one before, too."""
    return submit(
        request_id, target, "x", drafter=drafter, later=(Turn("assistant", start),), chat=start, max_tokens=max_tokens
    )


def share_accepted(engine: Harness, request_id: int) -> float:
    statistics = engine.statistics_of(request_id)
    assert statistics.num_proposed > 8
    return statistics.num_accepted / statistics.num_proposed


@pytest.mark.parametrize("reads", ["token", "hidden"])
def test_head_that_knows_the_next_token_is_always_right(engine, counting, tmp_path, reads):
    drafter = f"mtp:{counting_head(tmp_path / 'head', counting, reads)}"
    engine.send(count(9, counting, drafter, "ab"))
    engine.run()
    starts = ("ab", "mn", "yz", "KL")
    engine.send(*(count(index, counting, drafter, start, 19 + 7 * index) for index, start in enumerate(starts)))
    engine.step_until(lambda: len(engine.ids_of(3)) > 0)
    engine.send(count(4, counting, drafter, "gh"))  # joins while the others leave one after the other
    engine.run()
    assert [share_accepted(engine, request_id) for request_id in (9, 0, 1, 2, 3, 4)] == [1.0] * 6
    assert engine.text_of(9) == LETTERS[2:42]
    assert engine.statistics_of(9).tokens_per_forward == 5.0
    assert engine.most_rows_of(0) >= 4
    assert engine.most_rows_of(4) > 1


def test_rows_of_other_drafters_are_read_beside_those_of_the_head(engine, counting, tmp_path):
    drafter = f"mtp:{counting_head(tmp_path / 'head', counting, 'hidden')}"
    for index, name in enumerate(("none", drafter, "ngram", drafter)):
        engine.send(count(index, counting, name, LETTERS[index : index + 2]))
    engine.run()
    assert [engine.text_of(index) for index in range(4)] == [LETTERS[2 + index : 42 + index] for index in range(4)]
    assert [share_accepted(engine, index) for index in (1, 3)] == [1.0] * 2
    assert engine.most_rows_of(1) == 4


class Parked(FullDepth):
    """Lets plain rounds start ahead until so many tokens are written, then drafts as far as can be."""

    num_rounds = 0

    def plan(self, rows, where):
        self.num_rounds += 1
        return [0] * len(rows) if self.num_rounds < 25 else super().plan(rows, where)

    def decide(self, rows, known, where):
        if self.num_rounds < 25:
            return Decision((0,) * len(rows), ("parked",) * len(rows), runs_ahead=True)
        return super().decide(rows, known, where)


def test_rounds_that_run_ahead_leave_the_head_in_step(counting, data_dir, tmp_path):
    engine = Harness(data_dir, Parked())
    drafter = f"mtp:{counting_head(tmp_path / 'head', counting, 'hidden')}"
    engine.send(count(1, counting, drafter, "ab"))
    engine.run()
    assert engine.text_of(1) == LETTERS[2:42]
    assert share_accepted(engine, 1) == 1.0
    assert engine.statistics_of(1).tokens_per_forward < 2


def share_of(engine: Harness, target: Path, head: Path) -> float:
    engine.send(count(1, target, f"mtp:{head}", "ab"))
    engine.run()
    assert engine.text_of(1) == LETTERS[2:42]
    return share_accepted(engine, 1)


@pytest.mark.parametrize("model_type", ["glm4_moe", "qwen3_5"])
def test_head_may_lie_in_the_folder_of_the_target(engine, tmp_path, model_type):
    target = counting_target(tmp_path / model_type, model_type)
    assert share_of(engine, target, counting_head(target, target, "token")) == 1.0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"num_hidden_layers": 4}, "trained for a target of 2 layers, and this model has 4"),
        ({"hidden_size": 64}, "reads a hidden size of 32, and this model's is 64"),
        ({"letters": "abc"}, "knows 259 tokens, and this model has 6"),
    ],
)
def test_head_of_another_model_is_refused_before_it_is_read(engine, tmp_path, changes, words):
    head = tiny_mtp(tmp_path / "head", tiny_folder(tmp_path / "first", "glm4_moe"))
    engine.send(submit(1, tiny_folder(tmp_path / "other", "glm4_moe", **changes), "x", drafter=f"mtp:{head}"))
    engine.run()
    end = engine.end_of(1)
    assert isinstance(end, Failed)
    assert words in end.text


@pytest.mark.parametrize("wrong", ["before the norm", "of the token before"])
def test_hidden_states_that_are_not_the_right_ones_are_noticed(engine, counting, tmp_path, monkeypatch, wrong):
    run = Taps.run

    def run_wrong(taps, token_ids, cache, layers):
        if wrong == "before the norm":
            return run(taps, token_ids, cache, (-1,))  # the embedding, to which its layers add nothing
        logits, hidden = run(taps, token_ids, cache, layers)
        return logits, mx.roll(hidden, 1, axis=1)

    monkeypatch.setattr(Taps, "run", run_wrong)
    assert share_of(engine, counting, counting_head(tmp_path / "head", counting, "hidden")) < 0.2


def continued(target: Path, data_dir: Path, cache_dir: Path, first: str, second: str) -> Harness:
    """A reply of 20 letters with one drafter, gone on with by another after a restart."""
    chat = Chat(target, data_dir, cache_dir, first)
    stopped = chat.start()
    stopped.send(chat.request("x", max_tokens=20))
    stopped.run()
    half = chat.reply(stopped)
    stopped.close()
    again = replace(chat, drafter=second).start()
    again.send(replace(chat.request("x", later=(half,), max_tokens=20), drafter=second))
    again.run()
    assert again.statistics_of(1).num_cached == again.statistics_of(1).num_prompt - 1
    again.close()
    return again


def test_reply_that_is_gone_on_with_after_a_restart_is_drafted_from_its_first_token_on(counting, data_dir, tmp_path):
    drafter = f"mtp:{counting_head(tmp_path / 'head', counting, 'hidden')}"
    engine = continued(counting, data_dir, tmp_path / "cache", drafter, drafter)
    assert share_accepted(engine, 1) == 1.0
    assert engine.statistics_of(1).tokens_per_forward == 5.0


@pytest.mark.usefixtures("no_rereading")
def test_head_that_comes_late_drafts_from_the_second_round_on(counting, data_dir, tmp_path):
    drafter = f"mtp:{counting_head(tmp_path / 'head', counting, 'hidden')}"
    engine = continued(counting, data_dir, tmp_path / "cache", "none", drafter)
    assert share_accepted(engine, 1) == 1.0
    assert engine.statistics_of(1).tokens_per_forward == 4.0  # one token, then as many as the others


@pytest.mark.parametrize("model_type", ["deepseek_v3", "glm_moe_dsa", "qwen3_next"])
def test_chat_that_is_restarted_each_turn_equals_one_read_anew(data_dir, tmp_path, model_type):
    target = tiny_folder(tmp_path / model_type, model_type, **MTP_TARGETS[model_type])
    drafter = f"mtp:{tiny_mtp(tmp_path / 'head', target)}"
    cached, plain = Chat(target, data_dir, tmp_path / "cache", drafter), Chat(target, data_dir, None)
    for question in ("one two three one two three", "and then?"):
        assert cached.ask(question).ids_of(1) == plain.ask(question).ids_of(1)
