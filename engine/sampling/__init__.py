"""Re-exports what the rest of the engine uses of sampling."""

from engine.sampling.choice import Choice, Chosen, RowScores
from engine.sampling.choose import choose, draw, weigh
from engine.sampling.noise import noise, noise_key

__all__ = ["Choice", "Chosen", "RowScores", "choose", "draw", "noise", "noise_key", "weigh"]
