"""Block drafters in the real engine, for a target that they know: what is accepted is all that can be."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.messages import Cancel, Statistics
from tests.engine.drafters.block.pairs import BLOCK, stepping_dflash
from tests.engine.harness import Harness, submit
from tests.engine.restarts import Chat

PROMPTS = ("abc", "The quick brown fox", "x", "one two three")
LIMITS = (34, 25, 19, 28)
SAMPLINGS = ({"temperature": 0.0}, {"temperature": 0.8, "seed": 7})


def rounds_of(kind: str, num_tokens: int) -> int:
    """Rounds of a reply of which everything is accepted that can be.

    DFlash looks one block back, to its first own tokens after five rounds of one each; DSpark is right at once.
    """
    alone, whole = (BLOCK - 1, BLOCK) if kind == "dflash" else (0, 6)
    return alone + -(-(num_tokens - alone) // whole)


def run(engine: Harness, folders: Path, drafter: str, text: str = "abc", **options: Any) -> Statistics:
    engine.send(submit(1, folders / "target", text, drafter=drafter, **options))
    engine.run()
    return engine.statistics_of(1)


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("kind", ["dflash", "dspark"])
def test_a_drafter_that_knows_its_target_is_right_each_time(engine, folders, alone, kind, sampling):
    statistics = run(engine, folders, f"{kind}:{folders / kind}", **sampling)
    assert engine.ids_of(1) == alone("abc", folders / "target", **sampling)
    assert statistics.num_rounds == rounds_of(kind, 40)
    assert statistics.num_accepted == 40 - statistics.num_rounds


@pytest.mark.parametrize("kind", ["dflash", "dspark"])
def test_rows_that_join_and_leave_a_batch_are_accepted_as_if_alone(engine, folders, alone, kind):
    drafter = f"{kind}:{folders / kind}"
    engine.send(submit(9, folders / "target", "y", drafter=drafter, max_tokens=400))
    for index, (text, limit) in enumerate(zip(PROMPTS, LIMITS, strict=True)):
        options = SAMPLINGS[index % 2] | {"max_tokens": limit}
        engine.send(submit(index, folders / "target", text, drafter=drafter, **options))
        engine.step(2)
        if index == 2:
            engine.send(Cancel(9))
    engine.run()
    for index, (text, limit) in enumerate(zip(PROMPTS, LIMITS, strict=True)):
        options = SAMPLINGS[index % 2] | {"max_tokens": limit}
        assert engine.ids_of(index) == alone(text, folders / "target", **options)
        assert engine.statistics_of(index).num_rounds == rounds_of(kind, limit)
        assert engine.most_rows_of(index) > 2


@pytest.mark.parametrize("changes", [{"taps": [-1, 1]}, {"sample_from_anchor": True}, {"rope_theta": 4.0}])
def test_a_wrong_tap_position_or_distance_shows_in_what_is_accepted(engine, folders, tmp_path, alone, changes):
    wrong = stepping_dflash(tmp_path / "wrong", folders / "target", **changes)
    statistics = run(engine, folders, f"dflash:{wrong}")
    assert engine.ids_of(1) == alone("abc", folders / "target")
    assert statistics.num_accepted < 0.1 * statistics.num_proposed


@pytest.mark.parametrize("kind", ["dflash", "dspark"])
def test_a_restored_row_goes_on_with_its_context(folders, data_dir, tmp_path, kind):
    chat = Chat(folders / "target", data_dir, tmp_path / "cache", f"{kind}:{folders / kind}")
    chat.ask("abcdefgh")
    chat.turns = []
    again = chat.ask("abcdefgh").statistics_of(1)
    assert again.num_prompt - again.num_cached == 1
    assert again.num_rounds == rounds_of(kind, again.num_tokens)


@pytest.mark.usefixtures("no_rereading")
def test_a_row_that_another_drafter_began_is_drafted_for_once_it_has_context(folders, data_dir, tmp_path):
    chat = Chat(folders / "target", data_dir, tmp_path / "cache", "none")
    chat.ask("abcdefgh")
    chat.turns, chat.drafter = [], f"dflash:{folders / 'dflash'}"
    again = chat.ask("abcdefgh").statistics_of(1)
    assert again.num_prompt - again.num_cached == 1
    assert again.num_rounds == rounds_of("dflash", again.num_tokens)


def test_memory_returns_when_a_drafter_gives_way_to_another(engine, folders):
    levels = []
    for index in range(3):
        for kind in ("dflash", "dspark"):
            request_id = 2 * index + (kind == "dspark")
            engine.send(submit(request_id, folders / "target", "abc", drafter=f"{kind}:{folders / kind}"))
            engine.run()
        gc.collect()
        levels.append(mx.get_active_memory())
    assert levels[2] <= levels[1]
