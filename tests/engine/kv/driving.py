"""Rows of a tiny model, read and driven by hand."""

from __future__ import annotations

from collections.abc import Sequence

import mlx.core as mx
import mlx.nn as nn

from engine.kv.rows import BatchedRows, open_rows
from engine.kv.state import RowState
from engine.messages import UNQUANTISED, KvScheme


class Driven:
    """One model and how its rows keep keys and values."""

    def __init__(self, model: nn.Module, scheme: KvScheme = UNQUANTISED) -> None:
        self.model = model
        self._scheme = scheme

    def open(self) -> BatchedRows:
        return open_rows(self.model, 8, self._scheme)

    def read(self, token_ids: Sequence[int], chunk_length: int = 50) -> RowState:
        """A text read alone, in chunks."""
        rows = self.open()
        rows.prepare_append([None]).commit()
        for start in range(0, len(token_ids), chunk_length):
            chunk = list(token_ids[start : start + chunk_length])
            self.forward(rows, [chunk], keeps_all=True)
            rows.evaluate()
            rows.commit([len(chunk)])
        return rows.extract(0)

    def batch(self, texts: Sequence[Sequence[int]]) -> BatchedRows:
        """Rows that joined one after the other; those without a text joined empty."""
        rows = self.open()
        for text in texts:
            rows.prepare_append([self.read(text) if text else None]).commit()
        return rows

    def forward(self, rows: BatchedRows, windows: Sequence[Sequence[int]], keeps_all: bool = False) -> mx.array:
        rows.begin(len(windows[0]), keeps_all)
        return self.model(mx.array([list(window) for window in windows]), cache=rows.layers)

    def speculate(self, rows: BatchedRows, texts: Sequence[list[int]], depth: int, accepted: Sequence[int]) -> None:
        """Extend every text by one greedy round whose proposal is right in the first accepted[i] places."""
        truths = [self.greedy(text, depth) for text in texts]
        windows = []
        for text, truth, count in zip(texts, truths, accepted, strict=True):
            windows.append([text[-1], *truth[:count], *((token_id + 1) % 64 for token_id in truth[count:])])
        chosen = self._chosen(self.forward(rows, windows))
        kept = []
        for text, window, ids in zip(texts, windows, chosen, strict=True):
            num_accepted = next((i for i in range(depth) if ids[i] != window[i + 1]), depth)
            text += ids[: num_accepted + 1]
            kept.append(num_accepted + 1)
        rows.commit(kept)

    def greedy(self, text: Sequence[int], num_tokens: int) -> list[int]:
        """What follows a text, alone and one token at a time."""
        rows = self.batch([text[:-1]])
        ids = [text[-1]]
        for _ in range(num_tokens):
            ids += self._chosen(self.forward(rows, [ids[-1:]]))[0]
            rows.commit([1])
        return ids[1:]

    def _chosen(self, logits: mx.array) -> list[list[int]]:
        chosen: list[list[int]] = mx.argmax(logits, axis=-1).tolist()  # type: ignore[assignment]
        return chosen


def state_arrays(state: RowState) -> list[mx.array]:
    """All arrays of a row's state, in order."""
    return list(state.arrays())
