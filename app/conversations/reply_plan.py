"""ReplyPlan: everything that a reply is made with, the chat itself aside."""

from __future__ import annotations

from dataclasses import dataclass

from engine.messages import GREEDY, UNQUANTISED, KvScheme, Sampling


@dataclass(frozen=True, slots=True)
class ReplyPlan:
    """As Submit has it; what is 0 or "" is the model's own."""

    target: str
    drafter: str  # one that the engine knows
    system_prompt: str = ""
    sampling: Sampling = GREEDY  # its seed too
    kv: KvScheme = UNQUANTISED
    context_length: int = 0
    template: str = ""
    notices: tuple[str, ...] = ()  # what is not as it was chosen, for the user
