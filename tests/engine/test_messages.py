"""Messages: immutable values of plain Python types."""

from __future__ import annotations

import dataclasses

import pytest

from engine import messages


@pytest.mark.parametrize(
    "name", sorted(name for name in vars(messages) if dataclasses.is_dataclass(vars(messages)[name]))
)
def test_messages_are_immutable(name):
    kind = vars(messages)[name]
    assert kind.__dataclass_params__.frozen
    assert hasattr(kind, "__slots__")
