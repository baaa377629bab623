"""The states of a chat whose replies come while one looks: first start, running, stopped, waiting, read, composed."""

from __future__ import annotations

import asyncio

from app.chat.draft import Draft
from app.chat.find_bar import FindBar
from app.conversations.records import Attachment
from tests.app.tour.answers import Answers
from tests.app.tour.camera import Camera
from tests.app.tour.scripts import REPLY

QUESTION = "Why does ice float? Answer in two sentences."
NOTES = Attachment("field-notes.md", "The ice was thickest by the northern shore. " * 500)
MORE_NOTES = Attachment("more-notes.md", "By noon the wind had broken the sheet into plates. " * 600)


async def first_start(camera: Camera, answers: Answers) -> None:
    if camera.window.chooser.facts is None:
        await camera.shoot("loading")
    await loaded(camera, answers)
    await camera.until(lambda: camera.window.library.library.has_looked, answers.seconds)
    await asyncio.sleep(0.5)  # what fits is known in a moment
    await camera.shoot("first-start")
    camera.window.resize(480, 400)
    await asyncio.sleep(0.1)
    camera.snap("first-start-smallest")


async def loaded(camera: Camera, answers: Answers) -> None:
    await camera.until(lambda: camera.window.chooser.facts is not None, answers.seconds)


async def answered(camera: Camera, answers: Answers) -> None:
    await camera.shoot("empty")
    answers.say(REPLY[:500])
    await camera.ask(QUESTION, answers.seconds)
    await camera.shoot("answered")


async def running(camera: Camera, answers: Answers) -> None:
    answers.begin(REPLY)
    await camera.begin(Draft(answers.long_question), answers.enough, answers.seconds)
    tab = camera.tab
    await asyncio.sleep(0.4)
    await camera.shoot("running")
    tab.transcript.verticalScrollBar().setValue(0)
    for text in ("Would the same hold for salt water?", "And for a pond?"):
        tab.composer.field.setPlainText(text)
        tab.composer.submit()
    await camera.shoot("scrolled-queued")
    for draft in tab.composer.queued.drafts:
        tab.composer.queued.take(draft)
    tab.transcript.verticalScrollBar().setValue(tab.transcript.verticalScrollBar().maximum())


async def found(camera: Camera, answers: Answers) -> None:
    """With the drafted text tinted."""
    actions = camera.window.actions_of_window
    actions.tint.trigger()
    actions.find.trigger()
    bar = camera.tab.findChild(FindBar)
    assert bar is not None
    bar.field.setText("the")
    await asyncio.sleep(0.3)
    await camera.shoot("found-tinted")
    bar.close_bar()
    actions.tint.trigger()


async def stopped(camera: Camera, answers: Answers) -> None:
    """By the writer, while a message waited."""
    if not camera.tab.session.is_busy:
        answers.begin(REPLY)
        await camera.begin(Draft(answers.long_question), answers.enough, answers.seconds)
    tab = camera.tab
    tab.composer.field.setPlainText("Would the same hold for salt water?")
    tab.composer.submit()
    tab.stop()
    await camera.rest(answers.seconds)
    tab.transcript.verticalScrollBar().setValue(tab.transcript.verticalScrollBar().maximum())
    await camera.shoot("stopped")
    for draft in tab.composer.queued.drafts:
        tab.composer.queued.take(draft)


async def gone_on(camera: Camera, answers: Answers) -> None:
    """A reply whose tab was closed, and its end."""
    window = camera.window
    window.workspace.new_tab()
    answers.begin(REPLY)
    await camera.begin(Draft(answers.long_question), min(answers.enough, 60), answers.seconds)
    session = camera.tab.session
    window.actions_of_window.close.trigger()
    await camera.shoot("gone-on")
    session.stop()
    await camera.until(lambda: not session.is_busy, answers.seconds)


async def reading(camera: Camera, answers: Answers) -> None:
    tab = camera.window.workspace.new_tab()
    answers.read()
    tab.send(Draft("Where was the ice thickest?", (NOTES,)))
    await camera.until(lambda: tab.transcript.last is not None and tab.transcript.last.progress is not None)
    await camera.shoot("reading")
    tab.stop()
    await camera.rest(answers.seconds)
    await camera.shoot("stopped-reading")


async def composing(camera: Camera, answers: Answers) -> None:
    """Attachments, one of which is no text; then more than the context holds."""
    composer = camera.tab.composer
    files = {"layers.csv": b"layer,depth\nsurface,0.3\n", "method.txt": b"Drill, then measure. " * 40, "p.heic": b"\0"}
    for name, content in files.items():
        (camera.folder / name).write_bytes(content)
    composer.field.setPlainText("Compare these with the notes,\nlayer by layer, and say where they differ.")
    composer.attaching.take_files([camera.folder / name for name in files])
    await camera.until(lambda: composer.note.text != "")
    await asyncio.sleep(2.0)
    await camera.shoot("attachments")
    for name in files:
        (camera.folder / name).unlink()
    composer.note.hide()
    composer.attachments.set_attachments((MORE_NOTES,), composer.field)
    await camera.until(lambda: composer.limit.text != "", answers.seconds)
    await camera.shoot("too-long")
    composer.limit.button.click()
    await asyncio.sleep(1.0)
    await camera.shoot("left-out")
    composer.attachments.set_attachments((), composer.field)
    composer.field.clear()
