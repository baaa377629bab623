"""The wired limit is raised while models are loaded, and put back."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.loading import Loader
from engine.messages import Event, LoadModel, UnloadModel
from engine.replies import Replies
from engine.residence import Residence
from engine.wired_limit import WiredLimit, recommended_bytes


def test_limit_is_raised_once_and_put_back_as_it_was():
    limits = [7]
    wired = WiredLimit(100, lambda num_bytes: limits.append(num_bytes) or limits[-2])
    for is_raised in (False, True, True, False, False, True):
        wired.keep(is_raised=is_raised)
    assert limits == [7, 100, 7, 100]


def test_limit_is_left_alone_where_there_is_none():
    wired = WiredLimit(0, lambda num_bytes: 1 // 0)
    wired.keep(is_raised=True)
    wired.keep(is_raised=False)


@pytest.mark.skipif(mx.metal.is_available(), reason="it has one there")
def test_other_backends_have_no_such_limit():
    assert recommended_bytes() == 0


def test_models_that_come_and_go_raise_it_and_put_it_back(data_dir, target):
    limits: list[int] = []
    events: list[Event] = []
    wired = WiredLimit(100, lambda num_bytes: limits.append(num_bytes) or 0)
    loader = Loader(data_dir, Replies(), events.append, lambda *_: None, lambda *_: None)
    residence = Residence(loader, events.append, lambda *_: False, wired)
    residence.want(LoadModel(1, str(target)))
    while residence.advance():
        pass
    assert limits == [100]
    residence.unload(UnloadModel(str(target)))
    residence.advance()
    assert limits == [100, 0]
