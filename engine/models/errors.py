"""The one exception that model files raise."""

from __future__ import annotations


class ModelError(Exception):
    """A model cannot be used; its text says what was found, what was needed and what to do."""

    code = "model"
