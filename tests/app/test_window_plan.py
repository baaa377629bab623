"""What a window says and shows of what its replies are made with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.parts.settings import DRAFTERS, MODELS, TEMPLATES
from app.settings.models_page import ModelsAndPresetsPage
from app.settings.preferences import ModelChoice
from app.settings.templates_page import TemplatesPage
from engine.messages import Finished, ModelLoaded, Notice
from tests.app.driver import Driver, settle
from tests.app.fake_engine import FakeEngine, facts_of


@pytest.mark.parametrize("name", ["presets", "settings"])
def test_damaged_choices_are_told(
    data_dir: Path, make_driver: Callable[[], Driver], caplog: pytest.LogCaptureFixture, name: str
) -> None:
    (data_dir / f"{name}.json").write_text("{")
    driver = make_driver()
    caplog.clear()
    assert f"{name}' file was damaged" in driver.window.workspace.bar.text


def test_model_without_a_template_is_told_once(driver: Driver, fake_engine: FakeEngine, target: str) -> None:
    bar = driver.window.workspace.bar
    facts = replace(facts_of(target), has_template=False)
    fake_engine.emit(ModelLoaded(1, facts))
    driver.wait(lambda: "has no chat template" in bar.text)
    driver.window.settings.change_model(target, ModelChoice(template="{{ messages }}"))
    driver.wait(bar.isHidden)
    fake_engine.emit(ModelLoaded(2, facts))
    fake_engine.emit(ModelLoaded(3, facts_of("/models/other")))
    driver.wait(lambda: driver.window.chooser.bridge.facts_of("/models/other") is not None)
    assert bar.isHidden()


def test_template_that_fails_is_told_with_the_way_to_its_page(driver: Driver, fake_engine: FakeEngine) -> None:
    sentence = "The model's template failed at line 12: `role` is undefined. The plain template was used."
    fake_engine.script = [Notice(0, "template", sentence), *fake_engine.script]
    driver.type("Hi")
    driver.wait_idle()
    bar = driver.window.workspace.bar
    driver.wait(lambda: bar.text == sentence)
    bar.buttons[0].click()
    assert driver.window.settings_pages.window.page == TEMPLATES
    driver.window.settings_pages.close()
    driver.run(settle())


def test_template_of_a_reply_is_that_of_the_model_that_writes_it(
    driver: Driver, fake_engine: FakeEngine, target: str
) -> None:
    fake_engine.ending = None
    driver.type("Hi")
    driver.wait_text("Hello there")
    driver.window.chooser.choose("/models/other")
    fake_engine.emit(Notice(fake_engine.submits[0].request_id, "template", "The model's template failed."))
    bar = driver.window.workspace.bar
    driver.wait(lambda: bar.text == "The model's template failed.")
    bar.buttons[0].click()
    page = driver.window.settings_pages.window.made_page(TEMPLATES)
    assert isinstance(page, TemplatesPage)
    assert page.model.key == target
    driver.tab.stop()
    driver.wait_idle()
    driver.window.settings_pages.close()
    driver.run(settle())


def test_note_of_a_limit_leads_to_the_preset_of_the_chat(driver: Driver, fake_engine: FakeEngine) -> None:
    preset = driver.window.models.planner.presets.add("Editor")
    driver.run(driver.tab.session.choose_preset(preset.id))
    fake_engine.ending = Finished(0, "length")
    driver.type("Hi")
    driver.wait_idle()
    driver.press("Change the limit of the preset")
    page = driver.window.settings_pages.window.made_page(MODELS)
    assert isinstance(page, ModelsAndPresetsPage)
    assert page.list.preset == preset
    driver.window.settings_pages.close()
    driver.run(settle())


def test_preset_is_shown_on_its_page_with_the_chats_that_use_it(driver: Driver) -> None:
    preset = driver.window.models.planner.presets.add("Editor")
    driver.run(driver.tab.session.choose_preset(preset.id))
    driver.type("Hi")
    driver.wait_idle()
    driver.wait(lambda: len(driver.window.catalogue.conversations) == 1)
    driver.window.plan.show_presets(preset.id)
    page = driver.window.settings_pages.window.made_page(MODELS)
    assert isinstance(page, ModelsAndPresetsPage)
    assert page.list.preset == preset
    assert page.used.text().replace("\u00a0", " ") == "Used by 1 chat"
    page.models.choose_drafter.click()
    assert driver.window.settings_pages.window.page == DRAFTERS
    driver.window.settings_pages.close()
    driver.run(settle())
