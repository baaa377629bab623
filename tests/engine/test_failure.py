"""What an exception's text becomes for the user."""

from __future__ import annotations

import pytest

from engine.failure import sentence


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unknown drafter 'x'; choose one", "Unknown drafter 'x'; choose one."),
        ("config.json is missing.", "config.json is missing."),
        ("'/a/b' cannot be read", "'/a/b' cannot be read."),
        ("mlx-lm cannot load it", "mlx-lm cannot load it."),
        ("stopped", "Stopped."),
    ],
)
def test_sentence_begins_with_a_capital_unless_it_begins_with_a_name(text, expected):
    assert sentence(ValueError(text)) == expected
