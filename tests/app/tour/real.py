"""The walk with the real starter model: what it writes is its own."""

from __future__ import annotations

import asyncio

from app.chat.draft import Draft
from app.chat.find_bar import FindBar
from tests.app.tour.camera import Camera

QUESTIONS = (
    "Why does ice float? Answer in two sentences.",
    "Write a small Python function that adds two numbers, and a table of three examples.",
)
REPLY_SECONDS = 240.0


async def walk(camera: Camera) -> None:
    window = camera.window
    await camera.until(lambda: window.chooser.facts is not None, REPLY_SECONDS)
    await camera.shoot("real-first-start")
    await camera.ask(QUESTIONS[0], REPLY_SECONDS)
    await camera.shoot("real-reply")
    tab = camera.tab
    tab.send(Draft(QUESTIONS[1]))
    await camera.until(lambda: len(tab.transcript.last_reply_text()) > 120, REPLY_SECONDS)
    await camera.shoot("real-running")
    await camera.until(lambda: not tab.session.is_busy, REPLY_SECONDS)
    window.actions_of_window.inspector.trigger()
    window.actions_of_window.details.trigger()
    await asyncio.sleep(2.2)
    await camera.shoot("real-inspector")
    window.actions_of_window.inspector.trigger()
    window.actions_of_window.tint.trigger()
    window.actions_of_window.find.trigger()
    bar = tab.findChild(FindBar)
    assert bar is not None
    bar.field.setText("the")
    await asyncio.sleep(0.5)
    await camera.shoot("real-found")
    bar.close_bar()
    window.actions_of_window.tint.trigger()
    window.actions_of_window.statistics.trigger()
    await asyncio.sleep(1.0)
    await camera.shoot("real-statistics")
