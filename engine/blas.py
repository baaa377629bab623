"""Loading of an OpenBLAS on Linux, ahead of MLX; standard library only.

MLX's CPU wheel carries a reference BLAS. An OpenBLAS that is loaded first, for the whole process, answers its calls
instead, several times as fast with fp32 weights.
"""

from __future__ import annotations

import ctypes
import importlib.util
import logging
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

logger = logging.getLogger(__name__)
CARRIED = "mlx_cpu.libs/libopenblas.so.0"  # beside MLX's package, in the double-clickable application


def preload_blas() -> bool:
    """Load an OpenBLAS where MLX's calls look first, unless MLX is loaded already; returns whether one is there.

    A symbol that MLX's library asks for is looked for among what was loaded for the whole process before its own
    dependencies. Source: dlopen(3), RTLD_GLOBAL.
    """
    if "mlx.core" not in sys.modules and not blas_is_preloaded() and _is_wanted() and (library := find_openblas()):
        try:
            _load(library)
        except OSError as error:
            logger.warning("%s cannot be loaded, so replies are slow: %s", library, error)
    return blas_is_preloaded()


def _load(library: Path) -> None:
    """The carried one leaves a processor to others: its threads wait for each other without giving way.

    On two processors with other programs running, a plain step takes 205 ms with two threads and 59 ms with one.
    """
    loaded = ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
    if library.match(CARRIED) and "OPENBLAS_NUM_THREADS" not in os.environ:
        loaded.openblas_set_num_threads(max(1, len(os.sched_getaffinity(0)) - 1))


def blas_is_preloaded() -> bool:
    """Tell whether an OpenBLAS is mapped where MLX's calls look first; a private copy like NumPy's does not count."""
    return sys.platform == "linux" and hasattr(ctypes.CDLL(None), "openblas_get_config")


def missing_blas_hint() -> str:
    """The sentence for a machine that could have a system OpenBLAS and has none; "" elsewhere."""
    if blas_is_preloaded() or not _is_wanted() or find_openblas():
        return ""
    return (
        "No OpenBLAS was found, so replies are slow on this computer: install libopenblas0-pthread "
        "(Debian, Ubuntu) or openblas-threads (Fedora)."
    )


def find_openblas(places: Iterable[Path] | None = None) -> Path | None:
    """The first library in `places`, or where Linux systems keep an OpenBLAS, that this processor can load."""
    return next((path for path in places or _usual_places() if _fits_this_machine(path)), None)


def preload_value(library: Path, before: str) -> str:
    return f"{library}:{before}" if before else str(library)


def _usual_places() -> Iterator[Path]:
    """The program's own comes first, and builds with threads of their own before others."""
    yield from (folder.parent / CARRIED for folder in _mlx_folders())
    debian = Path("/usr/lib", f"{platform.machine()}-linux-gnu")
    yield debian / "openblas-pthread/libopenblas.so.0"
    yield Path("/usr/lib64/libopenblasp.so.0")
    yield debian / "openblas-openmp/libopenblas.so.0"
    yield Path("/usr/lib64/libopenblaso.so.0")
    yield debian / "libopenblas.so.0"
    yield from _known_to_the_loader()


def _known_to_the_loader() -> Iterator[Path]:
    """Lines of `ldconfig -p` look like `libopenblas.so.0 (libc6,x86-64) => /usr/lib/libopenblas.so.0`."""
    command = next((path for path in ("/sbin/ldconfig", "/usr/sbin/ldconfig") if os.access(path, os.X_OK)), None)
    if command is None:
        return
    listing = subprocess.run([command, "-p"], capture_output=True, text=True, check=False).stdout
    for line in listing.splitlines():
        name, _, path = line.strip().partition(" => ")
        if name.startswith(("libopenblas.so", "libopenblasp.so")):
            yield Path(path)


def _fits_this_machine(library: Path) -> bool:
    try:
        return _elf_kind(library) == _elf_kind(Path("/proc/self/exe"))
    except OSError:
        return False


def _elf_kind(path: Path) -> tuple[bytes, bytes]:
    """Word size with byte order, and processor, of an ELF file."""
    with path.open("rb") as file:
        header = file.read(20)
    return header[4:6], header[18:20]


def _is_wanted() -> bool:
    """MLX's CPU backend on Linux calls a BLAS; Metal and CUDA bring their own."""
    if sys.platform != "linux":
        return False
    return not [found for folder in _mlx_folders() for found in folder.parent.glob("mlx_cuda*.dist-info")]


def _mlx_folders() -> list[Path]:
    spec = importlib.util.find_spec("mlx")
    return [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]


def _print_preload_value() -> None:
    """For a Makefile: the LD_PRELOAD to run a Python program with."""
    before = os.environ.get("LD_PRELOAD", "")
    library = find_openblas() if _is_wanted() and not blas_is_preloaded() else None
    print(preload_value(library, before) if library else before)
    if hint := missing_blas_hint():
        print(hint, file=sys.stderr)


if __name__ == "__main__" and sys.argv[1:] == ["--print"]:
    _print_preload_value()
