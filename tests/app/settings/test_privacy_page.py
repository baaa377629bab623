"""PrivacyPage: the hub's settings act at once, the token goes to the keychain alone, and the data is moved or not."""

from __future__ import annotations

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import NoKeyringError
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from app.figures import NO_BREAK
from app.library.hub import Hub
from app.library.token import NO_KEYCHAIN
from app.settings.folders import data_folder, read_pointer
from app.settings.moving import unfinished
from app.settings.preferences import LibraryChoice, Settings
from app.settings.privacy_page import PrivacyPage
from app.settings.sources import PrivacyDeeds
from app.tasks import finish


class Keychain(KeyringBackend):
    """A keychain in memory."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class NoKeychain(Keychain):
    def set_password(self, service: str, username: str, password: str) -> None:
        raise NoKeyringError


@pytest.fixture(autouse=True)
def keychain(monkeypatch: pytest.MonkeyPatch) -> Keychain:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    before, keychain = keyring.get_keyring(), Keychain()
    keyring.set_keyring(keychain)
    yield keychain
    keyring.set_keyring(before)


async def click_and_finish(button: QPushButton) -> None:
    button.click()
    await finish()


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def page(theme, settings, show, asked, run_async) -> PrivacyPage:
    deeds = PrivacyDeeds(lambda: asked.append("export"), lambda: asked.append("import"), lambda: asked.append("report"))
    page = PrivacyPage(theme, settings, Hub(settings), deeds)
    show(page, 800)
    run_async(page.token.refresh())
    return page


def test_offline_and_the_hub_s_address_are_kept_at_once(qtbot, page, data_dir) -> None:
    qtbot.keyClick(page.offline, Qt.Key.Key_Space)
    qtbot.keyClicks(page.hub, "https://hub.example/")
    qtbot.keyClick(page.hub, Qt.Key.Key_Return)
    assert Settings(data_dir).preferences.library == LibraryChoice(is_offline=True, endpoint="https://hub.example")
    page.restore.click()
    assert (Settings(data_dir).preferences.library, page.hub.text()) == (LibraryChoice(), "")


def test_address_that_is_none_is_refused_in_a_sentence(qtbot, page, settings) -> None:
    refusals: list[str] = []
    page.hub.refused.connect(refusals.append)
    qtbot.keyClicks(page.hub, "hub.example")
    qtbot.keyClick(page.hub, Qt.Key.Key_Return)
    assert "must begin with https://" in refusals[-1]
    assert settings.preferences.library.endpoint == ""


def test_token_goes_to_the_keychain_and_is_never_shown(page, keychain, run_async, data_dir) -> None:
    run_async(page.token.keep("hf_secret"))
    assert list(keychain.kept.values()) == ["hf_secret"]
    assert (page.token.field.text(), page.token.field.placeholderText()) == ("", "in the keychain")
    assert not any("hf_secret" in path.read_text(errors="ignore") for path in data_dir.rglob("*") if path.is_file())
    assert page.token.remove.isVisible()
    run_async(page.token.keep(""))
    assert (keychain.kept, page.token.field.placeholderText()) == ({}, "none")


def test_system_without_a_keychain_says_what_to_do(page, run_async) -> None:
    keyring.set_keyring(NoKeychain())
    run_async(page.token.keep("hf_secret"))
    assert page.token.problem.text() == NO_KEYCHAIN


def test_token_of_the_environment_cannot_be_changed_here(page, run_async, monkeypatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    run_async(page.token.refresh())
    assert not page.token.field.isEnabled()
    assert "HF_TOKEN is used" in page.token.sentence.text()


def test_size_of_the_data_is_counted(page, data_dir, run_async) -> None:
    (data_dir / "big").write_bytes(bytes(2_500_000))
    run_async(page.count())
    assert page.size_label.text() == f"2.5{NO_BREAK}MB"


def test_buttons_ask_for_export_import_and_a_report(page, asked) -> None:
    page.export_all.click()
    page.import_chats.click()
    page.report.click()
    assert asked == ["export", "import", "report"]


def test_folder_that_the_environment_names_is_not_moved_from_here(page) -> None:
    assert not page.move_button.isEnabled()
    assert "SLIPSTREAM_DATA names this folder" in page.folder_row.sentence.text()


def test_moved_data_is_used_from_the_next_start_on(home, theme, show, run_async) -> None:
    settings = Settings(data_folder())
    (settings.folder / "chats").write_text("chats")
    page = PrivacyPage(theme, settings, Hub(settings), PrivacyDeeds(lambda: None, lambda: None))
    show(page, 800)
    run_async(page.mover.move(home / "new"))
    assert page.note.text.startswith("The data was copied to ~/new, which is used from the next start on.")
    assert (home / "new" / "chats").read_text() == "chats"
    assert read_pointer().next == str(home / "new")
    run_async(click_and_finish(page.stay_button))
    assert page.note.text == "The data stays in ~/data/slipstream."
    assert (read_pointer().next, page.stay_button.isVisible()) == ("", False)


def test_folder_that_is_not_empty_is_refused_and_the_data_stays(home, theme, show, run_async) -> None:
    settings = Settings(data_folder())
    page = PrivacyPage(theme, settings, Hub(settings), PrivacyDeeds(lambda: None, lambda: None))
    show(page, 800)
    (home / "full").mkdir()
    (home / "full" / "mine").write_text("")
    run_async(page.mover.move(home / "full"))
    assert "is not empty" in page.note.text
    assert (read_pointer().next, page.mover.is_moving) == ("", False)


def test_end_of_the_program_stops_the_copying(home, theme, show, run_async) -> None:
    settings = Settings(data_folder())
    hub = Hub(settings)
    page = PrivacyPage(theme, settings, hub, PrivacyDeeds(lambda: None, lambda: None))
    for number in range(200):
        (settings.folder / f"{number}").write_text("state")
    page.mover.changed.connect(hub.close)
    run_async(page.mover.move(home / "new"))
    assert page.note.text == "The copying was stopped. The data stays where it was."
    assert read_pointer().problem == unfinished(settings.folder, home / "new")
