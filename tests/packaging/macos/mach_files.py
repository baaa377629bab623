"""Small Mach-O files and Metal libraries, as far as macOS's loader and MLX read them."""

from __future__ import annotations

import struct
from pathlib import Path

from macos.macho import Slice

_PROCESSORS = {"arm64": 0x0100000C, "x86_64": 0x01000007}
_MUST_KNOW = 0x80000000


def macho(one: Slice) -> bytes:
    """The bytes of a thin file with the slice's load commands."""
    commands = [_named(0xD, one.identity)] if one.identity else []
    commands += [_named(0xC, name) for name in one.dylibs]
    commands += [_named(0x18 | _MUST_KNOW, name) for name in one.weak_dylibs]
    commands += [_named(0x1C | _MUST_KNOW, rpath, fields=0) for rpath in one.rpaths]
    if one.minimum_macos is not None:
        major, minor = one.minimum_macos
        commands.append(struct.pack("<6I", 0x32, 24, 1, major << 16 | minor << 8, 0, 0))
    if one.is_signed:
        commands.append(struct.pack("<4I", 0x1D, 16, 0, 0))
    body = b"".join(commands)
    processor = _PROCESSORS[one.architecture]
    return struct.pack("<8I", 0xFEEDFACF, processor, 0, one.file_type, len(commands), len(body), 0, 0) + body


def fat(*slices: Slice) -> bytes:
    parts = [macho(one) for one in slices]
    start = 8 + 20 * len(parts)
    entries = b""
    for one, part in zip(slices, parts, strict=True):
        entries += struct.pack(">5I", _PROCESSORS[one.architecture], 0, start, len(part), 0)
        start += len(part)
    return struct.pack(">2I", 0xCAFEBABE, len(parts)) + entries + b"".join(parts)


def metal_library(major: int, minor: int = 0) -> bytes:
    return b"MTLB" + struct.pack("<6H", 0x8001, 2, 7, 0x8100, major, minor) + bytes(64)


def write(path: Path, data: bytes | Slice) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(macho(data) if isinstance(data, Slice) else data)
    return path


def _named(kind: int, name: str, fields: int = 3) -> bytes:
    """A command that ends in a name, after its offset and `fields` numbers."""
    head = 12 + 4 * fields
    text = name.encode() + b"\0"
    text += bytes(-len(text) % 8 + (4 if head % 8 else 0))
    return struct.pack(f"<{3 + fields}I", kind, head + len(text), head, *[0] * fields) + text
