"""The states of messages that are there: branches, editing, deletion, a check, and how saved replies ended."""

from __future__ import annotations

import asyncio

from app.chat.attachments_view import AttachmentView, show_attachment
from app.chat.blocks.fold_block import FoldBlock
from app.chat.notes import Action
from tests.app.tour.answers import Answers
from tests.app.tour.camera import Camera
from tests.app.tour.chat_states import NOTES, QUESTION
from tests.app.tour.saved import REPLIES, WHOLE


async def branched(camera: Camera, answers: Answers) -> None:
    """A reply written again, then a message that is edited."""
    actions = camera.window.actions_of_window
    camera.window.workspace.new_tab()
    answers.say("Ice is lighter than water.")
    await camera.ask(QUESTION, answers.seconds)
    actions.again.trigger()
    await camera.rest(answers.seconds)
    await camera.shoot("again")
    actions.edit_last.trigger()
    await camera.shoot("editing")
    camera.tab.composer.field.setPlainText("Why does ice float? Answer in one sentence.")
    camera.tab.composer.submit()
    await camera.rest(answers.seconds)
    await camera.shoot("branches")


async def checked(camera: Camera, answers: Answers) -> None:
    """A reply repeated without a drafter, and its details."""
    tab = camera.tab
    last = tab.transcript.last
    assert last is not None
    tab.actions_on_messages.act(Action.CHECK, last.message.id)
    await camera.until(lambda: last.remark != "" and not last.can_stop, answers.seconds)
    camera.window.actions_of_window.details.trigger()
    await asyncio.sleep(0.1)
    await camera.shoot("checked-details")
    camera.window.actions_of_window.details.trigger()


async def messages_deleted(camera: Camera, answers: Answers) -> None:
    tab = camera.tab
    tab.actions_on_messages.act(Action.DELETE_FROM, tab.session.messages[-1].id)
    await asyncio.sleep(0.3)
    await camera.shoot("messages-deleted")
    tab.actions_on_messages.undo_deletion()
    await asyncio.sleep(0.3)


async def saved_replies(camera: Camera, answers: Answers) -> None:
    for title in REPLIES:
        await camera.open(title)
        await camera.shoot(f"saved-{[*REPLIES].index(title) + 1}-{title.split()[-1].strip('?').lower()}")
        camera.window.actions_of_window.close.trigger()


async def thought(camera: Camera, answers: Answers) -> None:
    await camera.open([*REPLIES][1])
    transcript = camera.tab.transcript
    for index, section in enumerate(transcript.sections):
        for place, block in enumerate(section.blocks):
            if isinstance(block, FoldBlock):
                block.deeds()[0].do()
                transcript.take_press(index, place)
    await camera.shoot("thought-open")
    camera.window.actions_of_window.close.trigger()


async def document(camera: Camera, answers: Answers) -> None:
    """A reply of every kind of block, from its end to its beginning."""
    await camera.open(WHOLE)
    bar = camera.tab.transcript.verticalScrollBar()
    bar.setValue(0)
    await camera.shoot("document")
    camera.window.actions_of_window.close.trigger()


async def attachment(camera: Camera, answers: Answers) -> None:
    window = camera.window
    await camera.shoot_dialog("attachment", lambda: show_attachment(NOTES, window), AttachmentView)
