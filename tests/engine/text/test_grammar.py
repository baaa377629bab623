"""Grammars: what may stand next, along a proposal too, and what cannot be compiled."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from engine.messages import Grammar
from engine.text.grammar import GrammarError, Vocabulary
from engine.text.tokenizer import Tokenizer
from tests.engine.text.small_tokenizers import byte_tokenizer, sentence_tokenizer

TOKENIZER = byte_tokenizer()
(END,) = TOKENIZER.end_ids


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary(TOKENIZER)


def ids(text: str) -> list[int]:
    return TOKENIZER.encode(text, inert=True)


def allowed(mask: bytes, tokenizer: Tokenizer = TOKENIZER) -> set[str]:
    token_ids = [index for index in range(8 * len(mask)) if mask[index // 8] >> index % 8 & 1]
    return {"end" if index in tokenizer.end_ids else tokenizer.decode([index]) for index in token_ids}


def looked(masks: Sequence[bytes]) -> list[set[str]]:
    return [allowed(mask) for mask in masks]


def test_masks_follow_the_proposal_and_end_at_a_token_that_is_not_allowed(vocabulary):
    matcher = vocabulary.compile(Grammar("regex", "a(bc|d)"))
    assert looked(matcher.look_ahead(ids("abc"))) == [{"a"}, {"b", "d"}, {"c"}, {"end"}]
    assert looked(matcher.look_ahead(ids("axb"))) == [{"a"}, {"b", "d"}]
    assert looked(matcher.look_ahead([*ids("ad"), END, END])) == [{"a"}, {"b", "d"}, {"end"}]
    assert looked(matcher.look_ahead([10**6])) == [{"a"}]


def test_looking_ahead_moves_nothing(vocabulary):
    matcher = vocabulary.compile(Grammar("regex", "ab*"))
    for proposal in ("abb", "zz", ""):
        assert looked(matcher.look_ahead(ids(proposal)))[0] == {"a"}
    matcher.take(*ids("a"))
    assert looked(matcher.look_ahead(())) == [{"b", "end"}]


def test_grammar_is_complete_once_nothing_may_follow(vocabulary):
    matcher = vocabulary.compile(Grammar("regex", "ab?c"))
    seen = []
    for token_id in ids("abc"):
        matcher.take(token_id)
        seen.append(matcher.is_complete)
    assert seen == [False, False, True]


def test_continued_reply_goes_on_where_it_stopped(vocabulary):
    matcher = vocabulary.compile(Grammar("regex", "abcd"), ids("ab"))
    assert looked(matcher.look_ahead(())) == [{"c"}]
    with pytest.raises(GrammarError, match="begun so far does not match the regular expression"):
        vocabulary.compile(Grammar("regex", "abcd"), ids("ax"))


def test_tokenizer_of_another_kind_takes_grammars():
    tokenizer = sentence_tokenizer()
    masks = Vocabulary(tokenizer).compile(Grammar("regex", " ?(no|tl)")).look_ahead(())
    assert {"n", "t"} <= allowed(masks[0], tokenizer)


@pytest.mark.parametrize(
    ("kind", "text", "part"),
    [
        ("regex", "(", "unclosed group"),
        ("regex", "a(?=b)", "look-around"),
        ("json_schema", "{oops", "the JSON schema is not JSON (Expecting property name"),
        ("json_schema", '{"type": "strin"}', "strin"),
        ("json_schema", "[1]", "object or boolean"),
        ("json_schema", '{"type": "array", "uniqueItems": true}', "uniqueItems"),
        ("json_schema", '{"type": "integer", "minimum": 5, "maximum": 3}', "minimum (5) is greater"),
        ("json_schema", "false", "false"),
        ("json_schema", json.dumps({"enum": [f"value {index}" for index in range(20_000)]}), "too big"),
    ],
)
def test_grammar_that_cannot_be_used_is_one_sentence(vocabulary, kind, text, part):
    with pytest.raises(GrammarError) as caught:
        vocabulary.compile(Grammar(kind, text))
    sentence = str(caught.value)
    assert part in sentence
    assert "\n" not in sentence
    assert len(sentence) < 300


def test_grammar_that_grows_too_complex_tells_so_at_the_next_token(vocabulary):
    matcher = vocabulary.compile(Grammar("regex", "(a{1000}){1000}"))
    for _ in range(3):
        matcher.take(*ids("a"))
        matcher.look_ahead(())
    assert "too complex" in matcher.fault
    assert not matcher.is_complete


def test_large_schema_of_everyday_parts_compiles(vocabulary):
    properties = {f"field_{index}": {"type": "string", "pattern": "^[a-z]{1,20}$"} for index in range(100)}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    matcher = vocabulary.compile(Grammar("json_schema", json.dumps(schema)))
    assert looked(matcher.look_ahead(ids('{"'))) != []
    assert not matcher.fault
