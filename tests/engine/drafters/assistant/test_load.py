"""Assistants in the engine: how often they are right, what loading one takes, and who is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import mlx.core as mx
import pytest

from engine.costs import Place
from engine.depth import Candidate, Decision, FullDepth
from engine.drafters.assistant.rows import CHAIN_KIND, AssistantRows
from engine.drafters.base import DraftRow, Known, Proposals
from engine.messages import Cancel, Failed, LoadModel, Progress
from engine.sampling import Choice
from engine.target import Target
from tests.engine.drafters.assistant.cycling import cycling_assistant, cycling_target
from tests.engine.drafters.assistant.driving import Pair, draft_alone
from tests.engine.drafters.assistant.goldens import load_module
from tests.engine.drafters.tiny_assistant import tiny_assistant
from tests.engine.harness import Harness, submit
from tests.engine.restarts import LONG, Chat
from tests.engine.tiny import tiny_folder

TEXTS = ("The quick brown fox", "one two three", "x", "aaaa bbbb aaaa bbbb")
LIMITS = (37, 12, 48, 25)


@pytest.fixture(scope="module")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder(tmp_path_factory.mktemp("models") / "gemma", "gemma4_text")


@pytest.fixture(scope="module")
def cycling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cycling_target(tmp_path_factory.mktemp("models") / "cycling")


@pytest.fixture(scope="module")
def knowing(cycling: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Names of assistants that know what follows, by what they read."""
    folder = tmp_path_factory.mktemp("assistants")
    return {
        reads: f"assistant:{cycling_assistant(folder / reads, cycling, reads=reads)}" for reads in ("token", "hidden")
    }


@pytest.fixture
def named(gemma: Path, tmp_path: Path) -> Callable[..., str]:
    """The name of a tiny assistant with these options."""

    def write(**options: int) -> str:
        return f"assistant:{tiny_assistant(tmp_path / 'assistant', gemma, **options)}"

    return write


def failure(engine: Harness, request_id: int) -> Failed:
    end = engine.end_of(request_id)
    assert isinstance(end, Failed)
    return end


def send_all(engine: Harness, target: Path, drafter: str, *, is_alone: bool = False, **rules: object) -> None:
    """Four rows that join while others run and leave at unequal times, or each of them for itself."""
    for request_id, (text, limit) in enumerate(zip(TEXTS, LIMITS, strict=True)):
        engine.send(submit(request_id, target, text, drafter=drafter, max_tokens=limit, **rules))
        engine.step(3)
        if is_alone:
            engine.run()
    engine.run()
    most = max(map(engine.most_rows_of, range(4)))
    assert most == 1 if is_alone else most >= 3


@pytest.mark.parametrize("options", [{"num_centroids": 7}, {"bits": 8}, {"bits": 4, "num_centroids": 7}])
def test_drafted_text_is_the_plain_one_whatever_the_weights(engine, gemma, alone, named, options):
    name = named(**options)
    rules = [{"temperature": 0.4 * index, "max_tokens": 20} for index in range(4)]
    engine.send(*(submit(index, gemma, TEXTS[index], drafter=name, **rules[index]) for index in range(4)))
    engine.run()
    assert [engine.ids_of(index) for index in range(4)] == [alone(TEXTS[i], gemma, **rules[i]) for i in range(4)]
    assert min(engine.statistics_of(index).num_proposed for index in range(4)) > 15


