"""The theme on the application: palette, sheet, symbols, clock."""

from __future__ import annotations

from string import Template

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QMenuBar,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.theme.labels import make_label
from app.theme.palette import SHEET_ROLES, build_sheet
from app.theme.pulse import Pulse
from app.theme.symbols import symbol_pixmap
from app.theme.theme import Theme
from app.theme.tokens import DARK, LIGHT


def test_a_theme_sets_palette_and_sheet_of_the_application(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme()
    with qtbot.waitSignal(theme.tokens_changed):
        theme.apply(DARK)
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == DARK.canvas.lower()
    assert qapp.palette().color(QPalette.ColorRole.Button).name() == DARK.raised.lower()
    assert qapp.styleSheet() == build_sheet()


def test_the_sheet_names_no_token_that_is_missing() -> None:
    assert "$" not in build_sheet()
    assert build_sheet().count("\n") < 150


def test_each_colour_of_the_sheet_is_that_of_its_token(qapp: QApplication) -> None:
    words = Template("QLabel { color: $token; }")
    for token, role in SHEET_ROLES.items():
        for tokens in (LIGHT, DARK):
            Theme().apply(tokens)
            label = QLabel("Words")
            label.setStyleSheet(words.substitute(token=f"palette({role})"))
            label.ensurePolished()
            ink = label.palette().color(QPalette.ColorRole.WindowText)
            assert ink.name() == getattr(tokens, token).lower(), token


def _styled(parent: QWidget) -> QWidget:
    """One of each kind of widget that the sheet has colours for."""
    page = QWidget(parent)
    column = QVBoxLayout(page)
    for kind in ("secondary", "caption", "target"):
        column.addWidget(make_label("Words", kind=kind))
    for kind in ("plain", "link", "primary"):
        button = QPushButton("Press")
        button.setProperty("kind", kind)
        column.addWidget(button)
    rows = QListWidget()
    rows.setProperty("kind", "card")
    rows.addItems([f"row {number}" for number in range(30)])
    text = QPlainTextEdit("line\n" * 30)
    text.setProperty("kind", "card")
    for widget in (QLineEdit("written"), QLineEdit(placeholderText="Search"), rows, text, QMenuBar()):
        column.addWidget(widget)
    menu = QMenu("More", page)
    menu.addAction("One")
    menu.addAction("Two").setEnabled(False)
    return page


def _pictures(page: QWidget | None) -> list[QImage]:
    assert page is not None
    for rows in page.findChildren(QListWidget):
        rows.doItemsLayout()  # one that was filled before it was styled measured its rows without the sheet
    menu = page.findChildren(QMenu)[-1]
    return [widget.grab().toImage() for widget in (page, menu)]


@pytest.mark.parametrize("was_hidden", [False, True])
def test_what_was_styled_in_another_theme_looks_as_what_is_made_in_this_one(qtbot: QtBot, was_hidden: bool) -> None:
    window = QStackedWidget()
    qtbot.addWidget(window)
    window.resize(400, 700)
    theme = Theme()
    theme.apply(LIGHT)
    window.addWidget(_styled(window))
    window.addWidget(QWidget())
    window.show()
    light = _pictures(window.widget(0))
    window.setCurrentIndex(int(was_hidden))
    theme.apply(DARK)
    window.setCurrentIndex(0)
    window.addWidget(_styled(window))
    window.setCurrentIndex(2)
    assert _pictures(window.widget(0)) == _pictures(window.widget(2)) != light


def test_a_tip_is_in_the_theme_that_came_last(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    window.show()
    for tokens in (LIGHT, DARK):
        Theme().apply(tokens)
        QToolTip.showText(QPoint(20, 20), "A tip", window)
        (tip,) = (one for one in QApplication.topLevelWidgets() if one.inherits("QTipLabel") and one.isVisible())
        assert tip.grab().toImage().pixelColor(3, 3).name() == tokens.raised.lower()
        tip.close()


def test_a_box_that_waits_unseen_takes_another_text_size(qtbot: QtBot) -> None:
    theme = Theme()
    theme.apply(LIGHT)
    box = QMessageBox(QMessageBox.Icon.NoIcon, "Title", "Words")
    qtbot.addWidget(box)
    box.show()
    box.hide()
    theme.set_text_size(150)
    try:
        assert {one.font().pixelSize() for one in box.findChildren(QLabel) if one.text()} == {20}
    finally:
        theme.set_text_size(100)


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
