"""What the check of a built application finds, on a small tree; and the application itself where it has been built."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import PySide6
import pytest

from bundle.checking import faults, size_of
from bundle.contents import MOST_BYTES
from bundle.desktop import archive
from bundle.proving import bare_environment, prove

DIST = Path(__file__).parents[3] / "dist"
BUILT = next((path for path in (DIST / "Slipstream.app", DIST / "Slipstream") if path.is_dir()), None)
needs_built = pytest.mark.skipif(BUILT is None, reason="`make app` has not been run here; it checks its own bundle")


# Ends with 7 where it was called as it should be, by a user who may not write beside it
PROGRAM = """#!/bin/sh
[ "$*" = --self-test ] && [ "$PATH" != "${PATH#*/programs}" ] && [ -d "$HOME" ] && [ -z "${VIRTUAL_ENV:-}" ] || exit 1
rights=$(/bin/ls -ld "${0%/*}/inner")
case ${rights%% *} in *w*) exit 2 ;; esac
exit 7
"""


@pytest.fixture
def application(tmp_path):
    """A folder with everything that has to be inside."""
    folder = tmp_path / "Slipstream"
    missing = [sentence.removesuffix(" is missing") for sentence in faults(folder)]
    for name in missing:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    assert len(missing) > 10
    return folder


def test_a_tree_with_all_that_is_needed_passes(application):
    assert faults(application) == []


@pytest.mark.parametrize(
    "name",
    [
        "_internal/app/__pycache__/window.pyc",
        "_internal/numpy/tests/x.txt",
        "_internal/pytest-9.2.0.dist-info/METADATA",
        "_internal/pip/main.py",
        "_internal/slipstream_chat-0.1.0.dist-info/direct_url.json",
        "_internal/PySide6/Qt/lib/libQt6Qml.so.6",
    ],
)
def test_what_must_not_be_inside_is_named(application, name):
    (application / name).parent.mkdir(parents=True, exist_ok=True)
    (application / name).touch()
    assert any(sentence.endswith("must not be inside") for sentence in faults(application))


def test_a_link_to_nothing_is_named(application):
    (application / "_internal/libx.so").symlink_to("gone.so")
    assert faults(application) == ["_internal/libx.so links to gone.so, which is not there"]


def test_a_tree_that_is_too_large_is_refused(application, monkeypatch):
    monkeypatch.setitem(MOST_BYTES, "linux", 10)
    (application / "_internal/more").write_bytes(bytes(11))
    assert re.match("Slipstream has 11 bytes, and 10 are allowed: leave something out", faults(application)[0])


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("objdump"), reason="of ELF files, with binutils")
def test_a_library_that_is_neither_inside_nor_on_every_desktop_is_named(application):
    plugin = Path(PySide6.__file__).parent / "Qt/plugins/imageformats/libqsvg.so"
    shutil.copy(plugin, application / "_internal/libqsvg.so")
    found = faults(application)
    needed = {sentence.split()[2].removesuffix(",") for sentence in found}
    assert {"libQt6Svg.so.6", "libQt6Core.so.6"} <= needed
    assert found[0].endswith("which is neither inside nor on every desktop")
    for name in needed:
        (application / "_internal" / name).touch()
    assert faults(application) == []


@needs_built
def test_the_built_application_has_what_it_should_and_no_more():
    assert faults(BUILT) == []
    assert size_of(BUILT) <= MOST_BYTES["darwin" if BUILT.suffix == ".app" else "linux"]


@needs_built
def test_the_built_application_passes_its_own_test(tmp_path):
    program = BUILT / ("Contents/MacOS/Slipstream" if BUILT.suffix == ".app" else "Slipstream")
    ended = subprocess.run([program, "--self-test"], env=bare_environment(tmp_path), capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_what_was_packed_is_tried_where_it_cannot_be_written_to(tmp_path):
    folder = tmp_path / "Slipstream"
    (folder / "inner").mkdir(parents=True)
    (folder / "Slipstream").write_text(PROGRAM)
    (folder / "Slipstream").chmod(0o755)
    packed = archive(folder, tmp_path / "packed.tar.xz")
    assert prove(packed) == 7
