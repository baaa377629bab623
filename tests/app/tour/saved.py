"""The chats that are there before the tour: of other days, and one for each way in which a reply may have ended."""

from __future__ import annotations

import time
from dataclasses import replace

from app.conversations.exchange import new_exchange, save_exchange
from app.conversations.records import Conversation, Message, ReplyState
from app.conversations.reply_plan import ReplyPlan
from app.conversations.store import Store
from tests.app.tour.scripts import LIMIT_TEXT, REPLY, THOUGHT, script_of

DAY = 86_400
CHATS = (  # title, days ago, folder, whether pinned
    ("Style guide for the field notes", 40, "", True),
    ("Salt water, first notes", 2, "Thesis", False),
    ("Methods, second draft", 3, "Thesis", False),
    ("Regex for ISO dates", 1, "", False),
    ("Trip by rail, Trieste to Split", 1, "", False),
    ("Letter to the landlord", 1, "", False),
    ("Sourdough at 68% hydration", 4, "", False),
    ("Postgres query plan, slow join", 5, "", False),
    ("Names for a small boat", 6, "", False),
    ("A very long title of a chat that does not fit into the sidebar at all", 400, "", False),
)
SUMMARY = "ملخص الاجتماع الأسبوعي"
WHOLE = "How a lake freezes"
REPLIES = {  # by title: the message, and what is kept of the reply
    WHOLE: ("What would a lake look like in winter if ice sank?", {"text": REPLY}),
    "Does a lake freeze from below?": (
        "Does a lake freeze from below? Price in total: $5 and $7; the density is $\\rho(t)$.",
        {
            "text": f"<think>{THOUGHT}</think>From the top, since ice is lighter: $$\\rho = \\frac{{m}}{{V}}$$",
            "thought_seconds": 6.2,
            "num_thought": 41,
        },
    ),
    "Letter about the boiler": (
        "Write to the landlord about the boiler.",
        {"text": REPLY[:200], "state": ReplyState.CUT_OFF},
    ),
    SUMMARY: (
        SUMMARY,
        {"text": "ملخص الاجتماع الأسبوعي في ثلاث نقاط", "state": ReplyState.LIMIT, "finish_reason": "length"},
    ),
    "Minutes of all meetings": (
        "Sum up all of the minutes.",
        {"text": "", "state": ReplyState.FAILED, "error": LIMIT_TEXT},
    ),
}


def add_chats(store: Store) -> None:
    """The oldest first."""
    for number, (title, days_ago, folder, is_pinned) in enumerate(reversed(CHATS)):
        at = time.time() - DAY * days_ago
        store.create_conversation(Conversation(f"tour-{number}", title, "starter", "ngram", at, at))
        store.set_folder(f"tour-{number}", folder)
        store.set_pinned(f"tour-{number}", is_pinned)
    for title in REPLIES:
        add_reply(store, title)


def add_reply(store: Store, title: str) -> None:
    text, kept = REPLIES[title]
    plan = ReplyPlan("starter", "ngram")
    user, reply = new_exchange(text, conversation_id=title, parent_id=None, plan=plan)
    save_exchange(store, user, finished(reply, kept), title)


def finished(reply: Message, kept: dict[str, object]) -> Message:
    text = str(kept["text"])
    statistics = script_of(text)[-1].statistics if text else None
    return replace(reply, **{"state": ReplyState.COMPLETE, "statistics": statistics, **kept})  # type: ignore[arg-type]
