"""Whether a model fits into the memory that the system allows, by the engine's own estimate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from app.asking import ask
from app.bridge import EngineBridge
from app.figures import NO_BREAK
from app.library.verdict import Verdict
from engine.messages import UNQUANTISED, EstimateMemory, KvScheme, MemoryEstimate

CONTEXTS = (2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144)  # tokens, that can be chosen
KV_BITS = (0, 8, 4)  # 0 is as the model computes


@dataclass(frozen=True, slots=True)
class Plan:
    """What a model is to be used for."""

    context_length: int  # tokens of each tab
    num_tabs: int = 1
    kv_bits: int = 0
    drafter: str = "none"  # as Submit has it

    @property
    def kv(self) -> KvScheme:
        return replace(UNQUANTISED, bits=self.kv_bits)


@dataclass(frozen=True, slots=True)
class Fit:
    """What a model takes for a plan, and what would help where that is too much."""

    plan: Plan
    estimate: MemoryEstimate
    fits_with_one_tab: bool = False
    fitting_context: int = 0  # tokens, the longest shorter one that fits with one tab; 0: none does

    @property
    def needed_bytes(self) -> int:
        return needed_bytes(self.estimate)

    @property
    def left_bytes(self) -> int:
        return self.estimate.limit_bytes - self.needed_bytes

    @property
    def can_run(self) -> bool:
        """Whether there is a way to use it at all."""
        return self.left_bytes >= 0 or self.fits_with_one_tab or bool(self.fitting_context)

    @property
    def sentence(self) -> str:
        if self.left_bytes >= 0:
            return f"Fits, {write_gigabytes(self.left_bytes)} left"
        if self.fits_with_one_tab:
            return "Fits with one tab"
        allowed = write_gigabytes(self.estimate.limit_bytes)
        found = f"Needs {write_gigabytes(self.needed_bytes)}; {allowed} is allowed."
        if not self.fitting_context:
            return found
        tabs = " with one tab" if self.plan.num_tabs > 1 else ""
        return f"{found} A context of {self.fitting_context:,} would fit{tabs}."

    @property
    def verdict(self) -> Verdict:
        """As the row of a list shows it."""
        limit = max(1, self.estimate.limit_bytes)
        is_fit = self.left_bytes >= 0 or self.fits_with_one_tab
        return Verdict(self.sentence, min(1.0, self.needed_bytes / limit), is_fit)


def needed_bytes(estimate: MemoryEstimate) -> int:
    return estimate.weight_bytes + estimate.drafter_bytes + estimate.kv_bytes + estimate.working_bytes


def write_gigabytes(count: int) -> str:
    """One digit behind the point, so that sizes under each other compare."""
    return f"{count / 1e9:,.1f}{NO_BREAK}GB"


def contexts_of(context_length: int) -> tuple[int, ...]:
    """What can be chosen for a model that reads so many tokens: the usual ones below, and all of them."""
    return (*(length for length in CONTEXTS if length < context_length), context_length)


def judge_size(num_bytes: int, limit_bytes: int) -> Verdict:
    """What is said of a model that is not here, by its weights alone; nothing where no limit is known."""
    if not limit_bytes:
        return Verdict()
    left = limit_bytes - num_bytes
    if left < 0:
        return Verdict(f"Needs {write_gigabytes(num_bytes)}; {write_gigabytes(limit_bytes)} is allowed.", 1.0, False)
    return Verdict(f"Fits, {write_gigabytes(left)} left", num_bytes / limit_bytes)


async def find_fit(bridge: EngineBridge, target: str, plan: Plan) -> Fit:
    """Ask the engine; raises RefusedError where it cannot say, with its sentence."""
    estimate = await _estimate(bridge, target, plan)
    if needed_bytes(estimate) <= estimate.limit_bytes or not estimate.limit_bytes:
        return Fit(plan, estimate)
    for smaller in _smaller(plan):
        found = await _estimate(bridge, target, smaller)
        if needed_bytes(found) <= found.limit_bytes:
            is_same_context = smaller.context_length == plan.context_length
            return Fit(plan, estimate, is_same_context, 0 if is_same_context else smaller.context_length)
    return Fit(plan, estimate)


def _smaller(plan: Plan) -> Iterator[Plan]:
    """One tab, then shorter contexts, the longest first."""
    if plan.num_tabs > 1:
        yield replace(plan, num_tabs=1)
    shorter: Iterable[int] = (length for length in reversed(CONTEXTS) if length < plan.context_length)
    for length in shorter:
        yield replace(plan, num_tabs=1, context_length=length)


async def _estimate(bridge: EngineBridge, target: str, plan: Plan) -> MemoryEstimate:
    def question(number: int) -> EstimateMemory:
        return EstimateMemory(number, target, plan.drafter, plan.context_length, plan.num_tabs, plan.kv)

    return await ask(bridge, question, MemoryEstimate)
