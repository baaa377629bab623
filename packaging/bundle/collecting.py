"""Which modules and files of the installed packages the application takes."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from bundle.contents import (
    FILES_LEFT_OUT,
    MODULES_LEFT_OUT,
    MODULES_LEFT_OUT_LIKE,
    QT_LEFT_OUT,
    QT_PLUGINS,
    SYSTEM_LIBRARIES_TAKEN,
)

Entry = tuple[str, str, str]  # PyInstaller's: path in the application, path here, kind


def modules_of(package: str) -> list[str]:
    """The package and all modules below it, found without running any of them."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        return []
    found = {package}
    for folder in map(Path, spec.submodule_search_locations or ()):
        for path in (*folder.rglob("*.py"), *folder.rglob("*.so")):
            parts = path.relative_to(folder).with_name(path.name.partition(".")[0]).parts
            found.add(".".join((package, *(parts[:-1] if parts[-1] == "__init__" else parts))))
    return sorted(name for name in found if all(part.isidentifier() for part in name.split(".")))


def wanted_modules(packages: Iterable[str]) -> list[str]:
    return [name for package in packages for name in modules_of(package) if not is_left_out(name)]


def present(modules: Iterable[str]) -> list[str]:
    """Those that are installed: some packages are for one system only."""
    tops = {name: importlib.util.find_spec(name.partition(".")[0]) for name in modules}
    return [name for name, spec in tops.items() if spec is not None]


def unwanted_modules(packages: Iterable[str]) -> list[str]:
    """Those of the list, and those of these packages that are left out by their kind."""
    return [*MODULES_LEFT_OUT, *(name for package in packages for name in modules_of(package) if is_left_out(name))]


def is_left_out(module: str) -> bool:
    listed = any(module == name or module.startswith(f"{name}.") for name in MODULES_LEFT_OUT)
    return listed or MODULES_LEFT_OUT_LIKE.fullmatch(module) is not None


def kept(entries: Iterable[Entry]) -> list[Entry]:
    """A link goes where its file goes."""
    return [entry for entry in entries if is_kept(entry[1] if entry[2] == "SYMLINK" else entry[0])]


def is_kept(path: str) -> bool:
    """Whether a file of a package or of the system goes in, by its path in the application."""
    pure = PurePosixPath(path)
    if FILES_LEFT_OUT.search(path) or any(QT_LEFT_OUT.match(part) for part in pure.parts):
        return False
    if "plugins" in pure.parts and "Qt" in pure.parts:
        return is_kept_plugin(pure.parts[pure.parts.index("plugins") + 1 :])
    is_of_system = len(pure.parts) == 1 and ".so" in pure.suffixes and not is_extension(pure.name)
    return not is_of_system or SYSTEM_LIBRARIES_TAKEN.fullmatch(pure.name) is not None


def is_extension(name: str) -> bool:
    """A compiled module, such as _cffi_backend.cpython-311-x86_64-linux-gnu.so."""
    return ".cpython-" in name or ".abi3." in name


def is_kept_plugin(parts: tuple[str, ...]) -> bool:
    """`parts` are a plugin's folder and file, such as platforms/libqxcb.so."""
    name = parts[-1].partition(".")[0].removeprefix("lib").removeprefix("q")
    return name in QT_PLUGINS.get(parts[0], ())