@pytest.mark.parametrize("is_alone", [True, False], ids=["alone", "together"])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_assistant_that_knows_the_next_token_is_always_right_whoever_joins_and_leaves(
    engine, cycling, alone, knowing, temperature, is_alone
):
    rules = {"temperature": temperature, "seed": 7}
    send_all(engine, cycling, knowing["token"], is_alone=is_alone, **rules)
    for request_id, (text, limit) in enumerate(zip(TEXTS, LIMITS, strict=True)):
        statistics = engine.statistics_of(request_id)
        assert engine.ids_of(request_id) == alone(text, cycling, max_tokens=limit, **rules)
        assert statistics.accepted_by_position == statistics.proposed_by_position
        assert statistics.num_rounds == -(-limit // 4)


@pytest.mark.parametrize("is_alone", [True, False], ids=["alone", "together"])
def test_assistant_that_knows_from_the_hidden_state_is_right_once_the_text_is_the_targets(
    engine, cycling, knowing, is_alone
):
    """Of the prompt's last two tokens the later does not follow from the earlier, so round 1 has nothing right."""
    send_all(engine, cycling, knowing["hidden"], is_alone=is_alone)
    for request_id, limit in enumerate(LIMITS):
        statistics = engine.statistics_of(request_id)
        assert statistics.num_proposed - statistics.num_accepted == 3
        assert statistics.num_rounds == 1 + -(-(limit - 1) // 4)


def test_acceptance_shows_a_hidden_state_of_another_token(engine, cycling, knowing, monkeypatch):
    commit = AssistantRows.commit
    monkeypatch.setattr(
        AssistantRows, "commit", lambda rows, kept, context: commit(rows, kept, mx.roll(context, 1, axis=1))
    )
    engine.send(submit(1, cycling, TEXTS[0], drafter=knowing["hidden"]))
    engine.run()
    assert engine.statistics_of(1).num_proposed > 100
    assert engine.statistics_of(1).num_accepted == 0


class Pausing(FullDepth):
    """Lets seven plain rounds start ahead, then has some drafted."""

    num_asked = 0

    def plan(self, rows: Sequence[Candidate], where: Place) -> list[int]:
        self.num_asked += 1
        return super().plan(rows, where) if self.num_asked % 10 > 7 else [0] * len(rows)

    def decide(self, rows: Sequence[Candidate], known: Sequence[Known], where: Place) -> Decision:
        decision = super().decide(rows, known, where)
        return replace(decision, runs_ahead=not any(decision.lengths))


def test_plain_rounds_that_start_ahead_move_the_hidden_state_on(data_dir, cycling, knowing):
    engine = Harness(data_dir, Pausing())
    send_all(engine, cycling, knowing["hidden"])
    for request_id in (0, 2, 3):
        statistics = engine.statistics_of(request_id)
        assert statistics.num_accepted == statistics.num_proposed > 5
        assert statistics.num_rounds > 12


@dataclass(frozen=True)
class Drafted:
    """One proposal, and the row that it was made for."""

    history: list[int]
    choice: Choice
    token_ids: list[int]


@pytest.fixture
def drafted(monkeypatch: pytest.MonkeyPatch) -> list[Drafted]:
    """Every proposal of an assistant from here on, copies left out."""
    found: list[Drafted] = []
    propose = AssistantRows.propose

    def listen(rows: AssistantRows, seen: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        proposals = propose(rows, seen, depths)
        for row, ids, known in zip(seen, proposals.ids.tolist(), proposals.known, strict=True):
            if known.kind is CHAIN_KIND and known.length:
                found.append(Drafted(list(row.history), row.choice, ids[: known.length]))
        return proposals

    monkeypatch.setattr(AssistantRows, "propose", listen)
    return found


def pair_in(engine: Harness, target: Path, name: str) -> Pair:
    """The target that an engine has loaded, and the assistant by that name, loaded once more."""
    loaded = engine.engine.target(str(target))
    assert isinstance(loaded, Target)
    return Pair(loaded, *load_module(Path(name.removeprefix("assistant:"))))


def test_proposals_in_the_engine_are_what_the_assistant_drafts_by_its_definition(engine, gemma, named, drafted):
    """Donors, hidden states and positions of random weights, in rows that join, leave and draw."""
    name = named(seed=3)
    send_all(engine, gemma, name, temperature=0.7, seed=5)
    pair = pair_in(engine, gemma, name)
    assert len(drafted) > 80
    for one in drafted[::8]:
        assert draft_alone(pair, one.history, one.choice, len(one.token_ids)) == one.token_ids


def test_rows_of_other_drafters_share_the_batch(engine, gemma, alone, named, drafted):
    names = ["ngram", named(), "none", named()]
    engine.send(*(submit(index, gemma, text, drafter=names[index]) for index, text in enumerate(TEXTS)))
    engine.run()
    assert [engine.ids_of(index) for index in range(4)] == [alone(text, gemma) for text in TEXTS]
    assert all(engine.most_rows_of(index) == 4 for index in range(4))
    assert len(drafted) > 40


def test_target_without_donors_is_refused_before_weights_are_read(engine, target, named):
    engine.send(LoadModel(1, str(target)))
    engine.run()
    engine.send(submit(2, target, TEXTS[0], drafter=named()), submit(3, target, TEXTS[0]))
    engine.run()
    assert failure(engine, 2).code == "drafter"
    assert "'donors'" in failure(engine, 2).text
    assert not [event for event in engine.events_of(2) if isinstance(event, Progress) and event.phase == "loading"]
    assert engine.reason_of(3) == "length"


def test_assistant_of_another_target_and_a_folder_that_is_none_are_refused(engine, gemma, cycling, tmp_path):
    other = tiny_assistant(tmp_path / "other", cycling)
    (tmp_path / "empty").mkdir()
    for request_id, path in enumerate((other, tmp_path / "empty", tmp_path / "nowhere")):
        engine.send(submit(request_id, gemma, TEXTS[0], drafter=f"assistant:{path}"))
    engine.run()
    assert "reads a hidden size of 260, and this model's is 32" in failure(engine, 0).text
    assert [failure(engine, index).code for index in range(3)] == ["drafter"] * 3


def test_loading_reports_progress_and_can_be_cancelled(engine, gemma, named):
    name = named()
    for request_id, steps in enumerate((0, 2, 5, 9)):
        engine.send(submit(request_id, gemma, "word " * 40, drafter=name, max_tokens=300))
        engine.step(steps)
        engine.send(Cancel(request_id))
        engine.run()
        assert engine.reason_of(request_id) == "cancelled"
    phases = {event.phase for event in engine.events if isinstance(event, Progress)}
    assert "loading" in phases


def test_memory_returns_when_another_assistant_takes_the_place(engine, gemma, tmp_path):
    names = [f"assistant:{tiny_assistant(tmp_path / str(seed), gemma, seed)}" for seed in range(2)]
    used = []
    for request_id in range(6):
        engine.send(submit(request_id, gemma, TEXTS[0], drafter=names[request_id % 2], max_tokens=12))
        engine.run()
        mx.clear_cache()
        used.append(mx.get_active_memory())
    assert max(used[1:]) <= used[0] + 1024


def test_restored_chat_drafts_at_once_what_an_uninterrupted_one_would(gemma, data_dir, tmp_path, named, drafted):
    name = named()
    chat = Chat(gemma, data_dir, tmp_path / "cache", name)
    chat.ask(LONG)
    stopped = chat.start()
    stopped.send(chat.request("Why?", max_tokens=10))
    stopped.run()
    half = chat.reply(stopped)
    stopped.close()
    again = chat.start()
    again.send(chat.request("Why?", later=(half,), max_tokens=10))
    drafted.clear()
    again.run()
    statistics, first = again.statistics_of(1), drafted[0]
    assert statistics.num_cached == statistics.num_prompt - 1 == len(first.history) - 1  # no forward came before
    assert draft_alone(pair_in(again, gemma, name), first.history, first.choice, 3) == first.token_ids
    again.close()
