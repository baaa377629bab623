"""What a model is called for people, where only its target is known."""

from __future__ import annotations

from engine.messages import STARTER

STARTER_NAME = "SmolLM2 135M"
_CACHE_ENTRY = "models--"  # of Hugging Face's cache: models--organisation--name


def model_name(target: str) -> str:
    """The name of its folder or file, or that of its cache entry; "" for none."""
    if target == STARTER:
        return STARTER_NAME
    parts = [part for part in target.replace("\\", "/").split("/") if part]
    entries = [part for part in parts if part.startswith(_CACHE_ENTRY)]
    return entries[-1].rsplit("--", 1)[-1] if entries else parts[-1] if parts else ""
