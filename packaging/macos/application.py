"""Checks a built Slipstream.app, or one laid out from wheels: what macOS and the libraries will look for is there."""

from __future__ import annotations

import plistlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from macos import metallib
from macos.bundle_files import code_files, framework_of, walk
from macos.info import ARCHITECTURE, ICON, MINIMUM_MACOS, NAME, info_plist, project_version
from macos.loading import resolve, unresolved
from macos.macho import Slice, read_slice, read_slices

QT_PLUGINS = "PySide6/Qt/plugins"  # below the Prefix that PyInstaller's run-time hook gives Qt
NEEDED_PLUGINS = (
    "platforms/libqcocoa.dylib",
    "styles/libqmacstyle.dylib",
    "imageformats/libqsvg.dylib",
    "iconengines/libqsvgicon.dylib",
)
# Its wheel is tagged for macOS 13; the bindings were linked for 15 and name no function that 14 lacks.
# dyld refuses no library for its number, unlike the program itself.
LINKED_FOR_LATER = ("PySide6/", "shiboken6/")

SliceOf = Callable[[Path], Slice | None]


def read_own(path: Path) -> Slice | None:
    return read_slice(path, ARCHITECTURE)


def faults(application: Path, slice_of: SliceOf = read_own) -> list[str]:
    """Sentences; none where all is well. `slice_of` says what a file's load commands are, or will be."""
    code = {path: one for path in code_files(application) if (one := slice_of(path)) is not None}
    program = application / "Contents/MacOS" / NAME
    found = [
        *_faults_of_code(application, code),
        *_faults_of_places(application, code),
        *_faults_of_links(application),
        *_faults_of_plist(application),
        *_faults_of_metal(application, code, program),
    ]
    found += [
        f"{_short(path, application)} loads {name}, which is not in it" for path, name in unresolved(code, program)
    ]
    plugins = application / "Contents/Frameworks" / QT_PLUGINS
    found += [f"Qt's plugin {name} is not in {plugins}" for name in NEEDED_PLUGINS if not (plugins / name).is_file()]
    return found


def _faults_of_code(application: Path, code: Mapping[Path, Slice]) -> Iterator[str]:
    for path in code_files(application):
        short = _short(path, application)
        if path not in code:
            architectures = ", ".join(one.architecture for one in read_slices(path))
            yield f"{short} is for {architectures}, not for {ARCHITECTURE}"
            continue
        minimum = code[path].minimum_macos
        is_known = any(f"/{folder}" in short for folder in LINKED_FOR_LATER)
        if minimum and minimum > MINIMUM_MACOS and not is_known:
            yield f"{short} needs macOS {_dotted(minimum)}; {_dotted(MINIMUM_MACOS)} is promised"


def _faults_of_places(application: Path, code: Mapping[Path, Slice]) -> Iterator[str]:
    """codesign seals code in Frameworks and MacOS, data in Resources; a dot in a folder's name means a framework."""
    resources, frameworks = application / "Contents/Resources", application / "Contents/Frameworks"
    for path in walk(application):
        if path.is_symlink():
            continue
        short = _short(path, application)
        if path.is_relative_to(resources) and path in code:
            yield f"{short} is code among the resources: codesign would not sign it"
        if path.is_relative_to(frameworks) and framework_of(path) is None:
            if path not in code and not read_slices(path):
                yield f"{short} is data among the frameworks: its signature would be lost with its extended attributes"
            if any("." in folder for folder in path.relative_to(frameworks).parts[:-1]):
                yield f"{short} lies in a folder with a dot in its name: codesign takes that for a framework"


def _faults_of_links(application: Path) -> Iterator[str]:
    for path in walk(application):
        if path.is_symlink() and not path.resolve().is_relative_to(application.resolve()):
            yield f"{_short(path, application)} links to {path.readlink()}, outside of the application"
        elif path.is_symlink() and not path.exists():
            yield f"{_short(path, application)} links to {path.readlink()}, which is not there"


def _faults_of_plist(application: Path) -> Iterator[str]:
    path = application / "Contents/Info.plist"
    if not path.is_file():
        yield "Contents/Info.plist is not there"
        return
    found = plistlib.loads(path.read_bytes())
    for name, value in info_plist(project_version()).items():
        if found.get(name) != value:
            yield f"Info.plist has {found.get(name)!r} for {name}, not {value!r}"
    if not (application / "Contents/Resources" / ICON).is_file():
        yield f"Contents/Resources/{ICON} is not there"


def _faults_of_metal(application: Path, code: Mapping[Path, Slice], program: Path) -> Iterator[str]:
    """dyld may tell MLX of the link or of the file behind it, so both have the Metal library beside them."""
    names = {path for path in walk(application / "Contents/Frameworks") if path.name == metallib.LIBRARY}
    root = program.parents[2]
    for path, one in code.items():
        names |= {
            found
            for name in one.dylibs
            if Path(name).name == metallib.LIBRARY and (found := resolve(name, path, code, program, root))
        }
    if not names:
        yield f"{metallib.LIBRARY} is not there"
    for library in sorted(names):
        beside = metallib.beside(library)
        if beside is None:
            yield f"no mlx.metallib lies beside {_short(library, application)}, where MLX looks"
        elif (minimum := metallib.minimum_macos(beside)) > MINIMUM_MACOS:
            yield f"{_short(beside, application)} needs macOS {_dotted(minimum)}; {_dotted(MINIMUM_MACOS)} is promised"


def _short(path: Path, application: Path) -> str:
    return str(path.relative_to(application)) if path.is_relative_to(application) else str(path)


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
