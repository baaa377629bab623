"""The states of the window around a chat: sidebar, inspector, statistics, import, dialogs, menus."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QPushButton

from app.conversations.records import Conversation
from app.conversations.restoring import SetAside
from app.conversations.store import Store
from app.damage import tell_damage
from app.dialogs.import_page import ImportPage
from app.dialogs.quit_sheet import QuitSheet
from app.settings.prompt_cache import CacheDialog
from engine.messages import Finished
from tests.app.fake_engine import FakeEngine
from tests.app.tour.camera import SIZES, Camera
from tests.app.tour.scripts import MEMORY, REPLY, REPORT, script_of

DAY = 86_400
CHATS = (  # title, days ago, folder, whether pinned
    ("Style guide for the field notes", 40, "", True),
    ("Why does ice float?", 2, "Thesis", False),
    ("Methods, second draft", 3, "Thesis", False),
    ("Regex for ISO dates", 1, "", False),
    ("Trip by rail, Trieste to Split", 1, "", False),
    ("Letter to the landlord", 1, "", False),
    ("Sourdough at 68% hydration", 4, "", False),
    ("Postgres query plan, slow join", 5, "", False),
    ("Names for a small boat", 6, "", False),
    ("ملخص الاجتماع الأسبوعي", 60, "", False),
    ("A very long title of a chat that does not fit into the sidebar at all", 400, "", False),
)


def add_chats(store: Store) -> None:
    """Chats of other days, the oldest first."""
    for number, (title, days_ago, folder, is_pinned) in enumerate(reversed(CHATS)):
        at = time.time() - DAY * days_ago
        store.create_conversation(Conversation(f"tour-{number}", title, "starter", "ngram", at, at))
        store.set_folder(f"tour-{number}", folder)
        store.set_pinned(f"tour-{number}", is_pinned)


async def sidebar(camera: Camera, engine: FakeEngine) -> None:
    window = camera.window
    await camera.shoot("sidebar")
    window.sidebar.field.setText("lake")
    await camera.until(lambda: window.sidebar.results.isVisible())
    await camera.shoot("search")
    window.sidebar.field.setText("lattice")
    await camera.until(lambda: window.sidebar.nothing.text().endswith("“lattice”."))
    await camera.shoot("search-nothing")
    window.sidebar.field.clear()
    window.resize(*SIZES[0])
    folder = next(one for one in window.catalogue.conversations if one.folder)
    for name, menu in (("chat", window.sidebar.menus.for_chat(folder.id)), ("folder", None)):
        shown = menu or window.sidebar.menus.for_folder(folder.folder)
        await camera.shoot_popup(f"menu-{name}", lambda shown=shown: shown.popup(window.pos()))
    window.sidebar.list.edit_chat(folder.id)
    await camera.shoot("rename")
    window.sidebar.list.setFocus()
    window.sidebar.delete_asked.emit((folder.id,))
    await camera.shoot("deleted")
    window.sidebar.undo_asked.emit()
    window.resize(*SIZES[2])
    window.shell.toggle_sidebar()
    await asyncio.sleep(0.1)
    window.grab().save(str(camera.folder / "overlay.png"))
    window.shell.toggle_sidebar()


async def statistics(camera: Camera, engine: FakeEngine) -> None:
    window = camera.window
    engine.memory = MEMORY
    window.actions_of_window.inspector.trigger()
    await asyncio.sleep(2.2)
    await camera.shoot("inspector")
    window.actions_of_window.inspector.trigger()
    window.actions_of_window.statistics.trigger()
    await asyncio.sleep(1.0)
    await camera.shoot("statistics")
    window.actions_of_window.close.trigger()


async def importing(camera: Camera, engine: FakeEngine) -> None:
    page = camera.window.importer.show_page()
    await camera.shoot("import")
    path = camera.folder / "conversations.json"
    path.write_text(json.dumps([{"title": "bare", "mapping": 3}]))
    camera.window.importer.read([path])
    await camera.until(lambda: page.words.text().endswith("."))
    await camera.shoot("import-unreadable")
    path.unlink()
    assert isinstance(page, ImportPage)
    page.show_imported(208)
    page.offer_undo(208)
    await camera.shoot("imported")
    camera.window.actions_of_window.close.trigger()


async def damage(camera: Camera, engine: FakeEngine) -> None:
    files = Path("conversations.damaged.sqlite"), camera.folder / "backup.sqlite"
    files[1].touch()
    tell_damage(camera.window.notes, SetAside(files[0], "it is malformed", files[1], 3))
    await camera.shoot("damage")
    camera.window.notes.drop("damage")
    files[1].unlink()


async def quitting(camera: Camera, engine: FakeEngine) -> None:
    engine.script, engine.ending = script_of(REPLY[:60]), None
    tab = camera.tab
    tab.composer.field.setPlainText("One more")
    tab.composer.submit()
    await camera.until(lambda: tab.session.is_busy)
    camera.window.close()
    sheet = camera.window.findChild(QuitSheet)
    assert sheet is not None
    await camera.shoot_widget("quit", sheet)
    sheet.reject()
    tab.stop()
    engine.ending = Finished(0, "stop")


async def cache(camera: Camera, engine: FakeEngine) -> None:
    """The dialog on the prompt cache in each of its states."""
    engine.report = REPORT
    camera.window.cache_notes.show()
    dialog = camera.window.findChild(CacheDialog)
    assert dialog is not None
    await asyncio.sleep(0.2)
    await camera.shoot_widget("cache", dialog)
    (clear,) = (button for button in dialog.findChildren(QPushButton) if button.text() == "Clear…")
    clear.click()
    await camera.shoot_widget("cache-clear", dialog)
    engine.report = replace(REPORT, problem="The disk is full, so prompts are not saved. Chats still are.")
    await asyncio.sleep(1.2)
    await camera.shoot_widget("cache-paused", dialog)
    dialog.close()
    await asyncio.sleep(0.1)


async def menus(camera: Camera, engine: FakeEngine) -> None:
    await camera.shoot_popup("drafters", camera.tab.composer.open_drafters)
    await camera.shoot_popup("menu", camera.window.workspace.row.menu_button.click)
