"""Re-exports the command; loads no MLX."""

from engine.prove.command import add_prove, run_prove

__all__ = ["add_prove", "run_prove"]
