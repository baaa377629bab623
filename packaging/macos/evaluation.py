"""The recipe on the wheels that a Mac would get: is every library, plugin and kernel where it is looked for?"""

from __future__ import annotations

import ast
import plistlib
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path

from bundle.collecting import is_kept, is_left_out
from macos import metallib
from macos.application import faults
from macos.commands import Say
from macos.info import ICON, NAME, PROJECT, info_plist, project_version
from macos.layout import Entry, as_loaded, code_entries, lay_out, placed, with_dependencies
from macos.wheels import PYTHON, project_pins, project_requirements, resolve


def evaluate(folder: Path, say: Say) -> list[str]:
    """Faults; the wheels stay in the folder, for the next time."""
    wheels = folder / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    resolution = resolve(project_requirements(), project_pins(), wheels)
    say(f"{len(resolution.wheels)} wheels for Python {PYTHON}; not pinned: {', '.join(resolution.unpinned) or 'none'}")
    site = unpack(resolution.wheels.values(), folder / "site")
    application = folder / f"{NAME}.app"
    shutil.rmtree(application, ignore_errors=True)
    entries = placed(application_entries(site))
    lay_out(entries, application)
    add_what_only_a_mac_makes(application)
    frameworks = application / "Contents/Frameworks"
    found = [*resolution.faults, *faults(application, lambda path: as_loaded(path, frameworks))]
    num_code = sum(kind in ("BINARY", "EXTENSION") for _, _, kind in entries)
    say(f"{num_code} libraries laid out in {application}")
    return found


def unpack(wheels: Iterable[Path], site: Path) -> Path:
    """As pip does; a folder that was unpacked from the same wheels stays."""
    wheels = sorted(wheels)
    stamp = site / ".wheels"
    names = "\n".join(wheel.name for wheel in wheels)
    if stamp.is_file() and stamp.read_text() == names:
        return site
    shutil.rmtree(site, ignore_errors=True)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    stamp.write_text(names)
    return site


def application_entries(site: Path) -> list[Entry]:
    """What the spec takes, as far as it is code of the wheels or is looked for by code."""
    modules, site = qt_modules(PROJECT / "app"), site.resolve()  # as what a library loads is found
    entries = code_entries(site, lambda path: is_taken(path, modules))
    kept = [entry for entry in with_dependencies(entries, site) if entry[2] == "SYMLINK" or is_kept(entry[0])]
    return kept + metallib.entries(site / "mlx")


def is_taken(path: str, modules: set[str]) -> bool:
    """Extension modules of the packages that are taken, and Qt's plugins; libraries follow by what loads them."""
    name, _, ending = Path(path).name.partition(".")
    module = path.partition(".")[0].replace("/", ".")
    if "/plugins/" in path:
        return is_kept(path)
    if path.startswith("PySide6/"):
        return name in modules and ending.endswith("so")
    return path.endswith(".so") and is_kept(path) and not is_left_out(module)


def qt_modules(package: Path) -> set[str]:
    """Such as {"QtCore"}: those that the package's modules import."""
    found = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            found |= {name.split(".")[1] for name in names if name.startswith("PySide6.")}
    return found


def add_what_only_a_mac_makes(application: Path) -> None:
    contents = application / "Contents"
    (contents / "Resources").mkdir(parents=True, exist_ok=True)
    (contents / "Resources" / ICON).touch()
    (contents / "MacOS").mkdir(exist_ok=True)
    (contents / "MacOS" / NAME).touch()
    (contents / "Info.plist").write_bytes(plistlib.dumps(info_plist(project_version())))
