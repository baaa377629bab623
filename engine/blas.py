"""Preloading of a system OpenBLAS on Linux, before anything heavy is imported; standard library only.

MLX's CPU wheel carries a reference BLAS. An OpenBLAS that is loaded first answers its calls instead, several times
as fast with fp32 weights.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

GUARD = "SLIPSTREAM_LD_PRELOAD_BEFORE"  # in the environment of a process that was started again: its own LD_PRELOAD


def preload_blas() -> bool:
    """Start this process again with an OpenBLAS preloaded, at most once; returns whether one is there.

    Afterwards LD_PRELOAD is as the user had it, so that programs opened from here are not given the library.
    """
    if GUARD in os.environ:
        _restore_environment()
    elif not blas_is_preloaded() and _is_wanted() and sys.executable and (library := find_openblas()):
        _start_again(library)
    return blas_is_preloaded()


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
    """Builds with threads of their own come before others."""
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
    spec = importlib.util.find_spec("mlx")
    folders = (spec and spec.submodule_search_locations) or ()
    return not [found for folder in folders for found in Path(folder).parent.glob("mlx_cuda*.dist-info")]


def _start_again(library: Path) -> None:
    before = os.environ.get("LD_PRELOAD", "")
    environment = os.environ | {GUARD: before, "LD_PRELOAD": preload_value(library, before)}
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def _restore_environment() -> None:
    before = os.environ.pop(GUARD)
    if before:
        os.environ["LD_PRELOAD"] = before
    else:
        os.environ.pop("LD_PRELOAD", None)


def _print_preload_value() -> None:
    """For a Makefile: the LD_PRELOAD to run a Python program with."""
    before = os.environ.get("LD_PRELOAD", "")
    library = find_openblas() if _is_wanted() and not blas_is_preloaded() else None
    print(preload_value(library, before) if library else before)
    if hint := missing_blas_hint():
        print(hint, file=sys.stderr)


if __name__ == "__main__" and sys.argv[1:] == ["--print"]:
    _print_preload_value()
