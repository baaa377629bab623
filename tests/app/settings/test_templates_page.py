"""The page of templates, over the real text thread: what is typed is rendered, used or refused in a moment."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.bridge import EngineBridge
from app.settings.preferences import ModelChoice, Settings
from app.settings.templates_page import NOT_USED, OWN, PLAIN, USED, TemplatesPage
from app.tasks import finish
from app.theme.theme import Theme
from engine.messages import CountTokens, ModelLoaded, PromptSpan, RenderedPrompt, TokenCount, Turn
from engine.thread import EngineThread
from tests.app.driver import RunAsync, until
from tests.app.fake_engine import facts_of
from tests.engine.tiny import tiny_folder

Settle = Callable[[Callable[[], bool]], None]
MINE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
LOOP = "{% for one in range(99999) %}{% for other in range(99999) %}{% endfor %}{% endfor %}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def target(folder: Path) -> str:
    return str(folder)


@pytest.fixture
def fake_engine(data_dir: Path) -> EngineThread:
    """No fake."""
    return EngineThread(data_dir)


@pytest.fixture
def settle(run_async: RunAsync) -> Settle:
    return lambda is_there: run_async(until(is_there))


@pytest.fixture
def page(
    qtbot: QtBot, run_async: RunAsync, settings: Settings, bridge: EngineBridge, target: str, settle: Settle
) -> Iterator[TemplatesPage]:
    page = TemplatesPage(Theme(), settings, bridge, lambda: target)
    qtbot.addWidget(page)
    page.show()
    settle(lambda: page.figures.text() != "")
    yield page
    page.hide()
    run_async(finish())


def test_the_models_own_template_is_shown_with_what_it_makes(page: TemplatesPage, settings, target) -> None:
    assert page.editor.toPlainText() != ""
    assert page.state.text() in (OWN, PLAIN)
    assert "Why does ice float?" in page.view.toPlainText()
    assert page.figures.text().startswith("Rendered in ")
    assert not page.use_own.isEnabled()
    assert settings.preferences.model(target) == ModelChoice()


def test_template_of_a_model_that_comes_later_is_shown_then(
    page: TemplatesPage, bridge, folder, tmp_path, settle
) -> None:
    late = tmp_path / "late"
    page.choose_model(str(late))
    settle(lambda: page.problem.isVisible())
    shutil.copytree(folder, late)
    bridge.received.emit(ModelLoaded(0, facts_of(str(late))))
    settle(lambda: page.editor.isEnabled() and not page.problem.isVisible())


def test_template_that_renders_is_used_from_the_next_reply_on(page: TemplatesPage, settings, target, settle) -> None:
    page.editor.setPlainText(MINE)
    settle(lambda: settings.preferences.model(target).template == MINE)
    assert page.state.text() == USED
    assert page.view.toPlainText().startswith("system: You are a careful editor.\nuser: Why does ice float?")
    page.segments.choose("without")
    settle(lambda: page.view.toPlainText().startswith("user: Why does ice float?"))
    page.use_own.click()
    assert settings.preferences.model(target).template == ""
    settle(lambda: "user: Why" not in page.view.toPlainText())


@pytest.mark.parametrize(
    ("template", "line"), [("{{ messages }}\n{#", 2), ("{% for one in range(1000000000) %}{% endfor %}", 1), (LOOP, 1)]
)
def test_o13_template_that_does_not_end_is_an_error_under_the_editor(
    page: TemplatesPage, bridge, settings, target, settle, run_async, template, line
) -> None:
    page.editor.setPlainText(template)
    count = CountTokens(bridge.next_request_id(), target, (Turn("user", "Hi"),))
    counted = []
    bridge.received.connect(lambda event: counted.append(getattr(event, "value", None)))
    settle(lambda: page.problem.isVisible() and NOT_USED in page.problem.text())
    assert f"line {line}" in page.problem.text().lower()
    assert settings.preferences.model(target).template == ""
    bridge.send(count)
    settle(lambda: any(isinstance(value, TokenCount) for value in counted))
    page.editor.setPlainText(MINE)
    settle(lambda: not page.problem.isVisible() and settings.preferences.model(target).template == MINE)


def test_line_of_a_fault_is_marked(page: TemplatesPage, settle) -> None:
    page.editor.setPlainText("{{ messages }}\n{% if %}\nend")
    settle(lambda: page.problem.isVisible())
    (mark,) = page.editor.extraSelections()
    assert mark.cursor.blockNumber() == 1


def test_parts_of_a_prompt_are_marked(page: TemplatesPage) -> None:
    spans = (PromptSpan(0, 3, "control"), PromptSpan(4, 6, "user"))
    page.view.show_prompt(RenderedPrompt("<s>\U0001f600Hi", 3, 0.001, spans))
    assert [mark.cursor.selectedText() for mark in page.view.extraSelections()] == ["<s>", "Hi"]


def test_template_that_was_typed_just_before_the_end_is_kept(page: TemplatesPage, settings, target, run_async) -> None:
    page.editor.setPlainText(MINE)
    page.hide()
    run_async(page.come_to_rest())
    assert settings.preferences.model(target).template == MINE


def test_what_cannot_be_rendered_is_not_kept_at_the_end(page: TemplatesPage, settings, target, run_async) -> None:
    page.editor.setPlainText("{{ messages }}\n{#")
    page.hide()
    run_async(page.come_to_rest())
    assert settings.preferences.model(target).template == ""


def test_a_page_that_is_shown_again_renders_nothing_that_is_there(page: TemplatesPage, bridge, target, settle) -> None:
    rendered = []
    page.editor.setPlainText(MINE)
    settle(lambda: page.state.text() == USED)
    bridge.received.connect(lambda event: rendered.append(getattr(event, "value", None)))
    page.hide()
    page.show()
    bridge.send(CountTokens(bridge.next_request_id(), target, (Turn("user", "Hi"),)))
    settle(lambda: any(isinstance(value, TokenCount) for value in rendered))
    assert not any(isinstance(value, RenderedPrompt) for value in rendered)
    assert "user: Why" in page.view.toPlainText()
