"""The states of the window around a chat: sidebar, search, folders, inspector, statistics, menus, what is told."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMenu

from app.conversations.restoring import SetAside
from app.statistics.page import StatisticsPage
from app.theme.buttons import SymbolButton
from app.upkeep.damage import tell_damage
from app.upkeep.disk_full import SENTENCE
from tests.app.tour.answers import Answers
from tests.app.tour.camera import BESIDE, OVER, SIZES, Camera


async def sidebar(camera: Camera, answers: Answers) -> None:
    window = camera.window
    await camera.shoot("sidebar", BESIDE)
    folder = next(one for one in window.catalogue.conversations if one.folder)
    window.sidebar.list.edit_chat(folder.id)
    await camera.shoot("rename", BESIDE)
    end_editing(camera)
    window.sidebar.list.edit_folder(folder.folder)
    await camera.shoot("rename-folder", BESIDE)
    end_editing(camera)
    window.sidebar.delete_asked.emit((folder.id,))
    await camera.shoot("deleted", BESIDE)
    window.sidebar.undo_asked.emit()
    window.sidebar.list.fold_asked.emit(folder.folder, True)
    await camera.shoot("folded", BESIDE)
    window.sidebar.list.fold_asked.emit(folder.folder, False)


def end_editing(camera: Camera) -> None:
    """As Esc does, where the keyboard has not left it by itself."""
    chats = camera.window.sidebar.list
    editor = chats.findChild(QLineEdit)
    if editor is not None:
        chats.itemDelegate().closeEditor.emit(editor)


async def searched(camera: Camera, answers: Answers) -> None:
    """In the sidebar, over the chat in a narrow window too."""
    window = camera.window
    window.sidebar.field.setText("ice")
    await camera.until(lambda: window.sidebar.results.isVisible())
    await camera.shoot("search", BESIDE)
    window.sidebar.field.setText("lattice")
    await camera.until(lambda: window.sidebar.nothing.text().endswith("“lattice”."))
    await camera.shoot("search-nothing", BESIDE)
    window.sidebar.field.clear()
    window.resize(*OVER[0])
    window.shell.toggle_sidebar()
    await camera.shoot("sidebar-over", OVER)
    window.resize(*OVER[0])
    window.shell.show_sidebar()
    window.sidebar.field.setText("ice")
    await camera.until(lambda: window.sidebar.results.isVisible())
    await camera.shoot("search-over", OVER)
    window.sidebar.field.clear()
    window.resize(*OVER[0])
    window.shell.close_overlay()
    window.resize(*SIZES[0])


async def statistics(camera: Camera, answers: Answers) -> None:
    """While a reply runs, then of all replies, then as tables."""
    window = camera.window
    window.actions_of_window.inspector.trigger()
    await asyncio.sleep(2.2)
    await camera.shoot("inspector")
    window.actions_of_window.inspector.trigger()
    window.actions_of_window.statistics.trigger()
    await asyncio.sleep(1.0)
    await camera.shoot("statistics")
    page = window.workspace.current_page
    assert isinstance(page, StatisticsPage)
    page.segments.setCurrentIndex(0)
    for panel in page.panels.values():
        panel.table_action.trigger()
    await asyncio.sleep(0.3)
    await camera.shoot("statistics-tables")
    for panel in page.panels.values():
        panel.table_action.trigger()
    window.actions_of_window.close.trigger()


async def told(camera: Camera, answers: Answers) -> None:
    """That the chats file was damaged, and that the disk is full."""
    files = Path("conversations.damaged.sqlite"), camera.folder / "backup.sqlite"
    files[1].touch()
    tell_damage(camera.window.notes, SetAside(files[0], "it is malformed", files[1], 3))
    await camera.shoot("damage")
    camera.window.notes.drop("damage")
    files[1].unlink()
    camera.window.workspace.alike.refuse("disk full", SENTENCE)
    camera.tab.composer.field.setPlainText("Is this kept?")
    await camera.shoot("disk-full")
    camera.window.workspace.alike.refuse("disk full", "")
    camera.tab.composer.field.clear()


async def menus(camera: Camera, answers: Answers) -> None:
    window = camera.window
    window.resize(*SIZES[0])
    composer, of_rows = camera.tab.composer, window.sidebar.menus
    await camera.shoot_popup("menu-drafters", composer.open_drafters)
    await camera.shoot_popup("menu-model", composer.foot.model_chip.click)
    if composer.foot.thinking_chip.isVisible():
        await camera.shoot_popup("menu-thinking", composer.foot.thinking_chip.click)
    await camera.shoot_popup("menu", window.workspace.row.menu_button.click)
    folder = next(one for one in window.catalogue.conversations if one.folder)
    for name, menu in (("chat", of_rows.for_chat(folder.id)), ("folder", of_rows.for_folder(folder.folder))):
        await camera.shoot_popup(f"menu-{name}", partial(menu.popup, window.pos()))
        await camera.shoot_menus(f"menu-{name}", menu)
    direct = window.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    for title in ("Chat", "Reply", "Edit", "View", "Help"):
        menu = next(one for one in direct if one.title() == title)
        await camera.shoot_popup(f"menu-of-{title.lower()}", partial(menu.popup, window.pos()))
    buttons = camera.tab.transcript.findChildren(SymbolButton)
    more = next(one for one in buttons if one.isVisible() and one.accessibleName().startswith("Show more"))
    await camera.shoot_popup("menu-reply", more.click)
