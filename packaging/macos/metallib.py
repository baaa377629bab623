"""MLX's library of Metal kernels: on which macOS it loads, and where MLX looks for it.

MLX 0.32 (mlx/backend/metal/device.cpp, load_default_library) asks dladdr for the path of libmlx.dylib and looks beside
it. The format's header is read as github.com/YuAo/MetalLibraryArchive describes it.
"""

from __future__ import annotations

import struct
from pathlib import Path

LIBRARY = "libmlx.dylib"
PLACES = ("mlx.metallib", "Resources/mlx.metallib")  # beside the library, in MLX's order
_HEADER = struct.Struct("<4s4HHH")  # magic, target and file versions, then the system's major and minor


def minimum_macos(path: Path) -> tuple[int, int]:
    """The oldest macOS that takes the library."""
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
    if len(head) < _HEADER.size or head[:4] != b"MTLB":
        raise ValueError(
            f"{path} begins with {head[:4]!r}, not with MTLB: it is no Metal library; install mlx-metal anew"
        )
    *_, major, minor = _HEADER.unpack(head)
    return major, minor


def beside(library: Path) -> Path | None:
    """What MLX finds if dyld tells it that `library` was loaded by this very path."""
    return next((place for name in PLACES if (place := library.parent / name).is_file()), None)


def entries(mlx: Path) -> list[tuple[str, str, str]]:
    """What PyInstaller has to be told for mlx's folder: the file, and a link beside the link that dyld opens.

    PyInstaller has every library loaded as @rpath/<name> from the top folder, where links to all of them lie.
    """
    place = f"mlx/lib/{PLACES[0]}"
    return [(place, str(mlx / "lib" / PLACES[0]), "DATA"), (PLACES[0], place, "SYMLINK")]
