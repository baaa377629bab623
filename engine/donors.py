"""Keys and values of a target's last layers of each kind, which layers without any of their own attend to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.drafters.base import Donor
from engine.kv.rows import Rows
from engine.structure import Structure

DonorLayers = Mapping[str, tuple[int, int | None]]  # by kind of layer: which cache, and the window it looks back


def find_donors(structure: Structure) -> DonorLayers:
    """The last layer of each kind that writes keys and values of its own; {} where the model's layers name no kinds."""
    kinds = [getattr(layer, "layer_type", None) for layer in structure.layers]
    sources: Sequence[int] | None = getattr(structure.inner, "previous_kvs", None)
    if sources is None or not all(isinstance(kind, str) for kind in kinds):
        return {}
    own = {kind: index for index, kind in enumerate(kinds) if sources[index] == index}
    window = getattr(structure.inner, "window_size", None)
    return {str(kind): (index, window if kind == "sliding_attention" else None) for kind, index in own.items()}


def read_donors(layers: DonorLayers, rows: Rows) -> Mapping[str, Donor]:
    """What those layers hold of committed tokens; a kind is missing while no row has any."""
    held = {kind: (rows.layers[index].held(), window) for kind, (index, window) in layers.items()}
    return {
        kind: Donor(tokens.keys, tokens.values, tokens.positions, window)
        for kind, (tokens, window) in held.items()
        if tokens is not None
    }
