"""Which layers of its target a drafter reads, by its config. No MLX."""

from __future__ import annotations

from engine.models.drafting.fields import MOST_PARTS, Fields
from engine.models.errors import DrafterError


def read_taps(fields: Fields, name: str, num_target_layers: int, *, counts_inputs: bool = False) -> tuple[int, ...]:
    """Layers whose outputs are read, -1 for the embeddings; speculators counts the layers' inputs.

    DrafterError says what cannot be of the target that it was trained for, by `num_target_layers`, 0 where nothing
    tells it.
    """
    shift = 1 if counts_inputs else 0
    num_layers = num_target_layers or MOST_PARTS
    taps = tuple(index - shift for index in fields.numbers(name, least=shift - 1, most=num_layers - 1 + shift))
    if num_target_layers and num_target_layers - 1 in taps:
        raise DrafterError(
            f"{name} is {fields.values[name]!r} in {fields.where}: it reads the last layer ({num_target_layers - 1}), "
            "whose output is not the same in all implementations; choose another drafter"
        )
    return taps
