"""Exporting chats to the place that is asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLabel

from app.dialogs.exporter import JSON, MARKDOWN, MARKDOWN_FOLDER, OWN
from engine.messages import ModelLoaded, ReasoningTags
from tests.app.driver import Driver
from tests.app.fake_engine import FakeEngine, deltas_of, facts_of


def choose(driver: Driver, path: Path, name_filter: str) -> Sequence[str]:
    """Answer the dialog that is open; returns the filters that it offers."""
    dialog = driver.window.findChild(QFileDialog)
    assert dialog is not None
    dialog.selectNameFilter(name_filter)
    offered = dialog.nameFilters()
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    driver.wait(lambda: said(driver, path.name))
    return offered


def said(driver: Driver, words: str) -> bool:
    return any(words in label.text() for label in driver.tab.findChildren(QLabel) if label.isVisible())


def test_one_chat_becomes_a_markdown_file(driver: Driver, tmp_path: Path) -> None:
    driver.type("Why does ice float?")
    driver.wait_idle()
    driver.window.sidebar.menus.export_asked.emit((driver.tab.session.conversation_id,))
    assert choose(driver, tmp_path / "ice.md", MARKDOWN) == [MARKDOWN, JSON, OWN]
    text = (tmp_path / "ice.md").read_text()
    assert "Why does ice float?" in text
    assert "Hello there" in text


def test_reasoning_is_told_apart_by_the_tags_of_the_model_that_wrote_it(
    driver: Driver, fake_engine: FakeEngine, tmp_path: Path
) -> None:
    fake_engine.script = deltas_of("[R]A lattice.[/R] It floats.")
    driver.type("Why does ice float?")
    driver.wait_idle()
    facts = facts_of(driver.tab.session.messages[-1].model)
    fake_engine.emit(ModelLoaded(99, replace(facts, reasoning=(ReasoningTags("[R]", "[/R]"),))))
    driver.wait(lambda: bool(driver.window.catalogue.tags.get(facts.target)))
    driver.window.sidebar.menus.export_asked.emit((driver.tab.session.conversation_id,))
    choose(driver, tmp_path / "ice.md", MARKDOWN)
    text = (tmp_path / "ice.md").read_text()
    assert "A lattice." in text
    assert "[R]" not in text


def test_all_chats_become_one_file_or_a_folder(driver: Driver, tmp_path: Path) -> None:
    for text in ("one", "two"):
        driver.window.workspace.new_tab()
        driver.type(text)
        driver.wait_idle()
    driver.wait(lambda: len(driver.window.catalogue.conversations) == 2)
    driver.window.actions_of_window.export_all.trigger()
    assert choose(driver, tmp_path / "chats.json", JSON) == [JSON, OWN, MARKDOWN_FOLDER]
    assert json.loads((tmp_path / "chats.json").read_text())
    driver.wait(lambda: driver.window.findChild(QFileDialog) is None)
    driver.window.actions_of_window.export_all.trigger()
    choose(driver, tmp_path / "folder", MARKDOWN_FOLDER)
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == ["one.md", "two.md"]


def test_nothing_to_export_is_said(driver: Driver) -> None:
    driver.window.actions_of_window.export_all.trigger()
    assert said(driver, "There is no chat to export.")


def test_a_place_that_cannot_be_written_is_told(driver: Driver, tmp_path: Path) -> None:
    driver.type("one")
    driver.wait_idle()
    driver.window.sidebar.menus.export_asked.emit((driver.tab.session.conversation_id,))
    choose(driver, tmp_path / "nowhere" / "ice.md", MARKDOWN)
    assert said(driver, "could not be written")


def test_the_file_is_named_after_the_title_with_the_ending_of_its_kind(driver: Driver) -> None:
    driver.type("Notes on version 1.2")
    driver.wait_idle()
    driver.window.exporter.export([driver.tab.session.conversation_id or ""])
    dialog = driver.window.findChild(QFileDialog)
    assert dialog is not None
    assert [Path(name).name for name in dialog.selectedFiles()] == ["Notes on version 1.2.md"]
    assert not dialog.testOption(QFileDialog.Option.DontConfirmOverwrite)
    dialog.selectNameFilter(JSON)
    dialog.filterSelected.emit(JSON)
    assert [Path(name).name for name in dialog.selectedFiles()] == ["Notes on version 1.2.json"]
    dialog.reject()
