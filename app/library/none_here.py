"""What is said where no model is on this computer."""

from __future__ import annotations

from app.figures import write_bytes
from app.library.catalogue import smallest
from app.system.machine import PLACE


def no_model_words() -> str:
    return f"No model is on {PLACE}. The smallest in the catalogue is {write_bytes(smallest().size_bytes)}."
