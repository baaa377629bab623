"""What rounding may explain."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.prove.tolerance import steps_of, tolerance

CPU, GPU = mx.Device(mx.cpu), mx.Device(mx.gpu)


def test_tolerance_is_some_times_the_measured_movement():
    assert tolerance(0.01, largest=20, spread=4, step=1e-6, sum_step=1e-3) == pytest.approx(0.04)


def test_tolerance_is_never_less_than_one_step_of_the_type():
    assert tolerance(0.0, largest=16, spread=4, step=2**-7, sum_step=2**-7) == 0.125


def test_movement_that_no_rounding_explains_is_not_tolerated():
    assert tolerance(100.0, largest=20, spread=4, step=1e-6, sum_step=1e-3) == pytest.approx(64 * 1e-3 * 4)


def test_steps_follow_the_type_and_what_multiplies_it(monkeypatch):
    monkeypatch.delenv("MLX_ENABLE_TF32", raising=False)
    assert steps_of(mx.bfloat16, CPU) == (2**-7, 2**-7)
    assert steps_of(mx.float32, CPU) == (2**-23, 2**-17)
    assert steps_of(mx.float32, GPU) == (2**-23, 2**-10)
    monkeypatch.setenv("MLX_ENABLE_TF32", "0")
    assert steps_of(mx.float32, GPU) == (2**-23, 2**-17)
