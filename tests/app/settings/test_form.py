"""The controls of a form: how they tell of what a user chose, by mouse and by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from app.frame.focus_order import chain_of
from app.settings.form import Card, Choice, NumberField, Row, SettingsPage, Slider, Switch, TextField

MINUTES = (("5", "5 min"), ("30", "30 min"), ("0", "never"))


def test_control_of_a_row_is_named_by_its_label_and_described_by_its_sentence(qtbot, show, theme):
    switch, slider = Switch(theme), Slider(theme, 85, 150, lambda value: f"{value} %")
    rows = (Row("Reopen tabs", switch, "Those that were open at the end."), Row("Text size", slider))
    show(Card(theme, *rows))
    assert (switch.accessibleName(), switch.accessibleDescription()) == (
        "Reopen tabs",
        "Those that were open at the end.",
    )
    assert slider.slider.accessibleName() == "Text size"


def test_switch_tells_of_a_choice_by_key_and_not_of_what_it_is_shown(qtbot, show, theme):
    switch, told = Switch(theme, "Notify"), []
    show(switch)
    switch.toggled.connect(told.append)
    switch.set_on(True)
    qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert told == [False]


def test_slider_goes_by_its_steps_to_where_it_is_clicked_and_by_arrows(qtbot, show, theme):
    slider, told = Slider(theme, 0, 100, str, step=10), []
    show(slider)
    slider.changed.connect(told.append)
    inner = slider.slider
    qtbot.mouseClick(inner, Qt.MouseButton.LeftButton, pos=QPoint(inner.width() - 14, 10))
    qtbot.keyClick(inner, Qt.Key.Key_Left)
    assert told == [100, 90]


def test_slider_of_a_mirrored_window_begins_at_the_right(qtbot, show, theme):
    slider = Slider(theme, 0, 100, str)
    slider.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    show(slider)
    qtbot.mouseClick(slider.slider, Qt.MouseButton.LeftButton, pos=QPoint(13, 10))
    assert slider.value == 100


def test_choice_tells_the_key_that_an_arrow_chose(qtbot, show, theme):
    choice, told = Choice(theme, MINUTES, "Unload"), []
    show(choice)
    choice.chosen.connect(told.append)
    choice.choose("30")
    qtbot.keyClick(choice, Qt.Key.Key_Down)
    assert told == ["0"]
    assert choice.key == "0"


def test_choice_keeps_what_was_chosen_and_passes_over_what_is_refused(qtbot, show, theme):
    choice = Choice(theme, MINUTES, "Unload")
    show(choice)
    choice.choose("30")
    choice.show_options((*MINUTES[:2], ("60", "60 min"), MINUTES[2]), ("", "", "Too long.", ""))
    assert choice.key == "30"
    qtbot.keyClick(choice, Qt.Key.Key_Down)
    assert choice.key == "0"


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("200", "200 is outside 0 to 100\u00a0GB."),
        ("123456", "123,456 is outside 0 to 100\u00a0GB."),
        *((text, f"“{text}” is no number; 0 to 100\u00a0GB can be typed.") for text in ("much", "nan", "inf", "1e999")),
    ],
)
def test_number_that_cannot_be_is_refused_in_a_sentence_under_the_label(qtbot, show, theme, typed, sentence):
    field, told = NumberField(theme, 0, 100, unit="GB"), []
    row = Row("Budget", field)
    show(Card(theme, row))
    field.changed.connect(told.append)
    qtbot.keyClicks(field, typed)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert (row.problem.text(), told) == (sentence, [])


def test_number_is_told_once_and_an_empty_field_is_the_default(qtbot, show, theme):
    field, told = NumberField(theme, 0, 2, decimals=2), []
    show(field)
    field.changed.connect(told.append)
    qtbot.keyClicks(field, "0.70")
    for _ in range(2):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert (told, field.text()) == ([0.7], "0.7")
    field.clear()
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert told == [0.7, None]


def test_text_is_told_where_its_check_finds_nothing(qtbot, show, theme):
    field, told = TextField(theme, check=lambda text: "" if text.startswith("https:") else "Not an address."), []
    row = Row("Hub address", field)
    show(Card(theme, row))
    field.changed.connect(told.append)
    for typed in ("hub", "https://hub"):
        field.clear()
        qtbot.keyClicks(field, typed)
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert (told, row.problem.text()) == (["https://hub"], "")


def test_control_goes_under_its_label_where_both_have_no_room(qtbot, show, theme):
    slider = Slider(theme, 85, 150, str)
    row = Row("Text size", slider)
    page = SettingsPage(theme, "Appearance")
    page.add(Card(theme, row))
    show(page, 700)
    assert slider.y() < row.label.geometry().bottom()
    page.resize(320, 300)
    qtbot.waitUntil(lambda: slider.y() > row.label.geometry().bottom())


def test_page_asks_to_be_restored(qtbot, show, theme):
    page = SettingsPage(theme, "General")
    show(page)
    with qtbot.waitSignal(page.restore_asked):
        qtbot.keyClick(page.restore, Qt.Key.Key_Space)


def test_tab_goes_through_a_page_in_its_order_and_ends_with_restore(show, theme):
    first, second = Switch(theme, "First"), Switch(theme, "Second")
    page = SettingsPage(theme, "General")
    page.add(Card(theme, Row("First", first), Row("Second", second)))
    window, before = QWidget(), Switch(theme, "Before")
    line = QHBoxLayout(window)
    line.addWidget(before)
    line.addWidget(page)
    show(window)
    assert chain_of(window) == [before, first, second, page.restore]


def test_page_that_is_made_opens_no_window_of_its_own(qtbot, theme):
    before = set(QApplication.topLevelWidgets())
    page = SettingsPage(theme, "General", "A sentence.")
    page.add(Card(theme, Row("First", Switch(theme), "Why.")))
    shown = [one for one in set(QApplication.topLevelWidgets()) - before if one.isVisible()]
    assert shown == []


def test_number_that_would_be_rounded_to_nothing_is_refused(qtbot, show, theme):
    field, told = NumberField(theme, 0, 100, unit="GB", decimals=3), []
    row = Row("Budget", field)
    show(Card(theme, row))
    field.changed.connect(told.append)
    for typed in ("0.0004", "0.04"):
        field.clear()
        qtbot.keyClicks(field, typed)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        assert bool(row.problem.text()) == (typed == "0.0004")
    assert told == [0.04]
