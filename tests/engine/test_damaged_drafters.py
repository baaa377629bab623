"""Folders that a drafter cannot be read from fail the reply that asked for it, and nothing else."""

from __future__ import annotations

import pytest

from tests.engine.harness import TEXT, submit


@pytest.mark.parametrize("kind", ["auto", "model", "dspark", "mtp", "assistant", "eagle3"])
def test_folder_that_cannot_be_read_fails_its_reply_alone(engine, target, tmp_path, kind):
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "config.json").write_text("<html>", encoding="utf-8")
    engine.send(submit(1, target, TEXT), submit(2, target, TEXT, drafter=f"{kind}:{tmp_path / 'nowhere'}"))
    engine.send(submit(3, target, TEXT, drafter=f"{kind}:{damaged}"))
    engine.run()
    assert engine.reason_of(1) == "length"
    assert [engine.end_of(request_id).code for request_id in (2, 3)] == ["drafter", "drafter"]
    assert "nothing found at" in engine.end_of(2).text
    assert "damaged" in engine.end_of(3).text


def test_model_s_own_folder_without_a_head_is_refused_as_its_drafter(engine, target):
    engine.send(submit(1, target, TEXT, drafter=f"auto:{target}"))
    engine.run()
    assert "nothing in" in engine.end_of(1).text
