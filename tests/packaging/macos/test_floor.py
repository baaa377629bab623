"""Wheels for a later macOS than is promised are found by their tags."""

from __future__ import annotations

from importlib.metadata import distributions

import pytest

from macos.floor import PLATFORM, lower_to_floor, lowest_macos, too_new

WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"


@pytest.mark.parametrize(
    ("tags", "lowest"),
    [
        (("py3-none-any",), None),
        (("cp311-cp311-manylinux_2_28_x86_64",), None),
        (("py3-none-macosx_15_0_arm64",), (15, 0)),
        (("cp312-cp312-macosx_10_13_universal2", "cp312-cp312-macosx_11_0_arm64"), (10, 13)),
    ],
)
def test_the_lowest_macos_of_a_wheel(tags, lowest):
    assert lowest_macos(WHEEL + "".join(f"Tag: {tag}\n" for tag in tags)) == lowest


def test_only_what_is_too_new_is_replaced(tmp_path):
    for name, tag in {"old": "macosx_14_0_arm64", "new": "macosx_26_0_arm64", "any": "any"}.items():
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "WHEEL").write_text(f"{WHEEL}Tag: py3-none-{tag}\n")
    assert [one.metadata["Name"] for one in too_new(distributions(path=[str(tmp_path)]))] == ["new"]
    assert PLATFORM == "macosx_14_0_arm64"


def test_elsewhere_than_on_a_mac_nothing_is_changed(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    said = []
    lower_to_floor(said.append)
    assert said == ["Every installed wheel runs on the oldest macOS that is promised."]
