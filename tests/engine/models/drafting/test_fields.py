"""Fields of a config are read as what they must be, or refused by name with what was found and what is needed."""

from __future__ import annotations

from typing import Any

import pytest

from engine.models.drafting.fields import LARGEST, Fields, required_number
from engine.models.errors import DrafterError

CONFIG = {"size": 8, "none": None, "zero": 0, "eps": 1e-6, "yes": True, "taps": [0, 3], "kind": "b", "in": {"size": 2}}
FIELDS = Fields(CONFIG)


def test_fields_are_read():
    assert (FIELDS.number("size"), required_number(CONFIG, "size"), FIELDS.section("in").number("size")) == (8, 8, 2)
    assert [FIELDS.optional_number(name, 5) for name in ("size", "none", "zero", "absent")] == [8, 5, 5, 5]
    assert (FIELDS.real("eps"), FIELDS.real("size"), FIELDS.real("none", 2.0)) == (1e-6, 8.0, 2.0)
    assert (FIELDS.flag("yes"), FIELDS.flag("none"), FIELDS.flag("absent", default=True)) == (True, False, True)
    assert (FIELDS.numbers("taps"), FIELDS.choice("kind", "ab"), FIELDS.choice("absent", "ab", "a")) == (
        (0, 3),
        "b",
        "a",
    )
    assert (FIELDS.has("zero"), FIELDS.has("none"), FIELDS.section("absent").has("size")) == (True, False, False)


WRONG: dict[str, list[Any]] = {
    "number": [None, True, 0, -1, 1.0, "8", [8], {}, LARGEST + 1, 10**400],
    "optional_number": [True, False, -1, 1.0, "8", [], {}, LARGEST + 1, 10**400],
    "real": [None, True, 0, 0.0, -1e-6, "1e-6", [1.0], {}, float("nan"), float("inf"), 10**400],
    "flag": ["false", "true", 0, 1, [], {}],
    "numbers": [None, 3, "3", [], ["3"], [True], [1.0], [-1], [[1]], [10**9], {}],
    "section": [True, 0, "x", [{}]],
}


@pytest.mark.parametrize(("method", "value"), [(method, value) for method in WRONG for value in WRONG[method]])
def test_field_of_another_kind_or_size_is_refused_by_name(method, value):
    with pytest.raises(
        DrafterError, match=r"^the field part is .* in the drafter's config.json; it must be .*: download"
    ) as refusal:
        getattr(Fields({"part": value}), method)("part")
    assert repr(value)[:90] in str(refusal.value)
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize("value", [None, "c", True, 3, ["a"], {"a": 1}])
def test_word_that_is_none_of_the_choices_is_refused_with_these(value):
    with pytest.raises(DrafterError, match="it must be 'a' or 'b'"):
        Fields({"part": value}).choice("part", ("a", "b"))


def test_bound_may_be_a_fields_own():
    assert Fields({"layers": 4}).number("layers", most=4) == 4
    assert Fields({"taps": [-1]}).numbers("taps", least=-1) == (-1,)
    assert Fields({"share": 1}).real("share", most=1.0) == 1.0
    with pytest.raises(DrafterError, match=r"share is 1\.5 .* a finite number above 0 and not above 1:"):
        Fields({"share": 1.5}).real("share", most=1.0)
    with pytest.raises(DrafterError, match="not above 4"):
        Fields({"layers": 5}).number("layers", most=4)
