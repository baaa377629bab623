import io
import json

import pytest

from app.conversations.importing import json_stream
from app.conversations.importing.json_stream import BrokenJsonError, elements_of

KINDS = [
    ["word " * 40] * 20_000,
    {str(number): [number, -1.5e3, None, True, {"a": []}] for number in range(60_000)},
    '\\ " \n \u2028 日本 😀' * 150_000,
    [[[]]] * 400_000,
]


@pytest.mark.parametrize("value", KINDS, ids=["strings", "object", "escapes", "lists"])
@pytest.mark.parametrize("is_array", [True, False])
def test_long_element_is_read_as_any_other(value, is_array):
    whole = {"chat": value}
    text = json.dumps([1, whole, 2] if is_array else whole)
    assert len(text) > 1 << 21
    assert list(elements_of(io.StringIO(text))) == ([1, whole, 2] if is_array else [whole])


def test_short_elements_behind_a_long_one_are_read(monkeypatch):
    value = [[1] * 900_000, *range(5_000), [2] * 900_000, {}]
    assert list(elements_of(io.StringIO(json.dumps(value)))) == value


@pytest.mark.parametrize("end", ["", "]", "}", '"', ",", "\\"])
def test_long_element_that_breaks_off_is_told(end):
    with pytest.raises(BrokenJsonError):
        list(elements_of(io.StringIO('[{"a": [' + '"word", ' * 300_000 + end)))


@pytest.mark.parametrize("text", ['"' + "x" * 900_000 + '"', "[" + "[1,2]," * 150_000])
def test_element_that_would_not_fit_is_told(text, monkeypatch):
    monkeypatch.setattr(json_stream, "_LONG", 300_000)
    monkeypatch.setattr(json_stream, "_LONGEST", 800_000)
    with pytest.raises(BrokenJsonError, match="too long"):
        list(elements_of(io.StringIO('{"a": ' + text)))
