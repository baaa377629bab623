"""Requests and questions: each gives an answer or one sentence."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.messages import Answer, CountTokens, Failed, Grammar, ModelFacts, Sampling, Submit, Turn
from engine.text.counting import Counted
from engine.text.desk import TextDesk
from engine.text.prompt import Prompt
from engine.text.thread import InlineText, TextThread
from tests.engine.text.small_tokenizers import CHATML, write_folder
from tests.engine.tiny import tiny_folder


@pytest.fixture
def facts(tmp_path: Path) -> ModelFacts:
    folder = write_folder(tmp_path / "model", tokenizer_config={"chat_template": CHATML})
    return ModelFacts(str(folder), str(folder), "m", "llama", 64, 280, 2, "fp32", 1, 1, "id", True)


@pytest.fixture
def desk(data_dir: Path) -> TextDesk:
    return TextDesk(data_dir)


def submit(*texts: str, **sampling: Any) -> Submit:
    turns = tuple(Turn("user", text) for text in texts)
    return Submit(3, "c", "m", "none", turns, Sampling(**sampling))


def test_a_prompt_is_prepared(desk: TextDesk, facts: ModelFacts) -> None:
    prompt = desk.prepare(submit("Hi"), facts)
    assert isinstance(prompt, Prompt)
    assert prompt.tokenizer.decode(prompt.token_ids) == "user\nHi\nassistant\n"


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\u200b", "\ufeff \t\u2060"])
def test_o19_a_blank_message_is_refused(desk: TextDesk, facts: ModelFacts, text: str) -> None:
    assert desk.prepare(submit("Hi", text), facts) == Failed(
        3, "request", "The message is blank. Write something to answer first."
    )


def test_a_conversation_without_a_message_is_refused(desk: TextDesk, facts: ModelFacts) -> None:
    failed = desk.prepare(submit(), facts)
    assert isinstance(failed, Failed)
    assert failed.code == "request"


def test_a_token_that_the_model_has_no_row_for_is_refused(desk: TextDesk, facts: ModelFacts) -> None:
    assert desk.prepare(submit("Hi"), replace(facts, vocab_size=100)) == Failed(
        3,
        "model",
        "The tokenizer wrote the token 266; this model has tokens from 0 to 99. "
        "Its tokenizer's files belong to another model: download them again.",
    )


@pytest.mark.parametrize(
    "sampling",
    [
        {"temperature": -1.0},
        {"temperature": float("nan")},
        {"temperature": float("inf")},
        {"seed": -1},
        {"seed": 2**63},
        {"max_tokens": 0},
        {"stops": ("a", "")},
        {"top_p": 0.0},
        {"top_p": 1.1},
        {"top_p": float("nan")},
        {"top_k": -1},
        {"min_p": -0.1},
        {"min_p": 1.5},
        {"repetition_penalty": 0.0},
        {"repetition_penalty": 10.5},
        {"repetition_penalty": float("nan")},
        {"presence_penalty": 2.5},
        {"frequency_penalty": -2.5},
        {"frequency_penalty": float("inf")},
        {"penalty_window": 0},
        {"logit_bias": ((280, 1.0),)},
        {"logit_bias": ((-1, 1.0),)},
        {"logit_bias": ((3, 101.0),)},
        {"logit_bias": ((3, float("nan")),)},
        {"logit_bias": ((3, 1.0), (3, 2.0))},
        {"num_logprobs": 21},
        {"num_logprobs": -1},
        {"grammar": Grammar("lark", "start: /a/")},
        {"grammar": Grammar("regex", " ")},
        {"grammar": Grammar("regex", "a" * 400_001)},
        {"grammar": Grammar("regex", "(")},
        {"grammar": Grammar("json_schema", "{")},
    ],
)
def test_settings_that_cannot_be_sampled_with_are_refused(
    desk: TextDesk, facts: ModelFacts, sampling: dict[str, Any]
) -> None:
    failed = desk.prepare(submit("Hi", **sampling), facts)
    assert isinstance(failed, Failed)
    assert failed.code == "request"
    assert failed.text[0].isupper()
    assert failed.text.endswith(".")
    assert "\n" not in failed.text


@pytest.mark.parametrize(
    "sampling",
    [
        {"temperature": 0.0, "top_p": 0.5, "top_k": 3, "min_p": 0.1},
        {"top_p": 1.0, "min_p": 1.0, "top_k": 10**6, "repetition_penalty": 0.5, "presence_penalty": -2.0},
        {"stops": ("a stop string that is longer than any reply " * 50,), "max_tokens": 1},
        {"seed": 2**63 - 1, "logit_bias": ((0, -100.0), (259, 100.0)), "num_logprobs": 20},
    ],
)
def test_unusual_settings_that_have_a_meaning_are_taken(
    desk: TextDesk, facts: ModelFacts, sampling: dict[str, Any]
) -> None:
    assert isinstance(desk.prepare(submit("Hi", **sampling), facts), Prompt)


def test_a_grammar_is_compiled_with_the_prompt(desk: TextDesk, facts: ModelFacts) -> None:
    prompt = desk.prepare(submit("Hi", grammar=Grammar("regex", "a|b")), facts)
    assert isinstance(prompt, Prompt)
    assert prompt.grammar is not None
    assert len(prompt.grammar.look_ahead(())) == 1


def test_o18_a_prompt_beyond_the_context_is_refused_with_its_count(desk: TextDesk, facts: ModelFacts) -> None:
    prompt = desk.prepare(submit("x" * 30), facts)
    assert isinstance(prompt, Prompt)
    num_tokens = len(prompt.token_ids)
    assert isinstance(desk.prepare(submit("x" * 30), replace(facts, context_length=num_tokens + 1)), Prompt)
    failed = desk.prepare(submit("x" * 30), replace(facts, context_length=num_tokens))
    assert isinstance(failed, Failed)
    assert failed.code == "context"
    assert f"{num_tokens} tokens" in failed.text
    assert "Remove 1 " in failed.text


def test_a_missing_target_is_a_sentence(desk: TextDesk, tmp_path: Path) -> None:
    failed = desk.answer(CountTokens(4, str(tmp_path / "none"), (Turn("user", "Hi"),)))
    assert isinstance(failed, Failed)
    assert (failed.request_id, failed.code) == (4, "model")
    assert failed.text[0].isupper()


def test_inline_and_threaded_text_give_the_same(data_dir: Path, facts: ModelFacts) -> None:
    results: list[Prompt | Failed] = []
    came = threading.Event()
    threaded, inline = TextThread(data_dir), InlineText(data_dir)
    threaded.start()
    threaded.prepare(submit("Hi"), facts, lambda result: (results.append(result), came.set()))
    assert came.wait(10)
    threaded.close()
    inline.prepare(submit("Hi"), facts, results.append)
    first, second = results
    assert isinstance(first, Prompt)
    assert isinstance(second, Prompt)
    assert first.token_ids == second.token_ids


def test_an_unexpected_error_fails_one_request_and_the_thread_goes_on(
    data_dir: Path, facts: ModelFacts, caplog: pytest.LogCaptureFixture
) -> None:
    results: list[Any] = []
    came = threading.Event()
    thread = TextThread(data_dir)
    thread.start()
    thread.prepare(submit("Hi"), replace(facts, folder=None), results.append)  # type: ignore[arg-type]
    thread.prepare(submit("Hi"), facts, lambda result: (results.append(result), came.set()))
    assert came.wait(10)
    thread.close()
    assert [type(result) for result in results] == [Failed, Prompt]
    assert results[0].code == "engine"
    caplog.clear()


def test_a_thread_that_was_never_started_can_be_closed(data_dir: Path) -> None:
    TextThread(data_dir).close()


def test_a_count_lets_others_pass_before_each_of_its_prompts(desk: TextDesk, facts: ModelFacts) -> None:
    folder = tiny_folder(Path(facts.folder))
    passed: list[int] = []
    turns = tuple(Turn(role, "x" * 200) for role in ("user", "assistant") * 8)
    counted = desk.count(CountTokens(4, str(folder), (*turns, Turn("user", "y"))), lambda: passed.append(1))
    assert isinstance(counted, Counted)
    assert counted.count.num_left_out > 0
    assert len(passed) > 2


def in_order(data_dir: Path, facts: ModelFacts, dropped: int = 0) -> list[int]:
    """Which of three requests were answered: two counts, then a reply's prompt."""
    folder = str(tiny_folder(Path(facts.folder)))
    answered: list[int] = []
    came = threading.Event()

    def take(made: Prompt | Answer | Counted | Failed) -> None:
        answered.append(made.request_id)

    thread = TextThread(data_dir)
    thread.answer(CountTokens(1, folder, (Turn("user", "Hi"),)), take)
    thread.answer(CountTokens(2, folder, (Turn("user", "Hi"),)), take)
    thread.prepare(submit("Hi"), facts, take)
    thread.answer(CountTokens(4, folder, (Turn("user", "Hi"),)), lambda made: came.set())
    thread.drop(dropped)
    thread.start()
    assert came.wait(10)
    thread.close()
    return answered


def test_a_prompt_goes_before_the_counts_that_wait(data_dir: Path, facts: ModelFacts) -> None:
    assert in_order(data_dir, facts) == [3, 1, 2]


def test_a_count_that_nobody_waits_for_is_dropped(data_dir: Path, facts: ModelFacts) -> None:
    assert in_order(data_dir, facts, dropped=1) == [3, 2]
    assert in_order(data_dir, facts, dropped=3) == [3, 1, 2]
