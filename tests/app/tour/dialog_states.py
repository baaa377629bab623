"""Pages and dialogs that come and go: import, export, the prompt cache, help, the question at the end."""

from __future__ import annotations

import asyncio
import json

from app.chat.draft import Draft
from app.dialogs.about import AboutSheet
from app.dialogs.import_page import ImportPage
from app.dialogs.quit_sheet import QuitSheet
from app.dialogs.shortcuts import ShortcutList
from app.file_dialogs import SaveDialog
from tests.app.conversations.importing.chat_files import chatgpt_chat, chatgpt_node
from tests.app.tour.answers import Answers
from tests.app.tour.camera import Camera
from tests.app.tour.scripts import REPLY

TITLES = ("Ice on ponds", "Skates, a short history", "Names for kinds of snow")


async def importing(camera: Camera, answers: Answers) -> None:
    """Files of which nothing can be read, then of which some can, which is taken back."""
    importer, path = camera.window.importer, camera.folder / "conversations.json"
    page = importer.show_page()
    await camera.shoot("import")
    await offer(camera, page, [{"title": "bare", "mapping": 3}])
    await camera.shoot("import-unreadable")
    chats = [
        chatgpt_chat(chatgpt_node("u", "root", "user", title), title=title, conversation_id=title) for title in TITLES
    ]
    await offer(camera, page, [*chats, {"title": "bare", "mapping": 3}])
    await camera.shoot("import-found")
    page.act.click()
    await camera.until(lambda: not page.undo.isHidden())
    await camera.shoot("imported")
    page.undo.click()
    await camera.until(lambda: page.undo.isHidden())
    await camera.shoot("import-undone")
    path.unlink()
    camera.window.actions_of_window.close.trigger()


async def offer(camera: Camera, page: ImportPage, chats: list[object]) -> None:
    path = camera.folder / "conversations.json"
    path.write_text(json.dumps(chats))
    camera.window.importer.read([path])
    await camera.until(lambda: page.words.text().endswith("."))


async def cache(camera: Camera, answers: Answers) -> None:
    """The page of the prompt cache, and what it asks before all is removed."""
    page = camera.window.settings_pages.show_cache()
    assert page is not None
    await asyncio.sleep(0.4)
    await camera.shoot_widget("cache", page)
    page.ask_first(True)
    await camera.shoot_widget("cache-clear", page)
    camera.window.settings_pages.close()
    await asyncio.sleep(0.1)


async def settings(camera: Camera, answers: Answers) -> None:
    """Every page of the settings, in a wide window and in its smallest."""
    pages = camera.window.settings_pages
    pages.show()
    window = pages.window
    assert window is not None
    for width, name in ((1040, "settings"), (1, "settings-narrow")):
        window.resize(width, 800)
        for page in window.names:
            pages.show(page)
            await asyncio.sleep(0.2)
            await camera.shoot_widget(f"{name}-{page.lower().replace(' ', '-')}", window)
    window.resize(1040, 800)
    pages.close()


async def dialogs(camera: Camera, answers: Answers) -> None:
    actions = camera.window.actions_of_window
    await camera.shoot_dialog("shortcuts", actions.shortcuts.trigger, ShortcutList)
    await camera.shoot_dialog("about", actions.about.trigger, AboutSheet)
    await camera.shoot_dialog("export", actions.export_all.trigger, SaveDialog)


async def quitting(camera: Camera, answers: Answers) -> None:
    camera.window.workspace.new_tab()
    answers.begin(REPLY[:60])
    await camera.begin(Draft(answers.long_question), 20, answers.seconds)
    camera.window.close()
    sheet = camera.window.findChild(QuitSheet)
    assert sheet is not None
    await camera.shoot_widget("quit", sheet)
    sheet.reject()
    camera.tab.stop()
    await camera.rest(answers.seconds)
