"""Reads the load commands of Mach-O files: what dyld would look for, and on which Mac.

Source: macOS's headers mach-o/loader.h and mach-o/fat.h.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_FAT = {0xCAFEBABE: ">5I", 0xCAFEBABF: ">2I2Q2I"}  # by magic: one architecture's entry
_MOST_ARCHITECTURES = 20  # Java's class files begin like a fat file, with a version from 45 upwards in this place
_THIN_64 = 0xFEEDFACF
_HEADER = struct.Struct("<8I")
_NAMES = {0x0100000C: "arm64", 0x01000007: "x86_64"}

_MUST_KNOW = 0x80000000  # flag: dyld must understand the command
_LOADS = {0xC, 0x1F | _MUST_KNOW, 0x23 | _MUST_KNOW}  # LC_LOAD_DYLIB, LC_REEXPORT_DYLIB, LC_LOAD_UPWARD_DYLIB
_LOADS_WEAKLY = 0x18 | _MUST_KNOW
_ID, _RPATH = 0xD, 0x1C | _MUST_KNOW
_VERSION_MIN_MACOS, _BUILD_VERSION, _CODE_SIGNATURE = 0x24, 0x32, 0x1D
_PLATFORM_MACOS = 1
EXECUTABLE = 2  # MH_EXECUTE


@dataclass(frozen=True)
class Slice:
    """One architecture's part of a file."""

    architecture: str
    file_type: int = 6  # MH_DYLIB
    minimum_macos: tuple[int, int] | None = None
    identity: str = ""
    dylibs: tuple[str, ...] = ()
    weak_dylibs: tuple[str, ...] = ()  # which may be absent
    rpaths: tuple[str, ...] = ()
    is_signed: bool = False


def read_slices(path: Path) -> tuple[Slice, ...]:
    """() where the file is no 64-bit Mach-O, such as a static library of several architectures."""
    with path.open("rb") as file:
        return tuple(filter(None, [_read_slice(file, start) for start in _starts(file)]))


def read_slice(path: Path, architecture: str) -> Slice | None:
    return next((one for one in read_slices(path) if one.architecture == architecture), None)


def _starts(file: BinaryIO) -> list[int]:
    """Where the slices begin."""
    head = file.read(8)
    if len(head) < 8:
        return []
    if struct.unpack("<I", head[:4])[0] == _THIN_64:
        return [0]
    magic, num_slices = struct.unpack(">2I", head)
    if magic not in _FAT or num_slices > _MOST_ARCHITECTURES:
        return []
    entry = struct.Struct(_FAT[magic])
    return [entry.unpack(file.read(entry.size))[2] for _ in range(num_slices)]


def _read_slice(file: BinaryIO, start: int) -> Slice | None:
    file.seek(start)
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size:
        raise ValueError(f"{file.name} ends before its Mach-O header at {start}: it is cut off; fetch it again")
    magic, processor, _, file_type, num_commands, size, _, _ = _HEADER.unpack(header)
    if magic != _THIN_64:
        return None
    commands = list(_commands(file.read(size), num_commands))
    return Slice(
        architecture=_NAMES.get(processor, hex(processor)),
        file_type=file_type,
        minimum_macos=next(filter(None, (_minimum_of(kind, body) for kind, body in commands)), None),
        identity=next((_text_of(body) for kind, body in commands if kind == _ID), ""),
        dylibs=tuple(_text_of(body) for kind, body in commands if kind in _LOADS),
        weak_dylibs=tuple(_text_of(body) for kind, body in commands if kind == _LOADS_WEAKLY),
        rpaths=tuple(_text_of(body) for kind, body in commands if kind == _RPATH),
        is_signed=any(kind == _CODE_SIGNATURE for kind, _ in commands),
    )


def _commands(data: bytes, number: int) -> Iterator[tuple[int, bytes]]:
    """Kind and whole bytes of each command."""
    offset = 0
    for _ in range(number):
        kind, size = struct.unpack_from("<2I", data, offset)
        yield kind, data[offset : offset + size]
        offset += size


def _text_of(body: bytes) -> str:
    """The string that a command names by its offset, the first number after kind and size."""
    (offset,) = struct.unpack_from("<I", body, 8)
    return body[offset:].partition(b"\0")[0].decode()


def _minimum_of(kind: int, body: bytes) -> tuple[int, int] | None:
    if kind == _BUILD_VERSION:
        platform, packed = struct.unpack_from("<2I", body, 8)
        return (packed >> 16, packed >> 8 & 0xFF) if platform == _PLATFORM_MACOS else None
    if kind == _VERSION_MIN_MACOS:
        (packed,) = struct.unpack_from("<I", body, 8)
        return packed >> 16, packed >> 8 & 0xFF
    return None
