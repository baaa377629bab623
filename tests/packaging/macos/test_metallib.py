"""MLX's Metal library: the macOS that it was made for, and where MLX looks for it."""

from __future__ import annotations

import pytest

from macos.metallib import beside, minimum_macos
from tests.packaging.macos.mach_files import metal_library, write


def test_the_oldest_macos_is_read_from_the_header(tmp_path):
    assert minimum_macos(write(tmp_path / "mlx.metallib", metal_library(14))) == (14, 0)
    assert minimum_macos(write(tmp_path / "mlx.metallib", metal_library(26, 2))) == (26, 2)
    with pytest.raises(ValueError, match="it is no Metal library"):
        minimum_macos(write(tmp_path / "mlx.metallib", b"version https://git-lfs"))


def test_mlx_looks_beside_its_own_library_and_then_in_resources(tmp_path):
    library = tmp_path / "libmlx.dylib"
    assert beside(library) is None
    inner = write(tmp_path / "Resources/mlx.metallib", metal_library(14))
    assert beside(library) == inner
    outer = write(tmp_path / "mlx.metallib", metal_library(14))
    assert beside(library) == outer
