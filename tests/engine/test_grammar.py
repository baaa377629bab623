"""Grammars through the whole engine: valid text, the same with any drafter, and faults that hurt one reply only."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import mlx.core as mx
import pytest

from engine.drafters.base import DraftRow, Known, Proposals
from engine.messages import Failed, Grammar, Turn
from engine.prove.scripted import ScriptedDrafter, ScriptedRows
from tests.engine.harness import Harness, submit

PROMPT = "Describe a person"
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[A-Z][a-z]{2,8}$"},
        "age": {"type": "integer", "minimum": 0, "maximum": 120},
        "tags": {"type": "array", "items": {"enum": ["tall", "kind", "é"]}, "minItems": 1, "maxItems": 2},
    },
    "required": ["name", "age", "tags"],
    "additionalProperties": False,
    "x-guidance": {"whitespace_flexible": False},
}
JSON = Grammar("json_schema", json.dumps(SCHEMA))
DATE = Grammar("regex", r"(19|20)[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]")
SAMPLINGS: list[dict[str, Any]] = [{}, {"temperature": 1.0, "seed": 5}, {"temperature": 1.5, "seed": 6, "top_k": 4}]


def run(data_dir, *requests: Any) -> Harness:
    engine = Harness(data_dir)
    engine.send(*requests)
    engine.run()
    return engine


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_json_of_a_schema_parses_and_is_the_same_with_every_drafter(data_dir, target, script, sampling):
    rules = {"grammar": JSON, "max_tokens": 120, **sampling}
    plain = run(data_dir, submit(1, target, PROMPT, **rules))
    value = json.loads(plain.text_of(1))
    assert set(value) == {"name", "age", "tags"}
    assert 0 <= value["age"] <= 120
    assert re.fullmatch("[A-Z][a-z]{2,8}", value["name"])
    assert plain.reason_of(1) == "stop"
    drafters = ["ngram", script("scripted", plain.ids_of(1), [6, 1, 0, 4]), script("astray", [60] * 200, [6])]
    drafted = run(data_dir, *(submit(i, target, PROMPT, drafter=name, **rules) for i, name in enumerate(drafters)))
    for request_id in range(3):
        assert drafted.ids_of(request_id) == plain.ids_of(1)
        assert drafted.reason_of(request_id) == "stop"
    assert drafted.statistics_of(1).num_accepted > 5


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_reply_matches_its_regular_expression_and_ends_where_it_does(data_dir, target, script, sampling):
    plain = run(data_dir, submit(1, target, PROMPT, grammar=DATE, **sampling))
    assert re.fullmatch(DATE.text, plain.text_of(1))
    assert plain.reason_of(1) == "stop"
    beyond = script("scripted", [*plain.ids_of(1), 20, 21, 22], [6])
    drafted = run(data_dir, submit(1, target, PROMPT, drafter=beyond, grammar=DATE, **sampling))
    assert (drafted.ids_of(1), drafted.reason_of(1)) == (plain.ids_of(1), "stop")
    saved = plain.statistics_of(1).num_rounds - drafted.statistics_of(1).num_rounds
    assert drafted.statistics_of(1).num_forwards_saved == saved > 0


class SlowRows(ScriptedRows):
    """Proposals that the device takes long for."""

    def propose(self, rows: Sequence[DraftRow], depths: Sequence[int]) -> Proposals:
        proposals = super().propose(rows, depths)
        square = mx.full((512, 512), 1 / 512)
        for _ in range(20):
            square = square @ square
        nothing = (mx.sum(square) * 0).astype(mx.int32)
        return replace(proposals, ids=proposals.ids + nothing, known=tuple(map(drafted, proposals.known)))


def drafted(known: Known) -> Known:
    return replace(known, token_ids=())


def test_wait_for_a_proposal_that_a_grammar_has_to_see_counts_as_drafting(data_dir, target, script, monkeypatch):
    plain = run(data_dir, submit(1, target, PROMPT, grammar=DATE))
    monkeypatch.setattr(ScriptedDrafter, "open", lambda drafter, view: SlowRows(drafter, view.vocab_size))
    engine = run(data_dir, submit(1, target, PROMPT, drafter=script("slow", plain.ids_of(1), [1]), grammar=DATE))
    statistics = engine.statistics_of(1)
    assert engine.ids_of(1) == plain.ids_of(1)
    assert statistics.num_proposed > 0
    assert statistics.draft_seconds > statistics.verify_seconds


def test_reply_may_end_or_go_on_where_the_grammar_allows_both(engine, eight_target):
    some = Grammar("regex", "ab*")
    requests = range(20)
    engine.send(*(submit(seed, eight_target, "abc", grammar=some, temperature=2.0, seed=seed) for seed in requests))
    engine.run()
    texts = [engine.text_of(seed) for seed in requests]
    assert all(re.fullmatch(some.text, text) for text in texts)
    assert len(set(texts)) > 2
    assert {engine.reason_of(seed) for seed in requests if len(texts[seed]) < 40} == {"stop"}


def test_limit_inside_a_grammar_is_told_as_the_limit(engine, target):
    engine.send(submit(1, target, PROMPT, grammar=DATE, max_tokens=4), submit(2, target, PROMPT, grammar=DATE))
    engine.run()
    assert (len(engine.ids_of(1)), engine.reason_of(1)) == (4, "length")
    assert engine.ids_of(2)[:4] == engine.ids_of(1)


def test_continued_reply_goes_on_in_its_grammar(engine, target):
    begun = (Turn("assistant", "1999-"),)
    engine.send(submit(1, target, PROMPT, later=begun, grammar=DATE))
    engine.send(submit(2, target, PROMPT, later=(Turn("assistant", "x"),), grammar=DATE))
    engine.run()
    assert re.fullmatch(DATE.text, "1999-" + engine.text_of(1))
    end = engine.end_of(2)
    assert isinstance(end, Failed)
    assert "begun so far does not match" in end.text


@pytest.mark.parametrize("proposal", [None, [0, 1, 2, 3], [0, 3, 3, 3]])
def test_grammar_without_a_way_on_fails_its_reply_and_keeps_what_was_written(data_dir, eight_target, script, proposal):
    drafter = "none" if proposal is None else script("scripted", proposal, [6])
    stuck = submit(1, eight_target, "abc", grammar=Grammar("regex", "abz"), drafter=drafter)
    neighbours = [submit(request_id, eight_target, "abc", temperature=1.0, seed=3) for request_id in (2, 3)]
    engine = run(data_dir, neighbours[0], stuck, neighbours[1])
    end = engine.end_of(1)
    assert isinstance(end, Failed)
    assert end.code == "request"
    assert end.text == "The grammar allows no token after what is written. Change it or ask without one."
    assert engine.text_of(1) == "ab"
    expected = run(data_dir, neighbours[0]).ids_of(2)
    assert engine.ids_of(2) == engine.ids_of(3) == expected


@pytest.mark.parametrize(
    ("grammar", "part"),
    [
        (Grammar("regex", "z"), "cannot be satisfied with this model's tokens"),
        (Grammar("regex", "("), "The regular expression cannot be used (unclosed group); change it."),
        (Grammar("json_schema", "{"), "The JSON schema is not JSON (Expecting property name"),
        (Grammar("json_schema", "[" * 100_000), "The JSON schema is not JSON ("),
        (
            Grammar("json_schema", "3"),
            "The JSON schema cannot be used (schema must be an object or boolean); change it.",
        ),
        (Grammar("json_schema", f'{{"type": "{"x" * 999}"}}'), "The JSON schema cannot be used (Invalid type: xxx"),
    ],
)
def test_grammar_that_cannot_be_used_fails_its_request_and_its_neighbour_goes_on(engine, eight_target, grammar, part):
    engine.send(submit(1, eight_target, "abc", grammar=grammar), submit(2, eight_target, "abc"))
    engine.run()
    end = engine.end_of(1)
    assert isinstance(end, Failed)
    assert end.code == "request"
    assert part in end.text
    assert len(end.text.splitlines()) == 1
    assert len(end.text) < 240
    assert engine.reason_of(2) in {"stop", "length"}
