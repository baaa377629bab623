"""The exceptions that model files raise."""

from __future__ import annotations


class ModelError(Exception):
    """A model cannot be used; its text says what was found, what was needed and what to do."""

    code = "model"


class DrafterError(ModelError):
    """A drafter cannot be had, or does not fit its target; the text is the sentence for the user."""

    code = "drafter"
