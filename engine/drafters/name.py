"""How a drafter is named: a kind, with a path behind it where the kind has weights. No MLX."""

from __future__ import annotations

CHOICES = "none, ngram, suffix or auto:PATH, where PATH is the folder of a drafter of any kind"


def split_name(name: str) -> tuple[str, str]:
    """The kind, and the path behind its colon or ""."""
    kind, _, path = name.partition(":")
    return kind, path
