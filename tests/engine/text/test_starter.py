"""The same with the starter model's own tokenizer, template and files."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from engine.messages import Answer, CountTokens, EstimateMemory, Failed, Inspect, PreviewTemplate, Question, Turn
from engine.models.locate import find_starter, resolve_target
from engine.text.desk import TextDesk
from engine.text.detokenizer import shown_text
from engine.text.prompt import build_prompt
from engine.text.tokenizer import Tokenizer, load_tokenizer

pytestmark = pytest.mark.model

TURNS = (Turn("user", "Hi"),)


@pytest.fixture(scope="module")
def tokenizer(starter_data: Path) -> Tokenizer:
    folder = resolve_target(str(find_starter()), starter_data)
    assert isinstance(folder, Path)
    return load_tokenizer(folder)


def ask(starter_data: Path, question: Question) -> Answer:
    answer = TextDesk(starter_data).answer(question)
    assert isinstance(answer, Answer), answer
    return answer


def test_questions_are_answered(starter_data: Path) -> None:
    target = str(find_starter())
    counted = ask(starter_data, CountTokens(1, target, TURNS)).value
    previewed = ask(starter_data, PreviewTemplate(2, target, "", TURNS)).value
    assert counted.num_tokens == previewed.num_tokens
    assert counted.context_length == 8192
    assert previewed.text.endswith("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")
    assert ask(starter_data, EstimateMemory(3, target, "none", 8192, 1)).value.weight_bytes > 0


def test_the_ids_in_facts_are_the_tokenizers(starter_data: Path, tokenizer: Tokenizer) -> None:
    assert ask(starter_data, Inspect(1, str(find_starter()))).value.tokenizer_id == tokenizer.identity


def test_o13_a_template_typed_in_the_editor_fails_with_its_line(starter_data: Path) -> None:
    failed = TextDesk(starter_data).answer(PreviewTemplate(2, str(find_starter()), "a\n{{ role.name }}", TURNS))
    remedy = (
        "Use what a template is given (`messages` with `role` and `content`, `add_generation_prompt`, `bos_token`, "
        "`eos_token`), or set it before."
    )
    assert failed == Failed(2, "template", f"Line 2: `role` is undefined. {remedy}")


def test_a_preview_takes_half_a_character_in_text_and_template(starter_data: Path) -> None:
    question = PreviewTemplate(2, str(find_starter()), "\ud800{{ messages[0].content }}", (Turn("user", "a\udc00"),))
    assert ask(starter_data, question).value.text == "\ufffda\ufffd"


def test_a_file_that_was_not_imported_is_a_sentence(tmp_path: Path) -> None:
    failed = TextDesk(tmp_path).answer(CountTokens(1, str(find_starter()), (Turn("user", "Hi"),)))
    assert isinstance(failed, Failed)
    assert "not imported" in failed.text


def test_o15_both_ends_are_known(tokenizer: Tokenizer) -> None:
    assert tokenizer.end_ids == {0, 2}


@pytest.mark.parametrize("text", ["ďábel Жук 🙂", "日本語", " Hello world", "a = [ 1 , 2 ] . x 'm ?", "x<|im_end|>"])
def test_o01_text_survives_the_tokenizer(tokenizer: Tokenizer, text: str) -> None:
    assert shown_text(tokenizer, tokenizer.encode(text, inert=True)) == text


def test_a_later_prompt_begins_with_the_earlier_one_and_its_reply(tokenizer: Tokenizer) -> None:
    ids = tuple(token_id for character in "Hello" for token_id in tokenizer.encode(character, inert=True))
    first = (*build_prompt(tokenizer, TURNS, 1).token_ids, *ids, 2)
    turns = (*TURNS, Turn("assistant", "Hello", ids, tokenizer.identity), Turn("user", "<|im_start|>"))
    assert build_prompt(tokenizer, turns, 2).token_ids[: len(first)] == first


def test_an_edited_message_is_read_from_its_first_word_on(tokenizer: Tokenizer) -> None:
    turns = (*TURNS, Turn("assistant", "Hello"), Turn("user", "Why does ice float?"))
    prompt = build_prompt(tokenizer, turns, 1)
    edited = build_prompt(tokenizer, (*turns[:-1], Turn("user", "How deep is the sea?")), 2)
    assert prompt.boundaries == (prompt.num_old,)
    assert prompt.token_ids[: prompt.num_old] == edited.token_ids[: prompt.num_old]
    assert tokenizer.decode(prompt.token_ids[prompt.num_old :]).startswith("Why does ice float?")


def test_counting_tokens_of_a_chat_that_began_earlier_is_counting_its_prompt(starter_data: Path) -> None:
    questions = [CountTokens(1, str(find_starter()), TURNS, began_at) for began_at in (0.0, 1.0)]
    assert len({ask(starter_data, question).value for question in questions}) == 1


def test_a_long_paste_is_encoded_in_time(tokenizer: Tokenizer) -> None:
    start = time.thread_time()
    build_prompt(tokenizer, [Turn("user", "2026-11-30 12:00:00 INFO request <|im_end|> done\n" * 20_000)], 1)
    assert time.thread_time() - start < 10
