"""Metal's wired limit: what stays resident for the GPU, so that weights are not paged out between replies."""

from __future__ import annotations

import platform
from collections.abc import Callable

import mlx.core as mx

LEAST_MACOS = 15  # before it MLX has no residency sets, and the limit no effect


class WiredLimit:
    """Raises the limit while models are loaded, and puts it back."""

    def __init__(self, num_bytes: int | None = None, set_limit: Callable[[int], int] = mx.set_wired_limit) -> None:
        """`num_bytes` is the limit while models are loaded, 0 for leaving it alone; None is what the device recommends.
        `set_limit` returns the limit before."""
        self._num_bytes = recommended_bytes() if num_bytes is None else num_bytes
        self._set_limit = set_limit
        self._before: int | None = None  # while it is raised

    def keep(self, *, is_raised: bool) -> None:
        """Have the limit raised, or as it was; does nothing where it is so."""
        if not self._num_bytes or is_raised == (self._before is not None):
            return
        if self._before is None:
            self._before = self._set_limit(self._num_bytes)
        else:
            self._set_limit(self._before)
            self._before = None


def recommended_bytes() -> int:
    """What Metal recommends to one process; 0 where there is no such limit."""
    if not mx.metal.is_available() or int(platform.mac_ver()[0].partition(".")[0] or 0) < LEAST_MACOS:
        return 0
    return int(mx.device_info()["max_recommended_working_set_size"])
