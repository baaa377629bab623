"""UsableDrafters: what drafts in place of a drafter that is gone or does not fit, and the sentence that says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.asking import RefusedError, ask
from app.bridge import EngineBridge
from app.conversations.off_thread import run_off_thread
from app.latest import wait_for
from app.models.drafters import DEFAULT_DRAFTER, drafter_name, split_drafter
from app.system.machine import PLACE
from app.tasks import start
from engine.messages import DrafterFacts, InspectDrafter

MOST_SECONDS = 2.0  # that a message waits for what is known of its drafter
GONE = f"is gone from {PLACE}"
UNREADABLE = "cannot be read any more"
MISFIT = "does not fit this model"
ANY_KIND = ("auto", "model")  # whose folder may hold a drafter of another kind
UNKNOWN = "unknown"


class UsableDrafters:
    """`automatic` names the drafter that AUTOMATIC stands for with a target."""

    def __init__(self, bridge: EngineBridge, automatic: Callable[[str], str]) -> None:
        self._bridge = bridge
        self._automatic = automatic

    async def usable(self, drafter: str, target: str) -> tuple[str, str]:
        """The drafter of a reply, and the notice that belongs to it, "" where it is the one that was asked for.

        One of which nothing is known in time is taken as it is.
        """
        problem = await self._problem(drafter, target)
        if not problem:
            return drafter, ""
        other = self._automatic(target)
        if other == drafter or await self._problem(other, target):
            other = DEFAULT_DRAFTER
        used = "no drafter" if other == "none" else drafter_name(other)
        return other, f"The drafter {drafter_name(drafter)} {problem}; {used} was used."

    async def _problem(self, drafter: str, target: str) -> str:
        """What is wrong with it, as the middle of a sentence; "" where nothing is, as far as is known."""
        kind, path = split_drafter(drafter)
        if not path:
            return ""
        found: list[str] = []

        async def look() -> None:
            found.append(await self._look(kind, path, target))

        await wait_for(start(look()), MOST_SECONDS)
        return found[0] if found else ""

    async def _look(self, kind: str, path: str, target: str) -> str:
        try:
            facts = await self._ask(path, target)
        except RefusedError as error:
            return "" if error.code == "engine" else await self._look_alone(path)
        is_other = kind not in ANY_KIND and facts.kind not in (kind, UNKNOWN)
        return MISFIT if facts.refusal or is_other else ""

    async def _look_alone(self, path: str) -> str:
        """Nothing where the target could not be read: that is no fault of its drafter."""
        try:
            await self._ask(path, "")
        except RefusedError as error:
            if error.code == "engine":
                return ""
            return UNREADABLE if await run_off_thread(lambda: Path(path).exists()) else GONE
        return ""

    async def _ask(self, path: str, target: str) -> DrafterFacts:
        return await ask(self._bridge, lambda number: InspectDrafter(number, path, target), DrafterFacts)
