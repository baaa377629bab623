"""The theme on the application: palette, sheet, symbols, clock."""

from __future__ import annotations

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.theme.palette import build_sheet
from app.theme.pulse import Pulse
from app.theme.symbols import symbol_pixmap
from app.theme.theme import Theme
from app.theme.tokens import DARK, LIGHT


def test_a_theme_sets_palette_and_sheet_of_the_application(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme()
    with qtbot.waitSignal(theme.tokens_changed):
        theme.apply(DARK)
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.canvas.lower()
    assert DARK.raised in qapp.styleSheet()


def test_the_sheet_names_no_token_that_is_missing() -> None:
    for tokens in (LIGHT, DARK):
        sheet = build_sheet(tokens)
        assert "$" not in sheet
        assert sheet.count("\n") < 150


def test_a_symbol_takes_the_colour_of_its_token(qapp: QApplication) -> None:
    image = symbol_pixmap("stop", "#A8321C", 18).toImage()
    colours = {
        image.pixelColor(x, y).name() for x in range(18) for y in range(18) if image.pixelColor(x, y).alpha() == 255
    }
    assert "#a8321c" in colours


def test_the_clock_stands_still_until_something_runs(qapp: QApplication, qtbot: QtBot) -> None:
    pulse = Pulse()
    pulse.set_running(True)
    qtbot.waitUntil(lambda: pulse.phase > 0, timeout=2000)
    pulse.set_running(False)
    assert pulse.phase == 0
