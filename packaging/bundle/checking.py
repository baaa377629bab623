"""Checks a built application: what must be inside, what must not, its size, and that its libraries find each other."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from app.system.libraries import COMMON, WAYLAND, XCB
from bundle.contents import MOST_BYTES, NAME
from engine.blas import CARRIED
from engine.models.locate import CARRIED_STARTER

UNWANTED = ("tests", "__pycache__", "pip", "setuptools", "pytest", "mypy", "ruff", "PyInstaller", "tkinter", "torch")
UNWANTED_LIKE = re.compile(
    r"/(_?pytest|pip|setuptools|ruff|mypy|typer|rich)-[\d.]+\.dist-info|/direct_url\.json|Qt6?(Qml|Quick|Web)"
)
GTK = r"lib((gtk|gdk)-3|(pango\w*|atk)-1\.0|cairo|cairo-gobject|harfbuzz|(gobject|gio|gdk_pixbuf)-2\.0)\.so\.\d"
# Of the C and C++ libraries, of a theme that is used where GTK is there, and what app.system.libraries names if missing
OF_SYSTEM = re.compile(
    r"(ld-linux[\w-]*|lib(c|m|dl|rt|pthread|util|resolv|stdc\+\+|gcc_s|uuid|com_err|expat))\.so\.\d|"
    + GTK
    + "".join(f"|{re.escape(name)}" for name in (*COMMON, *XCB, *WAYLAND))
)


def contents_folder(application: Path) -> Path:
    """Where the packages and resources lie; sys._MEIPASS of the program."""
    return application / ("Contents/Resources" if application.suffix == ".app" else "_internal")


def size_of(folder: Path) -> int:
    """Bytes of all files, links not followed."""
    return sum(os.lstat(Path(parent, name)).st_size for parent, _, names in os.walk(folder) for name in names)


def size_report(application: Path) -> str:
    folder = contents_folder(application)
    parts = {path.name: size_of(path) for path in folder.iterdir() if path.is_dir() and not path.is_symlink()}
    largest = sorted(parts.items(), key=lambda item: -item[1])[:8]
    named = ", ".join(f"{name} {num_bytes / 1e6:.0f}" for name, num_bytes in largest)
    return f"{application.name} has {size_of(application) / 1e6:.0f} MB, of which {named}."


def faults(application: Path) -> list[str]:
    """Sentences; none where all is well."""
    return [*_missing(application), *_unwanted(application), *_too_large(application), *_unfound(application)]


def _missing(application: Path) -> Iterator[str]:
    folder = contents_folder(application)
    needed = [
        folder / "resources" / CARRIED_STARTER / "model.safetensors",
        folder / "resources/icons/icon.svg",
        folder / "resources/style.qss",
        folder / "mlx_lm/models/llama.py",
        *(folder / "licences" / name for name in ("python", "mlx", "pyside6-essentials/Qt.txt", "slipstream-chat")),
    ]
    if application.suffix != ".app":
        needed += [application / name for name in (NAME, "AppRun", "slipstream.desktop", "slipstream.png", "licences")]
        needed.append(folder / CARRIED)
    yield from (f"{path.relative_to(application)} is missing" for path in needed if not path.exists())


def _unwanted(application: Path) -> Iterator[str]:
    for parent, folders, names in os.walk(application):
        inner = Path(parent).relative_to(application)
        for name in sorted({*folders, *names}):
            if (path := inner / name).parts[-1] in UNWANTED or UNWANTED_LIKE.search(f"/{path.as_posix()}"):
                yield f"{path} must not be inside"
            elif (link := application / path).is_symlink() and not link.exists():
                yield f"{path} links to {link.readlink()}, which is not there"


def _too_large(application: Path) -> Iterator[str]:
    most = MOST_BYTES["darwin" if application.suffix == ".app" else "linux"]
    if (found := size_of(application)) > most:
        yield (
            f"{application.name} has {found:,} bytes, and {most:,} are allowed: leave something out in "
            "packaging/bundle/contents.py, or raise the limit there and say why"
        )


def _unfound(application: Path) -> Iterator[str]:
    """On Linux: libraries that something inside needs, that are not inside, and that are no part of a desktop."""
    if application.suffix == ".app":
        return  # what a Mach-O file loads is looked at by `python -m macos verify`
    libraries = [path for path in application.rglob("*") if ".so" in path.name and path.is_file()]
    inside = {path.name for path in libraries}
    for path in (path for path in libraries if not path.is_symlink()):
        for name in needed_libraries(path):
            if name not in inside and not OF_SYSTEM.fullmatch(name):
                yield f"{path.relative_to(application)} needs {name}, which is neither inside nor on every desktop"


def needed_libraries(library: Path) -> list[str]:
    listing = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=False).stdout
    return [line.split()[1] for line in listing.splitlines() if line.strip().startswith("NEEDED ")]
