"""Resolves the project's run-time requirements to wheels for a Mac with Apple silicon, from any system.

pip judges a marker by the system that it runs on, so markers are judged here and pip only fetches, a level
at a time. A version comes from constraints.txt, as on a Mac, or else is pip's choice.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email.parser import HeaderParser
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from macos.floor import PLATFORM
from macos.info import ARCHITECTURE, MINIMUM_MACOS, PROJECT

PYTHON = "3.12"
MARKERS = {
    "implementation_name": "cpython",
    "implementation_version": f"{PYTHON}.0",
    "os_name": "posix",
    "platform_machine": ARCHITECTURE,
    "platform_python_implementation": "CPython",
    "platform_release": "23.0.0",  # Darwin's of macOS 14
    "platform_system": "Darwin",
    "platform_version": "Darwin Kernel Version 23.0.0",
    "python_full_version": f"{PYTHON}.0",
    "python_version": PYTHON,
    "sys_platform": "darwin",
}
_MACOS_TAG = re.compile(r"macosx_(\d+)_(\d+)_(\w+)")


@dataclass
class Resolution:
    wheels: dict[str, Path] = field(default_factory=dict)  # by canonical name
    faults: list[str] = field(default_factory=list)
    unpinned: list[str] = field(default_factory=list)  # which constraints.txt does not name


def resolve(requirements: Iterable[Requirement], pins: dict[str, str], folder: Path) -> Resolution:
    """Fetches what is not in the folder yet; raises CalledProcessError where pip finds no wheel."""
    resolution = Resolution()
    known: set[str] = set()
    pending = applying(requirements, extras=("",))
    while pending:
        fetch_level(pending, pins, folder, resolution)
        below: list[Requirement] = []
        for one in pending:
            known.add(str(one))
            wheel = resolution.wheels[canonicalize_name(one.name)]
            resolution.faults += faults_of(one, wheel)
            below += applying(requirements_of(wheel), extras=(*sorted(one.extras), ""))
        pending = [one for text, one in {str(one): one for one in below}.items() if text not in known]
    return resolution


def project_requirements() -> list[Requirement]:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [Requirement(text) for text in project["dependencies"]]


def project_pins() -> dict[str, str]:
    return read_pins((PROJECT / "constraints.txt").read_text(encoding="utf-8"))


def applying(requirements: Iterable[Requirement], extras: Iterable[str]) -> list[Requirement]:
    """Those that hold on the Mac, for one of the extras ("" is for none)."""
    environments = [{**MARKERS, "extra": extra} for extra in extras]
    return [one for one in requirements if one.marker is None or any(map(one.marker.evaluate, environments))]


def read_pins(constraints: str) -> dict[str, str]:
    """Version by canonical name, of the lines that hold on the Mac."""
    lines = (line.partition("#")[0].strip() for line in constraints.splitlines())
    pinned = applying([Requirement(line) for line in lines if line], extras=("",))
    return {canonicalize_name(one.name): next(iter(one.specifier)).version for one in pinned}


def fetch_level(level: Iterable[Requirement], pins: dict[str, str], folder: Path, resolution: Resolution) -> None:
    wanted: dict[str, str] = {}
    for one in level:
        name: str = canonicalize_name(one.name)
        if name not in resolution.wheels:
            wanted[name] = f"{name}=={pins[name]}" if name in pins else f"{name}{one.specifier}"
    resolution.unpinned += sorted(set(wanted) - set(pins))
    absent = {name: text for name, text in wanted.items() if not (name in pins and wheels_of(folder, name, pins[name]))}
    if absent:
        download(absent.values(), folder)
    for name in wanted:
        resolution.wheels[name] = newest(wheels_of(folder, name, pins.get(name)), name)


def download(requirements: Iterable[str], folder: Path) -> None:
    only = ["--no-deps", "--only-binary=:all:", "--platform", PLATFORM, "--python-version", PYTHON]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download"]
    subprocess.run([*pip, *only, "--implementation", "cp", "--dest", str(folder), *requirements], check=True)


def wheels_of(folder: Path, name: str, version: str | None) -> list[Path]:
    found = []
    for path in folder.glob("*.whl"):
        own_name, own_version, _, _ = parse_wheel_filename(path.name)
        if own_name == name and version in (None, str(own_version)):
            found.append(path)
    return found


def newest(wheels: list[Path], name: str) -> Path:
    if not wheels:
        raise ValueError(f"pip fetched no wheel of {name}; look at what it said above")
    return max(wheels, key=lambda path: parse_wheel_filename(path.name)[1])


def requirements_of(wheel: Path) -> list[Requirement]:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        headers = HeaderParser().parsestr(archive.read(name).decode())
    return [Requirement(text) for text in headers.get_all("Requires-Dist") or []]


def faults_of(wanted: Requirement, wheel: Path) -> Iterator[str]:
    """What speaks against the wheel: another version than is required, another system, a later macOS."""
    _, version, _, tags = parse_wheel_filename(wheel.name)
    if not wanted.specifier.contains(version, prereleases=True):
        yield f"{wheel.name} does not satisfy {wanted}; mend constraints.txt"
    if not any(is_for_floor(tag.platform) for tag in tags):
        yield f"{wheel.name} does not run on macOS {'.'.join(map(str, MINIMUM_MACOS))} for {ARCHITECTURE}"


def is_for_floor(platform: str) -> bool:
    """`platform` is of a wheel's tag, such as macosx_11_0_universal2."""
    found = _MACOS_TAG.fullmatch(platform)
    if found is None:
        return platform == "any"
    return found[3] in (ARCHITECTURE, "universal2") and (int(found[1]), int(found[2])) <= MINIMUM_MACOS
