"""ReplyPlan: everything that a reply is made with, the chat itself aside."""

from __future__ import annotations

from dataclasses import dataclass, replace

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

    def in_chat_with(self, system_prompt: str, preset: str) -> ReplyPlan:
        """For a chat with this system prompt of its own, "" for none, in place of that of the preset of this name."""
        if not system_prompt:
            return self
        is_told = self.system_prompt not in ("", system_prompt)
        words = (
            (f"This chat has its own system prompt; that of the preset “{preset}” was not used.",) if is_told else ()
        )
        return replace(self, system_prompt=system_prompt, notices=(*self.notices, *words))
