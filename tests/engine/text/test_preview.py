"""What is shown of a template that is being written: its prompt with roles marked, or the line of its fault."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path
from typing import Any

import pytest

from engine.messages import (
    Answer,
    ChatTemplate,
    Failed,
    Inspect,
    ModelFacts,
    PreviewTemplate,
    ReadTemplate,
    RenderedPrompt,
    Turn,
)
from engine.text.desk import TextDesk
from engine.text.preview import preview
from engine.text.rendering import TemplateError
from engine.text.thread import TextThread
from engine.text.tokenizer import Tokenizer, with_template
from tests.engine.text.small_tokenizers import (
    CHATML,
    LLAMA2,
    NO_SYSTEM,
    TRIMMING,
    byte_tokenizer,
    sentence_tokenizer,
    write_folder,
)
from tests.engine.text.test_sandbox import QWEN3
from tests.engine.tiny import TEMPLATE, tiny_folder

CHAT = (Turn("system", "S <|im_end|>"), Turn("user", " Hi "), Turn("assistant", "Ho"), Turn("user", "So\nSo"))
PARTS = [("system", "S <|im_end|>"), ("user", " Hi "), ("assistant", "Ho"), ("user", "So\nSo")]
SLOW = "a\n{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"


def shown(template: str, tokenizer: Tokenizer | None = None, turns: tuple[Turn, ...] = CHAT) -> RenderedPrompt:
    return preview(with_template(tokenizer or byte_tokenizer(), template), turns, ())


def parts(rendered: RenderedPrompt, *, control: bool = False) -> list[tuple[str, str]]:
    places = [(span.start, span.end) for span in rendered.spans]
    assert all(start < end for start, end in places)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(places))
    pieces = [(span.kind, rendered.text[span.start : span.end]) for span in rendered.spans]
    return [(kind, text) for kind, text in pieces if (kind == "control") == control]


def fault(template: str) -> str:
    with pytest.raises(TemplateError) as caught:
        shown(template)
    return caught.value.report()


def test_turns_are_marked_by_their_roles_and_control_tokens_apart_from_them() -> None:
    rendered = shown(CHATML)
    assert parts(rendered) == PARTS
    assert [text for _, text in parts(rendered, control=True)] == ["<|im_start|>", "<|im_end|>"] * 4 + ["<|im_start|>"]
    assert rendered.notices == ()


def test_tokens_are_counted_as_those_of_a_prompt() -> None:
    assert shown(CHATML, turns=(Turn("user", "<|im_end|>"),)).num_tokens == 3 + len("user\n<|im_end|>\nassistant\n")


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (TRIMMING, [("system", "S <|im_end|>"), ("user", "Hi"), ("assistant", "Ho"), ("user", "So\nSo")]),
        (CHATML.replace("m.content", "m.content | upper"), [(role, text.upper()) for role, text in PARTS]),
        (CHATML.replace("m.content", "m.content ~ m.content"), [(role, text * 2) for role, text in PARTS]),
        (CHATML.replace("messages", "messages[:2]"), PARTS[:2]),
        ("{% for m in messages[::-1] %}{{ m.content }}|{% endfor %}", PARTS[::-1]),
        ("{{ messages | length }}", []),
    ],
)
def test_turns_are_found_whatever_the_template_does_with_them(template: str, expected: list[tuple[str, str]]) -> None:
    joined = [(role, "".join(text for kind, text in parts(shown(template)) if kind == role)) for role, _ in expected]
    merged = [(role, "".join(text for kind, text in expected if kind == role)) for role, _ in expected]
    assert joined == merged


def test_thinking_that_the_template_drops_is_in_no_span() -> None:
    turns = (*CHAT[:2], Turn("assistant", "<think>\nhm\n</think>\n\nHo"), CHAT[3])
    assert parts(shown(QWEN3, turns=turns)) == PARTS


def test_a_template_of_another_kind_of_tokenizer_is_marked() -> None:
    rendered = shown(LLAMA2, sentence_tokenizer(), CHAT[1:])
    assert parts(rendered) == PARTS[1:]
    assert [text for _, text in parts(rendered, control=True)] == ["<s>", "</s>", "<s>"]


def test_what_had_to_be_changed_for_the_template_is_told_and_still_marked() -> None:
    rendered = shown(NO_SYSTEM)
    assert parts(rendered) == PARTS
    assert rendered.notices == ("Your template takes no system prompt. It was put at the start of the first message.",)


def test_switches_are_given_to_the_template() -> None:
    tokenizer = with_template(byte_tokenizer(), CHATML + "{% if enable_thinking %}<think>{% endif %}")
    on = preview(tokenizer, CHAT, (("enable_thinking", "on"),))
    off = preview(tokenizer, CHAT, (("enable_thinking", "off"),))
    assert on.text == off.text + "<think>"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("a\n{{ role.name }}", "Line 2: `role` is undefined. Use what a template is given"),
        ("{# never closed", "Line 1: Missing end of comment tag. Write values as"),
        ("\n{{ 'x' | shout }}", "Line 2: No filter named `shout`. Use one that chat templates have"),
        ("{{ raise_exception('No\nway') }}", "Line 1: No way. The template refuses this chat itself"),
        ("{{ nothing }}", "It writes nothing. Write the messages"),
        ("{{ 'a' + 1 }}", 'Line 1: can only concatenate str (not "int") to str. Change what this line does'),
        ("{{ messages['" + "a" * 9_999 + "'].b }}", "Line 1: `list object` has no attribute"),
        ("{% for i in range(10**9) %}{% endfor %}", "Line 1: Range too big"),
        ("x" * 200_001, "It has 200,001 characters; 200,000 is the most. Remove what it does not need."),
        ("{% for i in range(999) %}{{ 'x' * 999 }}{% endfor %}", "It writes more than 200,"),
        ("{% macro m() %}{{ m() }}{% endmacro %}\n{{ m() }}", "Line 1: it is nested too deeply. Let its blocks"),
        ("{{ " + "(" * 9_999 + " }}", "It is nested too deeply."),
    ],
)
def test_o13_a_fault_is_told_with_its_line_what_was_needed_and_what_to_do(template: str, expected: str) -> None:
    report = fault(template)
    assert report.startswith(expected)
    assert report.endswith(".")
    assert len(report) < 600


def test_o13_a_template_that_takes_long_to_be_read_is_ended() -> None:
    report = fault("{% if a %}" + "{% elif a %}" * 16_000 + "{% endif %}")
    assert report.startswith(("It took longer than 0.7 s.", "It is nested too deeply."))


def test_o13_the_line_that_was_running_is_named() -> None:
    assert fault(SLOW) == "Line 2: it took longer than 0.7 s. Make its loops shorter."


def test_the_model_s_own_template_is_shown_where_none_is_given(data_dir: Path, target: Path) -> None:
    desk = TextDesk(data_dir)
    assert desk.answer(ReadTemplate(1, str(target))) == Answer(1, ChatTemplate(TEMPLATE))
    own, same = (desk.answer(PreviewTemplate(1, str(target), text, CHAT)) for text in ("", TEMPLATE))
    assert isinstance(own, Answer)
    assert isinstance(same, Answer)
    assert isinstance(own.value, RenderedPrompt)
    assert isinstance(same.value, RenderedPrompt)
    assert own.value.text == same.value.text


def test_o11_a_plain_template_stands_in_for_one_that_is_missing(data_dir: Path, tmp_path: Path) -> None:
    folder = write_folder(tiny_folder(tmp_path / "model"), tokenizer_config={})
    desk = TextDesk(data_dir)
    read = desk.answer(ReadTemplate(1, str(folder)))
    assert isinstance(read, Answer)
    assert isinstance(read.value, ChatTemplate)
    assert not read.value.is_own
    rendered = desk.answer(PreviewTemplate(2, str(folder), "", CHAT))
    written = desk.answer(PreviewTemplate(2, str(folder), read.value.text, CHAT))
    assert isinstance(rendered, Answer)
    assert isinstance(written, Answer)
    assert isinstance(rendered.value, RenderedPrompt)
    assert isinstance(written.value, RenderedPrompt)
    assert rendered.value.text == written.value.text
    assert rendered.value.notices == (
        "This model has no chat template. A plain one was used, so answers may be worse.",
    )


def test_a_fault_is_a_failure_of_the_question(data_dir: Path, target: Path) -> None:
    failed = TextDesk(data_dir).answer(PreviewTemplate(7, str(target), "{{ role.x }}", CHAT))
    assert isinstance(failed, Failed)
    assert (failed.request_id, failed.code) == (7, "template")
    assert failed.text.startswith("Line 1: `role` is undefined.")


def test_o13_other_questions_go_before_previews_that_wait(data_dir: Path, target: Path) -> None:
    answered: list[Any] = []
    came = threading.Event()
    thread = TextThread(data_dir)
    for request_id in (1, 2):
        done = came.set if request_id == 2 else lambda: None
        thread.answer(
            PreviewTemplate(request_id, str(target), "{{ messages[0].content }}", CHAT),
            lambda made, done=done: (answered.append(made), done()),
        )
    thread.answer(Inspect(3, str(target)), answered.append)
    thread.start()
    assert came.wait(20)
    thread.close()
    assert [made.request_id for made in answered] == [3, 1, 2]
    assert isinstance(answered[0].value, ModelFacts)
