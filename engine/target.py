"""The model that decides: reads prompts, verifies proposals, keeps what was accepted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

from engine.cost_file import CostFile
from engine.depth import MeasuredDepth
from engine.donors import find_donors, read_donors
from engine.drafters.base import TargetPorts, TargetView
from engine.drafters.weights import num_bytes_of
from engine.kv.rows import MAX_ROWS, Rows, open_rows
from engine.kv.single import SingleRow
from engine.kv.state import StateKind
from engine.messages import UNQUANTISED, KvScheme, ModelFacts
from engine.models.drafting.spec import DONORS
from engine.models.fingerprint import Content
from engine.models.memory import NO_SIZE, RowSize
from engine.prompt_cache.identity import stream_of
from engine.structure import Structure
from engine.taps import Taps

LONG_CHUNK = 128  # tokens of a forward whose time is that of its tokens, not of its launch


@dataclass(frozen=True, slots=True)
class Verified:
    """One forward over every row's window; lazy.

    logits [rows, width, vocabulary]: at window position j, for the token that follows it.
    context: the layers that were tapped, side by side, [rows, width, layers · hidden], or None where none was.
    """

    logits: mx.array
    context: mx.array | None


class Target:
    """One loaded model; the rows that it works on are handed in, so several groups may share it."""

    def __init__(
        self,
        model: nn.Module,
        facts: ModelFacts,
        cost_path: Path | None = None,
        content: Content | None = None,
        row_size: RowSize = NO_SIZE,
    ) -> None:
        """`cost_path` keeps what forwards take between starts; None keeps it in memory. `content` is what the prompt
        cache knows the model by; None keeps its states out of it. `row_size` is what rows and forwards take."""
        self._model = model
        self.facts = facts
        self.weight_bytes = num_bytes_of(model)
        self._content = content
        self.row_size = row_size
        structure = Structure(model, facts.model_type)
        self._taps = Taps(structure)
        self._donor_layers = find_donors(structure)
        self._ports = structure.ports | (frozenset((DONORS,)) if self._donor_layers else frozenset())
        self._own = TargetPorts(
            structure.hidden_size,
            len(structure.layers),
            structure.embed_scale,
            structure.embed,
            structure.head,
            structure.head_rows,
        )
        self._state_kinds: dict[KvScheme, StateKind | None] = {}  # every request asks for its own
        self._cost_file = CostFile(cost_path)
        self.costs = self._cost_file.costs
        self.depth = MeasuredDepth(self.costs)
        self.prefill_tokens_per_second = 0.0  # of the last chunk; 0.0 before the first
        self.long_prefill_tokens_per_second = 0.0  # of the last chunk that was not bound by launches; 0.0 before one

    @property
    def model(self) -> nn.Module:
        """The mlx-lm model itself, for whoever has to read text without our rows."""
        return self._model

    @property
    def view(self) -> TargetView:
        """What a drafter is checked against; without rows there are no donors to read."""
        return TargetView(self.facts.vocab_size, self.facts.context_length, self._ports, self._own)

    def view_of(self, rows: Rows) -> TargetView:
        """What a drafter sees of the target and of these rows in it."""
        return replace(self.view, donors=partial(read_donors, self._donor_layers, rows))

    def rest(self) -> None:
        """Store what was measured, while nothing runs."""
        self._cost_file.store()

    def open_rows(self, kv_scheme: KvScheme = UNQUANTISED) -> Rows:
        """Empty state for rows; a model outside the proven list gets one unquantised row that cannot be rewound."""
        if self.facts.batch_refusal:
            return SingleRow(self._model)
        return open_rows(self._model, MAX_ROWS, kv_scheme)

    def state_kind(self, kv_scheme: KvScheme = UNQUANTISED) -> StateKind | None:
        """The kind of its rows' state; None where that cannot be kept."""
        if kv_scheme not in self._state_kinds:
            self._state_kinds[kv_scheme] = self._find_state_kind(kv_scheme)
        return self._state_kinds[kv_scheme]

    @property
    def state_kinds(self) -> list[StateKind | None]:
        """Those of the schemes that requests asked for, and of unquantised rows."""
        self.state_kind()
        return list(self._state_kinds.values())

    def _find_state_kind(self, kv_scheme: KvScheme) -> StateKind | None:
        shape = self.open_rows(kv_scheme).shape
        if self._content is None or shape is None:
            return None
        return StateKind(stream_of("target", self.facts, self._content, kv_scheme), shape)

    def prefill(self, rows: Rows, chunks: Sequence[Sequence[int]], tap_layers: tuple[int, ...] = ()) -> mx.array | None:
        """Append equally many prompt tokens to every row; evaluates the state and no logits. Returns the taps."""
        started = time.monotonic()
        width = len(chunks[0])
        rows.begin(width, keeps_all=True)
        token_ids = mx.array([list(chunk) for chunk in chunks], dtype=mx.int32)
        context = self._forward(rows, token_ids, tap_layers).context
        rows.evaluate()
        rows.commit([width] * len(chunks))
        self.prefill_tokens_per_second = len(chunks) * width / max(time.monotonic() - started, 1e-6)
        if len(chunks) * width >= LONG_CHUNK:
            self.long_prefill_tokens_per_second = self.prefill_tokens_per_second
        return context

    def verify(self, rows: Rows, windows: mx.array, tap_layers: tuple[int, ...] = ()) -> Verified:
        """Forward every row's window, [rows, width] int32; nothing of it is kept before `rows.commit`."""
        self._cost_file.store_now_and_then()
        rows.begin(windows.shape[1])
        return self._forward(rows, windows, tap_layers)

    def _forward(self, rows: Rows, token_ids: mx.array, tap_layers: tuple[int, ...]) -> Verified:
        """Nothing is computed for a drafter that asks for nothing."""
        if not tap_layers:
            return Verified(self._model(token_ids, cache=rows.layers), None)
        return Verified(*self._taps.run(token_ids, rows.layers, tap_layers))
