"""Answers: who replies on the tour, so that every state is brought about alike by a script and by the starter model."""

from __future__ import annotations

from collections.abc import Iterable

from engine.messages import CountTokens, Failed, Finished, Progress, Statistics, TokenCount
from tests.app.fake_engine import FakeEngine, ScriptEvent
from tests.app.tour.scripts import MEMORY, REPORT, script_of

STOP = Finished(0, "stop")
CONTEXT = 8192
CHARACTERS_OF_TOKEN = 4


class Answers:
    """The starter model: it writes what it writes, so what a script would say is asked for and goes unheard."""

    seconds = 120.0  # that a reply may take
    long_question = "Write a small Python function that adds two numbers, and a table of three examples."
    enough = 240  # characters of a reply that runs, to be looked at

    def say(self, text: str) -> None:
        """What the next replies are, to their end."""

    def begin(self, text: str) -> None:
        """The same, but they stay open until they are stopped."""

    def read(self) -> None:
        """The next prompt is long: its reading can be watched."""


class ScriptedAnswers(Answers):
    seconds = 10.0
    long_question = "What would a lake look like in winter if ice sank? Tell me of every layer, from the top."

    def __init__(self, engine: FakeEngine) -> None:
        self.engine = engine
        engine.memory, engine.report, engine.count = MEMORY, REPORT, count
        self.say("Yes.")

    def say(self, text: str) -> None:
        self.play(script_of(text), STOP)

    def begin(self, text: str) -> None:
        self.play(script_of(text), None)
        self.enough = len(text)

    def read(self) -> None:
        reason = "1,204 tokens were read again: the model's files changed."
        told = Statistics(num_prompt=19_650, num_read=11_400, num_reread=1_204, reread_reason=reason)
        self.play([Progress(0, "reading", 11_400, 19_650, num_cached=6_214)], None)
        self.engine.when_stopped = told

    def play(self, script: Iterable[ScriptEvent], ending: Finished | Failed | None) -> None:
        self.engine.script, self.engine.ending, self.engine.when_stopped = list(script), ending, Statistics()


def count(question: CountTokens) -> TokenCount:
    """About as many tokens as there are characters; the oldest turn could be left out."""
    num_tokens = sum(len(turn.text) for turn in question.turns) // CHARACTERS_OF_TOKEN
    is_long = num_tokens >= CONTEXT and len(question.turns) > 1
    return TokenCount(num_tokens, CONTEXT, num_cached=0, num_left_out=len(question.turns) - 1 if is_long else 0)
