"""Which states may stand for each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.messages import UNQUANTISED, KvScheme, ModelFacts
from engine.models.fingerprint import Content
from engine.prompt_cache.identity import beside, companion_stream, stream_of

CONTENT = Content("abc", "float32")
FACTS = ModelFacts("m", "/models/m", "m", "llama", 512, 64, 2, "fp32", 1000, 64, "tokens", has_template=True)
STREAM = stream_of("target", FACTS, CONTENT, UNQUANTISED)


def test_moved_and_renamed_model_keeps_its_states():
    moved = replace(FACTS, target="n", folder="/elsewhere/n", name="n")
    assert stream_of("target", moved, CONTENT, UNQUANTISED).identity == STREAM.identity


@pytest.mark.parametrize(
    "other",
    [
        stream_of("drafter", FACTS, CONTENT, UNQUANTISED),
        stream_of("target", FACTS, Content("abd", "float32"), UNQUANTISED),
        stream_of("target", FACTS, Content("abc", "bfloat16"), UNQUANTISED),
        stream_of("target", FACTS, CONTENT, KvScheme(8)),
        stream_of("target", FACTS, CONTENT, KvScheme(4)),
        stream_of("target", FACTS, CONTENT, KvScheme(4, 32)),
        stream_of("target", FACTS, CONTENT, KvScheme(4, 32, 100)),
        stream_of("target", replace(FACTS, tokenizer_id="others"), CONTENT, UNQUANTISED),
    ],
    ids=str,
)
def test_whatever_a_state_depends_on_is_in_its_identity(other):
    assert other.identity != STREAM.identity


def test_unquantised_is_one_scheme_whatever_its_groups():
    assert stream_of("target", FACTS, CONTENT, KvScheme(0, 32, 7)) == STREAM


def test_facts_name_the_model_for_people():
    assert dict(STREAM.facts)["model"] == "m"


def test_a_drafter_s_states_are_its_own_files_and_its_target_s():
    own = companion_stream("draft", CONTENT)
    other_target = stream_of("target", FACTS, CONTENT, KvScheme(8))
    streams = [
        beside(STREAM, own),
        beside(other_target, own),
        beside(STREAM, companion_stream("draft", Content("abd", "float32"))),
        beside(STREAM, companion_stream("draft", Content("abc", "bfloat16"))),
        own,
        STREAM,
    ]
    assert len({stream.identity for stream in streams}) == len(streams)
    assert beside(STREAM, companion_stream("moved", CONTENT)).identity == streams[0].identity
