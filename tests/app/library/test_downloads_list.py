"""The card of downloads: what each row says, and what its buttons do."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices

from app.library.download import Download, State
from app.library.downloads_list import DownloadsList
from app.library.problems import GATED, Kind, Problem
from app.theme.theme import Theme
from tests.app.library.conftest import TINY

RUNNING = Download(
    "mlx-community/gemma-4-12B-it-4bit",
    state=State.RUNNING,
    done_bytes=4_500_000_000,
    total_bytes=7_200_000_000,
    bytes_per_second=24_600_000.0,
)


@pytest.fixture
def card(qtbot, hub, downloads):
    card = DownloadsList(Theme(), hub, downloads)
    qtbot.addWidget(card)
    card.resize(700, 300)
    return card


def show(downloads, *listed):
    downloads.downloads = listed
    downloads.changed.emit()


def only_row(card):
    (row,) = card.rows.values()
    return row


def test_card_is_there_while_something_is_on_its_way(card, downloads):
    assert card.isHidden()
    show(downloads, RUNNING)
    assert not card.isHidden()
    show(downloads)
    assert card.isHidden()


def test_running_row_has_amount_speed_and_time_left(card, downloads):
    show(downloads, RUNNING)
    row = only_row(card)
    assert row.sentence.text() == "25\u00a0MB/s, 1\u00a0min 50\u00a0s\u00a0left"
    assert row.accessibleName().startswith("Gemma 4 12B 4-bit, 4.5 of 7.2\u00a0GB, 25\u00a0MB/s")
    assert row.pause.accessibleName() == "Pause the download of Gemma 4 12B 4-bit"
    assert row.bar.value() == 625


@pytest.mark.parametrize(
    ("problem", "buttons"),
    [
        (Problem(Kind.CHECKSUM, "Shard 2 of 2 failed its checksum and was removed."), ["Download again"]),
        (Problem(Kind.NETWORK, ""), ["Resume"]),
        (GATED, ["Open page", "Try again"]),
        (Problem(Kind.DISK, "Needs 8.3 GB; the disk has 6.1 GB."), ["Try again"]),
    ],
)
def test_trouble_brings_its_button(card, downloads, problem, buttons):
    show(downloads, Download("a/b", state=State.FAILED, problem=problem))
    row = only_row(card)
    assert [button.text() for button in row.buttons] == buttons
    assert row.sentence.property("kind") == "alert"
    assert row.pause.isHidden()


def test_pause_resume_and_cancel_are_on_the_row(card, downloads, qtbot, wait):
    downloads.add(TINY)
    row = only_row(card)
    row.pause.click()
    assert downloads.downloads[0].state is State.PAUSED
    assert [button.text() for button in row.buttons] == ["Resume"]
    row.buttons[0].click()
    assert downloads.downloads[0].can_pause
    row.cancel.click()
    assert downloads.downloads == ()


def test_keyboard_stays_in_the_row_whose_button_went(card, downloads, qtbot):
    card.show()
    show(downloads, RUNNING)
    row = only_row(card)
    row.pause.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(row.pause, Qt.Key.Key_Space)
    show(downloads, Download(RUNNING.repo_id, state=State.PAUSED, total_bytes=1))
    assert row.isAncestorOf(card.focusWidget())


def test_open_page_leads_to_the_hub(card, downloads, hub, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url))
    show(downloads, Download("a/b", state=State.FAILED, problem=GATED))
    only_row(card).buttons[0].click()
    assert opened == [QUrl(hub.page_of("a/b"))]


def test_amounts_are_in_the_unit_that_shows_progress():
    small = Download("a/b", state=State.RUNNING, done_bytes=36_000_000, total_bytes=100_000_000)
    assert (small.amount, RUNNING.amount) == ("36 of 100\u00a0MB", "4.5 of 7.2\u00a0GB")


def test_rows_keep_their_height_where_there_is_little_room(card, downloads, qtbot):
    show(downloads, *(Download(f"makers/model-{number}", state=State.PAUSED) for number in range(9)))
    card.resize(500, 200)
    card.show()
    qtbot.waitUntil(lambda: card.width() == 500)
    assert all(row.height() >= row.sizeHint().height() for row in card.rows.values())
