"""Runs the checks and counts what they find; what was counted stays when a run is interrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from engine.messages import Failed, ModelFacts
from engine.prove.cases import Case
from engine.prove.checks import CHECKS, Check, Made
from engine.prove.comparison import Parting, examine
from engine.prove.driver import Driver, Reply
from engine.prove.scripted import STRESS, stress_drafter

NONE = "none"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One reply beside its reference: where it parted, or why it failed, if it did."""

    case: str
    num_proposed: int
    num_accepted: int
    is_proof: bool
    parting: Parting | None
    failure: str

    @property
    def is_equal(self) -> bool:
        return self.parting is None and not self.failure

    @property
    def is_near_tie(self) -> bool:
        return self.parting is not None and self.parting.is_near_tie


@dataclass(slots=True)
class Tally:
    """One check with one drafter."""

    check: Check
    drafter: str
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def num_equal(self) -> int:
        return sum(outcome.is_equal for outcome in self.outcomes)

    @property
    def num_near_ties(self) -> int:
        return sum(outcome.is_near_tie for outcome in self.outcomes)

    @property
    def num_differences(self) -> int:
        return len(self.outcomes) - self.num_equal - self.num_near_ties

    @property
    def num_proposed(self) -> int:
        return sum(outcome.num_proposed for outcome in self.outcomes)

    @property
    def num_accepted(self) -> int:
        return sum(outcome.num_accepted for outcome in self.outcomes)

    @property
    def remark(self) -> str:
        """Why equal replies prove nothing, or nothing of the drafter; "" where they do."""
        if not any(outcome.is_proof for outcome in self.outcomes):
            return f"proved nothing: {self.check.lacking}"
        return "" if self.num_proposed or self.drafter == NONE else "proved nothing of the drafter: it proposed nothing"


@dataclass(slots=True)
class Proof:
    """What was found so far."""

    facts: ModelFacts | None = None
    tallies: list[Tally] = field(default_factory=list)
    is_complete: bool = False

    @property
    def num_differences(self) -> int:
        return sum(tally.num_differences for tally in self.tallies)


def run_proof(
    proof: Proof, driver: Driver, cases: Sequence[Case], drafters: Sequence[str], tell: Callable[[str], None]
) -> None:
    """Fill `proof`; raises BadInputError and EngineFailedError where replies cannot be made at all."""
    tell("loading the model")
    proof.facts = driver.load()
    for drafter in drafters:  # one that cannot be used is told of before minutes are spent
        driver.make(
            cases[0].prompt, replace(cases[0].sampling, max_tokens=min(1, cases[0].sampling.max_tokens)), drafter
        )
    references: list[Reply] = []
    for case in cases:
        tell(f"reference {case.index + 1} of {len(cases)}: {case.label}")
        references.append(driver.make(case.prompt, case.sampling, NONE))
    with stress_drafter(lambda index: references[index].token_ids):
        plan = [(check, drafter) for check in CHECKS for drafter in (*drafters, STRESS)]
        plan = [(check, drafter) for check, drafter in plan if check.is_for_none or drafter != NONE]
        for number, (check, drafter) in enumerate(plan, start=1):
            tell(f"check {number} of {len(plan)}: {check.name}, {drafter}")
            _run_check(proof, driver, cases, references, Tally(check, drafter))
    proof.is_complete = True


def _run_check(proof: Proof, driver: Driver, cases: Sequence[Case], references: Sequence[Reply], tally: Tally) -> None:
    for made in tally.check.make(driver, cases, tally.drafter):
        outcome = _compare(driver, references[made.case.index], made)
        if not tally.outcomes:
            proof.tallies.append(tally)
        tally.outcomes.append(outcome)


def _compare(driver: Driver, reference: Reply, made: Made) -> Outcome:
    failure = made.reply.end.text if isinstance(made.reply.end, Failed) else ""
    statistics = made.reply.statistics
    return Outcome(
        case=made.case.label,
        num_proposed=statistics.num_proposed,
        num_accepted=statistics.num_accepted,
        is_proof=made.is_proof,
        parting=None if failure else examine(driver, made.case, reference, made.reply),
        failure=failure,
    )
