"""Drafter state of the rows of a group or a cohort, whatever drafters they asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx

from engine.drafters.base import Drafter, DrafterState, DraftRows, Proposals, TargetView, pack, pick
from engine.kv.rows import StateChange
from engine.row import Row


@dataclass(frozen=True, slots=True, eq=False)
class Company:
    """One drafter and its state of the rows that asked for it, in the order that they have in the batch."""

    drafter: Drafter
    rows: DraftRows

    def members(self, rows: Sequence[Row]) -> list[int]:
        """Batch indices of its rows."""
        return [index for index, row in enumerate(rows) if row.drafter is self.drafter]


class Companions:
    """Every drafter among some rows; each call is given those rows as they are in the batch."""

    def __init__(self, target: TargetView) -> None:
        self._target = target
        self._companies: list[Company] = []

    @property
    def num_bytes(self) -> int:
        """Memory that the drafters' state takes."""
        return sum(company.rows.num_bytes for company in self._companies)

    def prepare_append(self, row: Row, state: DrafterState | None) -> StateChange:
        """Stage a row behind the present ones; None: a cold row."""
        company = self._company(row.drafter) or Company(row.drafter, row.drafter.open(self._target))
        change = company.rows.prepare_append([state])

        def commit() -> None:
            change.commit()
            if company not in self._companies:
                self._companies.append(company)

        return StateChange(commit)

    def prefill(self, rows: Sequence[Row], chunks: Sequence[Sequence[int]], context: mx.array | None) -> None:
        for company in self._companies:
            members = company.members(rows)
            company.rows.prefill([chunks[index] for index in members], _of(context, members))

    def propose(self, rows: Sequence[Row], depths: Sequence[int], chain_depths: Sequence[int]) -> Proposals:
        """Ask every drafter for its rows' proposals, up to `depths` of what is free and `chain_depths` of what is not;
        lazy where they are."""
        parts: list[Proposals] = []
        asked: list[int] = []
        for company in self._companies:
            members = company.members(rows)
            asked += members
            views = [rows[index].draft_view(chain_depths[index], index) for index in members]
            parts.append(company.rows.propose(views, [depths[index] for index in members]))
        return pick(parts, [asked.index(index) for index in range(len(rows))]) if parts else pack(())

    def commit(self, rows: Sequence[Row], kept: Sequence[int], context: mx.array | None) -> None:
        for company in self._companies:
            members = company.members(rows)
            company.rows.commit([kept[index] for index in members], _of(context, members))

    def filter(self, rows: Sequence[Row], keep: Sequence[int]) -> None:
        """Keep some of `rows`, in order; a drafter whose last row leaves is closed."""
        staying = []
        for company in self._companies:
            members = company.members(rows)
            kept = [members.index(index) for index in keep if index in members]
            company.rows.filter(kept)
            staying += [company] if kept else []
        self._companies = staying

    def capture(self, rows: Sequence[Row], row: Row, start: int = 0) -> DrafterState:
        """A row's state; of what its drafter has read, the columns of the first `start` tokens are left out."""
        company = self._company(row.drafter)
        assert company is not None
        return company.rows.capture(company.members(rows).index(rows.index(row)), start)

    def _company(self, drafter: Drafter) -> Company | None:
        return next((company for company in self._companies if company.drafter is drafter), None)


def tap_layers_of(rows: Sequence[Row]) -> tuple[int, ...]:
    """The target layers whose outputs a forward of these rows has to hand out: one drafter among them has weights."""
    return next((row.drafter.tap_layers for row in rows if row.drafter.tap_layers), ())


def _of(context: mx.array | None, members: Sequence[int]) -> mx.array | None:
    """The context of some rows; the whole where they are all."""
    if context is None or list(members) == list(range(context.shape[0])):
        return context
    return mx.take(context, mx.array(list(members), dtype=mx.int32), axis=0)
