"""What a proof found, as a table for people and as an object for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from engine.prove.comparison import Parting
from engine.prove.proof import Outcome, Proof, Tally

HEADER = ("check", "drafter", "replies", "equal", "near ties", "differences", "proposed", "accepted")
NUM_TEXTS = 2  # columns of text, which are aligned left


def table(proof: Proof) -> Iterator[str]:
    """Lines: a row for each check and drafter, each near tie and difference, and what it comes to."""
    if proof.tallies:
        rows = [HEADER, *(tuple(map(str, _cells(tally))) for tally in proof.tallies)]
        remarks = ["", *(tally.remark for tally in proof.tallies)]
        for line, remark in zip(_aligned(rows), remarks, strict=True):
            yield f"{line}  {remark}".rstrip()
        yield ""
    for tally in proof.tallies:
        for outcome in tally.outcomes:
            if not outcome.is_equal:
                yield _sentence(tally, outcome)
    yield _verdict(proof)


def describe(proof: Proof) -> dict[str, Any]:
    """The JSON object of a proof."""
    return {
        "model": proof.facts.name if proof.facts else "",
        "quantisation": proof.facts.quantisation if proof.facts else "",
        "is_complete": proof.is_complete,
        "num_differences": proof.num_differences,
        "checks": [_describe(tally) for tally in proof.tallies],
    }


def _describe(tally: Tally) -> dict[str, Any]:
    names = (name.replace(" ", "_") for name in HEADER)
    unequal = [
        {"case": outcome.case, "is_near_tie": outcome.is_near_tie, "failure": outcome.failure}
        | (asdict(outcome.parting) if outcome.parting else {})
        for outcome in tally.outcomes
        if not outcome.is_equal
    ]
    return {**dict(zip(names, _cells(tally), strict=True)), "remark": tally.remark, "unequal": unequal}


def _cells(tally: Tally) -> tuple[str | int, ...]:
    return (
        tally.check.name,
        tally.drafter,
        len(tally.outcomes),
        tally.num_equal,
        tally.num_near_ties,
        tally.num_differences,
        tally.num_proposed,
        tally.num_accepted,
    )


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.ljust(width) if index < NUM_TEXTS else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells)


def _sentence(tally: Tally, outcome: Outcome) -> str:
    kind = "near tie" if outcome.is_near_tie else "DIFFERENCE"
    where = f"{kind}: {tally.check.name}, {tally.drafter}, {outcome.case}"
    return f"{where}: {outcome.failure}" if outcome.parting is None else f"{where}, {_parting(outcome.parting)}"


def _parting(parting: Parting) -> str:
    shapes = ", ".join(f"{shape.num_rows}×{shape.width}" for shape in parting.shapes)
    moved = f"{shapes} rows × width moved {parting.dtype} scores by {parting.movement:.3g}"
    tokens = f"token {parting.position}: {parting.found}, alone {parting.expected}"
    return f"{tokens}; gap {parting.gap:.3g}, tolerance {parting.tolerance:.3g} ({moved})"


def _verdict(proof: Proof) -> str:
    if not proof.tallies:
        return "Nothing was proved."
    num_replies = sum(len(tally.outcomes) for tally in proof.tallies)
    num_equal = sum(tally.num_equal for tally in proof.tallies)
    num_near_ties = sum(tally.num_near_ties for tally in proof.tallies)
    start = "There are real differences" if proof.num_differences else "No real difference"
    counts = (
        f"{num_equal} of {num_replies} replies equal, {num_near_ties} near ties, {proof.num_differences} differences"
    )
    return f"{start}: {counts}{'.' if proof.is_complete else '; not all checks were made.'}"
