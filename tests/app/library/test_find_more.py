"""Find more under hands and keys, with the stand-in hub behind it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QStyleOptionViewItem

from app.library.download import Download, State
from app.library.find_delegate import ROW_ROLE, button_words
from app.library.find_more import FindMore
from app.library.find_rows import Kind
from app.library.verdict import Verdict
from app.system.machine import PLACE
from app.theme.theme import Theme
from tests.app.library.conftest import TINY, make_model

FITS = Verdict("Fits, 3.0\u00a0GB left", 0.4)


@pytest.fixture
def page(qtbot, hub, downloads, hub_server):
    theme = Theme()
    page = FindMore(theme, hub, downloads, judge=lambda size: FITS)
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    return page


@pytest.fixture
def search(page, qtbot, wait):
    """Type words and wait for the hub; gives the model's row of the hub."""

    def search(words):
        page.field.setText(words)
        qtbot.keyClick(page.field, Qt.Key.Key_Return)
        wait(lambda: page.search.results.words == words and not page.search.results.is_searching)
        wait(lambda: all(model.size_bytes for model in page.search.results.models))
        return index_of(page, Kind.HUB)

    return search


def index_of(page, kind):
    rows = page.list.model_rows.rows
    return page.list.model_rows.index(next(place for place, row in enumerate(rows) if row.kind is kind))


def coming(downloads):
    return [one.key for one in downloads.downloads]


def test_model_that_was_found_is_downloaded_with_enter(page, search, qtbot, downloads, wait, cache):
    page.list.setCurrentIndex(search("tiny"))
    qtbot.keyClick(page.list, Qt.Key.Key_Return)
    assert coming(downloads) == [TINY]
    wait(lambda: not downloads.downloads)
    assert (cache / "models--makers--tiny-4bit" / "snapshots").is_dir()


def test_click_on_download_downloads_and_beside_it_does_not(page, search, qtbot, downloads):
    index = search("tiny")
    page.list.scrollTo(index)
    rect = page.list.visualRect(index)
    qtbot.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.topLeft() + QPoint(30, 20))
    assert coming(downloads) == []
    place = page.list.delegate.button_place(rect, index.data(ROW_ROLE), page.layoutDirection())
    qtbot.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
    assert coming(downloads) == [TINY]


def test_several_quantisations_are_asked_for_in_a_menu(page, qtbot, downloads, hub_server, search):
    from tests.app.library.stand_in_hub import HubFile, HubModel

    files = {f"m-{kind}.gguf": HubFile(kind.encode() * 99, is_large=True) for kind in ("Q4_0", "Q8_0")}
    hub_server.models = {"makers/plain-GGUF": HubModel(files, tags=("gguf",), gguf={"architecture": "llama"})}
    page.sources.choose("GGUF")
    page.list.press(search("plain"))
    menu = page.list.menu
    assert [action.text() for action in menu.actions()] == ["Q4_0, 0.4\u00a0kB", "Q8_0, 0.4\u00a0kB"]
    menu.actions()[1].trigger()
    menu.close()
    assert coming(downloads) == ["makers/plain-GGUF:Q8_0"]
    page.list.press(index_of(page, Kind.HUB))
    assert [action.text() for action in page.list.menu.actions()] == ["Q4_0, 0.4\u00a0kB"]
    page.list.menu.actions()[0].trigger()
    page.list.menu.close()
    assert not index_of(page, Kind.HUB).data(ROW_ROLE).brings


def test_catalogue_offers_target_and_drafter_as_one(page, downloads):
    rows = page.list.model_rows.rows
    place = next(place for place, row in enumerate(rows) if row.repo_id == "mlx-community/Qwen3-8B-4bit")
    page.list.press(page.list.model_rows.index(place))
    page.list.menu.actions()[1].trigger()
    page.list.menu.close()
    assert coming(downloads) == ["mlx-community/Qwen3-8B-4bit", "z-lab/Qwen3-8B-DFlash-b16"]


def test_catalogue_offers_only_drafters_of_a_model_whose_download_failed(page, downloads):
    downloads.downloads = (Download("mlx-community/Qwen3-8B-4bit", state=State.FAILED),)
    downloads.changed.emit()
    row = next(row for row in page.list.model_rows.rows if row.repo_id == "mlx-community/Qwen3-8B-4bit")
    assert row.state == "In the downloads"
    assert button_words(row).startswith("Drafter")
    assert all(repo_id != row.repo_id for bring in row.brings for repo_id, _ in bring.wanted)


def test_more_is_shown_on_demand(page, search, qtbot, hub_server, wait):
    hub_server.models |= {f"makers/tiny-{number}-4bit": make_model(downloads=number) for number in range(1, 5)}
    search("tiny")
    page.list.press(index_of(page, Kind.MORE))
    wait(lambda: len(page.search.results.models) == 5)


def test_offline_the_catalogue_stays_and_the_reason_is_told(page, go_offline):
    go_offline()
    assert page.note.isVisible()
    assert page.note.text().endswith(f"Models on {PLACE} work as before.")
    assert index_of(page, Kind.CATALOGUE).isValid()


def test_no_network_is_told_in_the_list(page, qtbot, wait, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    page.field.setText("tiny")
    wait(lambda: page.search.results.problem is not None)
    assert page.list.model_rows.rows[-1].name == f"No network. Models on {PLACE} work as before."


def test_rows_speak_whole_and_captions_are_no_stops(page, qtbot):
    model = page.list.model_rows
    spoken = model.index(1).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("SmolLM2 135M bf16, about 270\u00a0MB, Fits, 3.0\u00a0GB left")
    assert not model.flags(model.index(0))
    page.list.setFocus(Qt.FocusReason.TabFocusReason)
    assert page.list.currentIndex().row() == 1


def test_arrow_down_leads_from_the_field_into_the_list(page, qtbot):
    page.field.setFocus()
    qtbot.keyClick(page.field, Qt.Key.Key_Down)
    assert page.list.currentIndex().row() == 1


@pytest.mark.parametrize("width", [900, 430])
def test_page_is_painted_at_every_width(page, width):
    page.resize(width, 600)
    assert not page.grab().isNull()


def test_tab_goes_down_the_page(page, qtbot, downloads):
    downloads.downloads = (Download("a/b", state=State.PAUSED),)
    downloads.changed.emit()
    page.field.setFocus(Qt.FocusReason.TabFocusReason)
    names = []
    for _ in range(4):
        qtbot.keyClick(page.focusWidget(), Qt.Key.Key_Tab)
        names.append(page.focusWidget().accessibleName())
    assert names == ["What to search for", "Resume: B", "Cancel the download of B", "Models to download"]


@pytest.mark.parametrize(
    ("state", "words"), [(State.RUNNING, "Downloading"), (State.PAUSED, "Paused"), (State.FAILED, "In the downloads")]
)
def test_row_says_how_its_download_stands(page, search, downloads, state, words):
    search("tiny")
    downloads.downloads = (Download(TINY, state=state),)
    downloads.changed.emit()
    row = index_of(page, Kind.HUB).data(ROW_ROLE)
    assert (row.state, bool(row.brings)) == (words, not words)


@pytest.mark.parametrize("width", [480, 1200])
def test_rows_are_as_high_as_their_words_need_after_a_change_of_width(page, qtbot, width):
    page.resize(800, 600)
    qtbot.wait(20)
    page.resize(width, 600)
    qtbot.wait(20)
    view, option = page.list, QStyleOptionViewItem()
    for row in range(view.model().rowCount()):
        index = view.model().index(row, 0)
        assert view.visualRect(index).height() == view.delegate.sizeHint(option, index).height()
