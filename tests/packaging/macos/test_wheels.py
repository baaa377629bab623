"""Requirements resolved for a Mac: markers judged for it, and wheels that do not fit named."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from macos.wheels import applying, is_for_floor, project_pins, project_requirements, read_pins, resolve


def wheel(folder: Path, name: str, *needs: str, tag: str = "py3-none-any") -> Path:
    path = folder / f"{name}-1.0-{tag}.whl"
    lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0", *(f"Requires-Dist: {one}" for one in needs)]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}-1.0.dist-info/METADATA", "\n".join(lines))
    return path


def resolved(folder: Path, *requirements: str, **pins: str):
    return resolve([Requirement(one) for one in requirements], pins, folder)


def test_what_macos_needs_is_followed_and_what_others_need_is_not(tmp_path):
    wheel(tmp_path, "one", "two; sys_platform == 'darwin'", "gone; platform_system == 'Linux'", "rare; extra == 'all'")
    wheel(tmp_path, "two", "three[fast]", tag="cp312-cp312-macosx_11_0_arm64")
    wheel(tmp_path, "three", "one", "four; extra == 'fast'")
    wheel(tmp_path, "four", tag="cp310-abi3-macosx_13_0_universal2")
    found = resolved(tmp_path, "one", one="1.0", two="1.0", three="1.0", four="1.0")
    assert sorted(found.wheels) == ["four", "one", "three", "two"]
    assert (found.faults, found.unpinned) == ([], [])


def test_a_version_that_another_refuses_is_a_fault(tmp_path):
    wheel(tmp_path, "one", "two>=2")
    wheel(tmp_path, "two")
    (fault,) = resolved(tmp_path, "one", one="1.0", two="1.0").faults
    assert fault == "two-1.0-py3-none-any.whl does not satisfy two>=2; mend constraints.txt"


def test_a_wheel_for_a_later_macos_is_a_fault(tmp_path):
    wheel(tmp_path, "one", tag="py3-none-macosx_15_0_arm64")
    (fault,) = resolved(tmp_path, "one", one="1.0").faults
    assert fault == "one-1.0-py3-none-macosx_15_0_arm64.whl does not run on macOS 14.0 for arm64"


@pytest.mark.parametrize("tag", ["any", "macosx_14_0_arm64", "macosx_11_0_arm64", "macosx_10_9_universal2"])
def test_platforms_that_fit(tag):
    assert is_for_floor(tag)


@pytest.mark.parametrize("tag", ["macosx_14_2_arm64", "macosx_11_0_x86_64", "manylinux_2_28_aarch64", "linux_x86_64"])
def test_platforms_that_do_not_fit(tag):
    assert not is_for_floor(tag)


def test_pins_are_those_that_hold_on_a_mac():
    pins = read_pins("# all\nOne_A==1.0\ntwo==2; platform_system == 'Linux'\nthree==3; platform_system == 'Darwin'\n")
    assert pins == {"one-a": "1.0", "three": "3"}


def test_the_project_s_own_requirements_on_a_mac_are_pinned():
    names = {one.name.lower().replace("_", "-") for one in applying(project_requirements(), extras=("",))}
    assert "pyobjc-framework-cocoa" in names
    assert not {"jeepney", "pyenchant"} & names
    assert names <= project_pins().keys()
