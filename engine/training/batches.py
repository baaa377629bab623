"""Samples as batches of few shapes, in an order that a seed gives, so that training can go on where it was stopped."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np

from engine.training.corpus import Sample

WIDTHS = (256, 512, 1024, 1600)  # a sample is padded to the next one, and a longer one cut: each has a graph of its own


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of ids, padded right, and the anchors that drafting is practised at.

    token_ids [rows, width], lengths [rows], anchors [rows, anchors]: int32. An anchor is the last position whose
    features are known; the token after it is known too, and the next one is the first that is drafted.
    """

    token_ids: mx.array
    lengths: mx.array
    anchors: mx.array


class Batches:
    """All batches of all epochs, by their number."""

    def __init__(self, samples: Sequence[Sample], num_tokens: int, num_anchors: int, seed: int) -> None:
        """`num_tokens` of one batch, padding included; each row has `num_anchors` anchors, drawn among its reply's."""
        self._num_anchors = num_anchors
        self._seed = seed
        self._num_tokens = num_tokens
        self._widths: dict[int, list[Sample]] = {}
        for sample in samples:
            if last_anchor(sample) >= first_anchor(sample):
                self._widths.setdefault(width_of(sample), []).append(sample)
        self.num_epoch = sum(-(-len(group) // self._rows(width)) for width, group in self._widths.items())
        self._epoch = -1
        self._order: list[tuple[int, list[Sample]]] = []

    def __getitem__(self, number: int) -> Batch:
        """Batch `number`, counted over all epochs; the same one whenever it is asked for."""
        epoch, index = divmod(number, self.num_epoch)
        if epoch != self._epoch:
            self._epoch, self._order = epoch, self._shuffled(epoch)
        width, samples = self._order[index]
        return make_batch(samples, width, self._num_anchors, np.random.default_rng((self._seed, number)))

    def _rows(self, width: int) -> int:
        return max(1, self._num_tokens // width)

    def _shuffled(self, epoch: int) -> list[tuple[int, list[Sample]]]:
        mixer = random.Random(f"{self._seed}-{epoch}")
        order = []
        for width, group in sorted(self._widths.items()):
            mixed, rows = mixer.sample(group, len(group)), self._rows(width)
            mixed += mixed[: -len(mixed) % rows] if len(mixed) >= rows else []  # whole batches keep shapes few
            order += [(width, mixed[start : start + rows]) for start in range(0, len(mixed), rows)]
        mixer.shuffle(order)
        return order


def width_of(sample: Sample) -> int:
    """The width that a sample is padded or cut to."""
    return next((width for width in WIDTHS if len(sample.token_ids) <= width), WIDTHS[-1])


def first_anchor(sample: Sample) -> int:
    """Where the first round begins: the reply's first token comes from the target alone."""
    return sample.num_prompt - 1


def last_anchor(sample: Sample) -> int:
    """The last position after which a token of the reply is drafted."""
    return min(len(sample.token_ids), WIDTHS[-1]) - 3


def make_batch(samples: Sequence[Sample], width: int, num_anchors: int, draws: np.random.Generator) -> Batch:
    """Pad rows to `width` and draw their anchors, with repetition where a reply is short."""
    token_ids = np.zeros((len(samples), width), dtype=np.int32)
    anchors = np.zeros((len(samples), num_anchors), dtype=np.int32)
    for row, sample in enumerate(samples):
        ids = sample.token_ids[:width]
        token_ids[row, : len(ids)] = ids
        anchors[row] = _draw(first_anchor(sample), last_anchor(sample), num_anchors, draws)
    lengths = np.array([min(width, len(sample.token_ids)) for sample in samples], dtype=np.int32)
    return Batch(mx.array(token_ids), mx.array(lengths), mx.array(anchors))


def _draw(first: int, last: int, count: int, draws: np.random.Generator) -> np.ndarray:
    places = np.arange(first, last + 1, dtype=np.int32)
    return np.sort(draws.choice(places, count, replace=len(places) < count))
