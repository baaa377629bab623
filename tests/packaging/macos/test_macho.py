"""Mach-O files: every architecture's load commands, and files that only look like one."""

from __future__ import annotations

import pytest

from macos.macho import Slice, read_slice, read_slices
from tests.packaging.macos.mach_files import fat, write

LIBRARY = Slice(
    "arm64",
    minimum_macos=(14, 2),
    identity="@rpath/libone.dylib",
    dylibs=("@rpath/libtwo.dylib", "/usr/lib/libSystem.B.dylib"),
    weak_dylibs=("@loader_path/lib ü.dylib",),
    rpaths=("@loader_path/..", "@loader_path/lib"),
    is_signed=True,
)


def test_a_thin_file_s_load_commands_are_read(tmp_path):
    assert read_slices(write(tmp_path / "libone.dylib", LIBRARY)) == (LIBRARY,)


def test_a_fat_file_has_a_slice_for_each_architecture(tmp_path):
    other = Slice("x86_64", file_type=8, minimum_macos=(10, 13))
    path = write(tmp_path / "both.so", fat(other, LIBRARY))
    assert read_slices(path) == (other, LIBRARY)
    assert read_slice(path, "arm64") == LIBRARY
    assert read_slice(path, "ppc") is None


JAVA_CLASS = bytes.fromhex("cafebabe00000041") + bytes(200)
STATIC_LIBRARY = (
    bytes.fromhex("cafebabe00000001 0100000c00000000000000300000001000000003") + bytes(20) + b"!<arch>\n" * 8
)


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"#!/bin/sh\n", JAVA_CLASS, STATIC_LIBRARY])
def test_other_files_have_no_slices(tmp_path, data):
    assert read_slices(write(tmp_path / "other", data)) == ()


def test_a_file_that_was_cut_off_is_named(tmp_path):
    path = write(tmp_path / "cut.so", fat(LIBRARY)[:40])
    with pytest.raises(ValueError, match=r"cut\.so ends before its Mach-O header"):
        read_slices(path)
