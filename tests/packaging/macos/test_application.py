"""A built application: each thing that macOS, Qt or MLX would miss is named."""

from __future__ import annotations

import plistlib
import shutil

import pytest

from macos.application import faults
from macos.macho import Slice
from tests.packaging.macos.mach_files import fat, metal_library, write

FRAMEWORKS = "Contents/Frameworks"


def test_one_that_is_laid_out_well_has_no_faults(application):
    assert faults(application) == []


def test_a_metal_library_is_wanted_beside_the_link_that_dyld_opens_too(application):
    (application / FRAMEWORKS / "mlx.metallib").unlink()
    assert faults(application) == ["no mlx.metallib lies beside Contents/Frameworks/libmlx.dylib, where MLX looks"]


def test_a_metal_library_for_a_later_macos_is_refused(application):
    write(application / "Contents/Resources/mlx/lib/mlx.metallib", metal_library(15))
    found = faults(application)
    assert "Contents/Frameworks/mlx.metallib needs macOS 15.0; 14.0 is promised" in found
    assert len(found) == 2


def test_an_application_without_mlx_is_told(application):
    shutil.rmtree(application / FRAMEWORKS / "mlx")
    assert "libmlx.dylib links to mlx/lib/libmlx.dylib, which is not there" in "\n".join(faults(application))


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (Slice("x86_64"), "is for x86_64, not for arm64"),
        (Slice("arm64", minimum_macos=(15, 0)), "needs macOS 15.0; 14.0 is promised"),
        (Slice("arm64", dylibs=("@rpath/libgone.dylib",)), "loads @rpath/libgone.dylib, which is not in it"),
        (Slice("arm64", dylibs=("/opt/homebrew/lib/libenchant.dylib",)), "loads /opt/homebrew/lib/libenchant.dylib"),
    ],
)
def test_a_library_that_would_not_load_is_named(application, one, said):
    write(application / FRAMEWORKS / "some/one.so", one)
    (fault,) = faults(application)
    assert fault.startswith(f"Contents/Frameworks/some/one.so {said}")


def test_weak_libraries_may_be_absent_and_other_architectures_present(application):
    weak = Slice("arm64", weak_dylibs=("@rpath/libgone.dylib",))
    write(application / FRAMEWORKS / "some/one.so", fat(Slice("x86_64"), weak))
    assert faults(application) == []


def test_pyside_s_bindings_may_be_linked_for_a_later_macos(application):
    write(application / FRAMEWORKS / "PySide6/QtCore.abi3.so", Slice("arm64", minimum_macos=(15, 0)))
    assert faults(application) == []


@pytest.mark.parametrize(
    ("path", "data", "said"),
    [
        ("Contents/Resources/some/one.so", Slice("arm64"), "is code among the resources"),
        ("Contents/Frameworks/some/one.txt", b"text", "is data among the frameworks"),
        ("Contents/Frameworks/numpy.libs/one.dylib", Slice("arm64"), "lies in a folder with a dot in its name"),
    ],
)
def test_what_codesign_would_refuse_is_named(application, path, data, said):
    write(application / path, data)
    (fault,) = faults(application)
    assert fault.startswith(f"{path} {said}")


def test_a_missing_plugin_of_qt_is_named(application):
    (application / FRAMEWORKS / "PySide6/Qt/plugins/platforms/libqcocoa.dylib").unlink()
    (fault,) = faults(application)
    assert fault.startswith("Qt's plugin platforms/libqcocoa.dylib is not in")


def test_a_link_out_of_the_application_is_named(application):
    (application / "Contents/Resources/data").symlink_to("/usr/share")
    assert faults(application) == ["Contents/Resources/data links to /usr/share, outside of the application"]


def test_an_info_plist_of_another_version_is_told(application):
    path = application / "Contents/Info.plist"
    path.write_bytes(plistlib.dumps(plistlib.loads(path.read_bytes()) | {"CFBundleVersion": "9"}))
    (fault,) = faults(application)
    assert fault.startswith("Info.plist has '9' for CFBundleVersion, not ")
