"""A model with a cache that no layout stands in for: it runs plain, alone, and says why."""

from __future__ import annotations

from engine.messages import Notice
from tests.engine.harness import submit
from tests.engine.tiny import tiny_folder

TEXT = "The quick brown fox"  # with the reply, several of its attention's chunks


def test_model_whose_caches_have_no_layout_writes_the_same_text_with_a_drafter_named(engine, tmp_path):
    chunked = tiny_folder(tmp_path / "chunked", "llama4", seed=1)
    for request_id, drafter in enumerate(("none", "ngram")):
        engine.send(submit(request_id, chunked, TEXT, drafter=drafter, max_tokens=40))
    engine.run()
    assert len(engine.ids_of(0)) == 40
    assert engine.ids_of(1) == engine.ids_of(0)
    (notice,) = [event for event in engine.events_of(1) if isinstance(event, Notice)]
    assert notice.code == "drafter_off"
    assert "llama4" in notice.text
    assert engine.statistics_of(1).num_proposed == 0
