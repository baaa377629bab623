"""When the latest release is asked for, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from app.chat.notes import Action
from app.parts.updates import begin_updates
from app.settings.preferences import LibraryChoice, Preferences, Settings, UpdateChoice
from app.theme.theme import Theme
from app.updates.release import VARIABLE, releases_address
from app.updates.update_card import UpdateCard
from app.updates.updates import NOWHERE, Updates
from tests.app.driver import Driver, RunAsync, until
from tests.app.updates.conftest import NOON, Forge

DAY = 24 * 3600.0
MakeUpdates = Callable[..., Updates]


def switch_on(settings: Settings, is_on: bool = True) -> None:
    settings.change(replace(settings.preferences, updates=UpdateChoice(is_on)))


def answered(run_async: RunAsync, updates: Updates, act: Callable[[], object]) -> list[str]:
    """The versions that are told of by what this act begins."""
    told: list[str] = []
    updates.newer_found.connect(lambda release: told.append(release.version))

    async def wait() -> None:
        act()
        await until(lambda: not updates.is_asking)

    run_async(wait())
    return told


def test_nothing_is_asked_before_it_is_switched_on(
    forge: Forge, make_updates: MakeUpdates, run_async: RunAsync
) -> None:
    assert not Preferences().updates.is_on
    updates = make_updates()
    answered(run_async, updates, updates.begin)
    assert forge.asked == []
    assert updates.words == "Not asked yet."


def test_a_newer_release_is_told_once(
    forge: Forge, make_updates: MakeUpdates, settings: Settings, run_async: RunAsync
) -> None:
    forge.publish("v0.2.0")
    switch_on(settings)
    updates = make_updates()
    assert answered(run_async, updates, updates.begin) == ["0.2.0"]
    assert updates.words.startswith("Slipstream 0.2.0 is out; this is 0.1.0. Last asked: ")
    later = make_updates(now=NOON + DAY)
    assert answered(run_async, later, later.begin) == []
    assert later.newer is not None
    assert len(forge.asked) == 2


def test_it_is_asked_once_a_day_at_most(
    forge: Forge, make_updates: MakeUpdates, settings: Settings, run_async: RunAsync
) -> None:
    switch_on(settings)
    for now, count in ((NOON, 1), (NOON + DAY - 1, 1), (NOON + DAY, 2), (NOON, 3)):  # the last: a clock set back
        updates = make_updates(now=now)
        answered(run_async, updates, updates.begin)
        assert len(forge.asked) == count


def test_switching_it_on_asks_at_once(
    forge: Forge, make_updates: MakeUpdates, settings: Settings, run_async: RunAsync
) -> None:
    forge.publish("v0.1.0")
    updates = make_updates()
    updates.begin()
    assert answered(run_async, updates, lambda: switch_on(settings)) == []
    assert updates.words.startswith("The latest release is this one. Last asked: ")
    switch_on(settings, False)
    assert len(forge.asked) == 1


def test_why_it_is_not_known_stands_until_the_next_answer(
    forge: Forge, make_updates: MakeUpdates, run_async: RunAsync
) -> None:
    updates = make_updates()
    answered(run_async, updates, updates.ask)
    assert updates.words.startswith("127.0.0.1 has no release yet. Last asked: ")
    forge.publish("v0.0.9")
    answered(run_async, updates, updates.ask)
    assert updates.words.startswith("The latest release is 0.0.9; this is 0.1.0.")


def test_nothing_is_asked_offline(
    forge: Forge,
    make_updates: MakeUpdates,
    settings: Settings,
    run_async: RunAsync,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    switch_on(settings)
    updates = make_updates()
    settings.change(replace(settings.preferences, library=LibraryChoice(is_offline=True)))
    assert updates.words.startswith("The network is switched off")
    for act in (updates.begin, updates.ask):
        answered(run_async, updates, act)
    settings.change(replace(settings.preferences, library=LibraryChoice()))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    answered(run_async, updates, updates.ask)
    assert updates.words.startswith("HF_HUB_OFFLINE is set")


def test_a_build_without_an_address_says_so(
    theme: Theme, settings: Settings, make_updates: MakeUpdates, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("app.updates.updates.releases_address", lambda: "")
    card = UpdateCard(theme, settings, make_updates())
    qtbot.addWidget(card)
    assert card.switch_row.sentence.text() == NOWHERE
    assert not card.switch.isEnabled()
    assert card.state_row.isHidden()


def test_the_address_is_that_of_the_metadata_unless_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Metadata:
        def get_all(self, name: str) -> list[str]:
            return ["Homepage, https://one.example", "Releases, https://two.example/latest"]

    monkeypatch.setattr("app.updates.release.metadata", lambda name: Metadata())
    monkeypatch.delenv(VARIABLE, raising=False)
    assert releases_address() == "https://two.example/latest"
    monkeypatch.setenv(VARIABLE, "https://three.example")
    assert releases_address() == "https://three.example"


def test_the_card_names_who_is_asked_and_opens_the_page_on_a_click(
    forge: Forge,
    theme: Theme,
    settings: Settings,
    make_updates: MakeUpdates,
    run_async: RunAsync,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    forge.publish("v0.2.0")
    updates = make_updates()
    card = UpdateCard(theme, settings, updates)
    qtbot.addWidget(card)
    assert card.switch_row.sentence.text().startswith("Asks 127.0.0.1 once a day")
    assert card.open_page.isHidden()
    answered(run_async, updates, card.check.click)
    assert opened == []
    assert "0.2.0 is out" in card.state_row.sentence.text()
    card.open_page.click()
    assert opened == [f"{forge.endpoint}/one/slipstream/releases/tag/v0.2.0"]


def test_a_window_says_it_in_one_note_with_a_link(
    forge: Forge, driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    forge.publish("v99.0")
    begin_updates(driver.window)
    switch_on(driver.window.settings)
    bar = driver.window.workspace.bar
    driver.wait(bar.isVisible)
    assert bar.text.startswith("Slipstream 99.0 is out; ")
    assert bar.offered == (Action.RELEASE_PAGE, Action.CLOSE)
    bar.buttons[0].click()
    assert len(opened) == 1
    assert not bar.isVisible()
