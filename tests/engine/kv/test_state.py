"""A row's state, cut at a token, kept and put back together."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.kv.state import RowState
from engine.messages import UNQUANTISED, KvScheme
from tests.engine.families import FAMILIES
from tests.engine.kv.driving import Driven, state_arrays
from tests.engine.tiny import tiny_model

TEXT = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7]


@pytest.fixture(scope="module", params=sorted(FAMILIES))
def tiny(request: pytest.FixtureRequest) -> Driven:
    return Driven(tiny_model(request.param, **FAMILIES[request.param]))


def test_columns_left_out_are_those_of_the_first_tokens(tiny):
    rows = tiny.batch([TEXT])
    whole, rest = rows.extract(0), rows.extract(0, 11)
    assert rest.start == 11
    for array, part in zip(whole.grown, rest.grown, strict=True):
        assert mx.array_equal(part, array[:, :, 11:])


@pytest.mark.parametrize("scheme", [UNQUANTISED, KvScheme(8, 32)], ids=str)
def test_state_put_back_from_its_parts_goes_on_bit_for_bit(scheme):
    tiny = Driven(tiny_model("llama", head_dim=32), scheme)
    assert_put_back_goes_on(tiny)


def test_state_of_every_family_put_back_from_its_parts_goes_on_bit_for_bit(tiny):
    assert_put_back_goes_on(tiny)


def assert_put_back_goes_on(tiny: Driven) -> None:
    """Cut a row's state in two at a token, join the parts as a store would, and compare with the row itself."""
    rows = tiny.batch([TEXT])
    whole, rest = rows.extract(0), rows.extract(0, 11)
    heads = [array[:, :, :11] for array in whole.grown]
    grown = [mx.concatenate(parts, axis=2) for parts in zip(heads, rest.grown, strict=True)]
    again = tiny.open()
    again.prepare_append([RowState(len(TEXT), again.shape.split(grown, rest.fixed))]).commit()
    assert mx.array_equal(tiny.forward(again, [[5, 6]]), tiny.forward(rows, [[5, 6]]))


def test_shape_counts_every_array(tiny):
    state = tiny.read(TEXT)
    shape = tiny.open().shape
    assert (len(state.grown), len(state.fixed)) == (sum(shape.num_grown), sum(shape.num_fixed))
    assert len(state_arrays(state)) > 0
