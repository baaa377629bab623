"""The window's menu: what it does with the chat that is shown, and what it says of the program."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel, QLineEdit, QScrollArea

from app.dialogs.about import AboutSheet
from app.dialogs.shortcuts import ShortcutList
from app.sidebar.rows import Kind
from tests.app.driver import Driver


def write_chat(driver: Driver) -> str:
    driver.type("one")
    driver.wait_idle()
    name = driver.tab.session.conversation_id or ""
    driver.wait(lambda: driver.window.sidebar.model.index_of(name).isValid())
    return name


def words_in(dialog: QDialog) -> set[str]:
    return {label.text() for label in dialog.findChildren(QLabel)}


def test_the_chat_that_is_shown_is_renamed_in_its_folded_folder(driver: Driver) -> None:
    name, sidebar = write_chat(driver), driver.window.sidebar
    sidebar.menus.folder_asked.emit((name,), "Thesis")
    driver.wait(lambda: sidebar.model.index_of_place((Kind.FOLDER, "Thesis")).isValid())
    sidebar.list.fold_asked.emit("Thesis", True)
    driver.window.actions_of_window.rename.trigger()
    field = sidebar.list.findChild(QLineEdit)
    assert field is not None
    assert field.text() == "one"
    field.setText("Ice")
    sidebar.list.commitData(field)
    driver.wait(lambda: driver.tab.title == "Ice")


def test_the_chat_that_is_shown_is_pinned_copied_exported_and_deleted(driver: Driver) -> None:
    name, actions = write_chat(driver), driver.window.actions_of_window
    actions.pin.trigger()
    driver.wait(lambda: driver.window.sidebar.model.index_of_place((Kind.CAPTION, "Pinned")).isValid())
    actions.refresh()
    assert actions.pin.text() == "Unpin"
    actions.export.trigger()
    dialog = driver.window.findChild(QFileDialog)
    assert dialog is not None
    dialog.reject()
    actions.duplicate.trigger()
    driver.wait(lambda: driver.tab.title == "one copy")
    actions.delete.trigger()
    assert [one.id for one in driver.window.catalogue.conversations] == [name]


def test_a_chat_that_is_not_saved_yet_has_nothing_to_rename(driver: Driver) -> None:
    actions = driver.window.actions_of_window
    assert not any(each.isEnabled() for each in (actions.rename, actions.pin, actions.move, actions.delete))
    assert actions.attach.isEnabled()
    write_chat(driver)
    actions.refresh()
    assert all(each.isEnabled() for each in (actions.rename, actions.pin, actions.move, actions.delete))
    actions.move.aboutToShow.emit()
    assert [each.text() for each in actions.move.actions()] == ["New folder…"]


def test_every_shortcut_is_listed_and_the_program_names_itself(driver: Driver) -> None:
    actions = driver.window.actions_of_window
    actions.shortcuts.trigger()
    dialog = driver.window.findChild(ShortcutList)
    assert dialog is not None
    assert {"New chat", "Undo", "Ctrl+E", "Ctrl+N, Ctrl+T", "Send"} <= words_in(dialog)
    area = dialog.findChild(QScrollArea)
    assert area is not None
    assert area.horizontalScrollBar().maximum() == 0
    dialog.close()
    actions.about.trigger()
    about = driver.window.findChild(AboutSheet)
    assert about is not None
    assert "Slipstream" in words_in(about)
    about.close()


def choose(driver: Driver, tab: int, words: str) -> None:
    menu = driver.window.actions_of_window.tab_menus.make(tab)
    next(action for action in menu.actions() if action.text() == words).trigger()


def test_a_tab_s_menu_closes_it_or_all_others_and_renames_and_pins_its_chat(driver: Driver) -> None:
    write_chat(driver)
    driver.window.workspace.new_tab()
    driver.window.importer.show_page()
    choose(driver, 0, "Pin")
    driver.wait(lambda: driver.window.sidebar.model.index_of_place((Kind.CAPTION, "Pinned")).isValid())
    choose(driver, 0, "Rename")
    assert driver.window.sidebar.list.findChild(QLineEdit) is not None
    choose(driver, 2, "Close tab")
    assert len(driver.window.workspace.pages) == 2
    choose(driver, 0, "Close other tabs")
    assert driver.tab.title == "one"
    assert len(driver.window.workspace.pages) == 1


def test_a_click_with_the_second_button_opens_the_menu_of_the_tab_under_it(driver: Driver) -> None:
    write_chat(driver)
    driver.window.workspace.new_tab()
    bar = driver.window.workspace.row.bar
    asked: list[int] = []
    bar.menu_asked.connect(lambda index, place: asked.append(index))
    point = bar.tabRect(0).center()
    QApplication.sendEvent(bar, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, bar.mapToGlobal(point)))
    driver.qtbot.mouseClick(bar, Qt.MouseButton.RightButton, pos=point)
    assert asked == [0]
    assert bar.currentIndex() == 1
    menu = QApplication.activePopupWidget()
    assert menu is not None
    menu.close()
