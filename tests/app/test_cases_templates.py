"""Cases on chat templates, in a real window over the real engine with a tiny random target."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.parts.settings import TEMPLATES
from app.settings.templates_page import NOT_USED, PLAIN, TemplatesPage
from engine.thread import EngineThread
from tests.app.driver import Driver, settle
from tests.engine.tiny import tiny_folder

LOOP = "{% for one in range(99999) %}{% for other in range(99999) %}{% endfor %}{% endfor %}"
MINE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_folder(tmp_path / "tiny", max_position_embeddings=128)


@pytest.fixture
def target(folder: Path) -> str:
    return str(folder)


@pytest.fixture
def fake_engine(data_dir: Path) -> EngineThread:
    """No fake."""
    return EngineThread(data_dir)


def page_of(driver: Driver) -> TemplatesPage:
    driver.window.plan.show_template(driver.window.chooser.target)
    page = driver.window.settings_pages.window.made_page(TEMPLATES)
    assert isinstance(page, TemplatesPage)
    driver.wait(lambda: page.figures.text() != "")
    return page


def leave(driver: Driver) -> None:
    driver.window.settings_pages.close()
    driver.run(settle())


def test_o11_a_model_without_a_template_answers_and_says_so(folder: Path, make_driver) -> None:
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "chat_template": None}))
    driver = make_driver()
    bar = driver.window.workspace.bar
    driver.wait(lambda: "has no chat template" in bar.text)
    driver.type("Why?")
    driver.wait_idle()
    assert driver.tab.session.messages[-1].text
    bar.buttons[0].click()
    page = page_of(driver)
    assert page.state.text() == PLAIN
    page.editor.setPlainText(MINE)
    driver.wait(lambda: bar.isHidden())
    leave(driver)


def test_o13_a_template_without_end_holds_up_no_other_tab(driver: Driver) -> None:
    page = page_of(driver)
    page.editor.setPlainText(f"{{{{ messages }}}}\n{LOOP}")
    driver.type("Why?")
    driver.wait(
        lambda: page.problem.isVisible() and "line 2" in page.problem.text().lower() and NOT_USED in page.problem.text()
    )
    driver.wait_idle()
    assert driver.tab.session.messages[-1].text
    page.editor.setPlainText("{#")
    driver.wait(lambda: "line 1" in page.problem.text().lower())
    leave(driver)


def test_template_of_ones_own_makes_the_next_reply(driver: Driver, target: str) -> None:
    page = page_of(driver)
    page.editor.setPlainText(MINE)
    driver.wait(lambda: driver.window.settings.preferences.model(target).template == MINE)
    driver.type("Why?")
    driver.wait_idle()
    assert driver.tab.session.messages[-1].template == MINE
    leave(driver)
