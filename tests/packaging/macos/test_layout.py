"""An application laid out from wheels: libraries follow what loads them, and all are loaded from the top."""

from __future__ import annotations

from pathlib import Path

import pytest

from macos import metallib
from macos.application import faults
from macos.evaluation import add_what_only_a_mac_makes, application_entries, is_taken, qt_modules
from macos.info import PROJECT
from macos.layout import as_loaded, code_entries, lay_out, placed, with_dependencies
from macos.macho import Slice, read_slice
from tests.packaging.macos.mach_files import fat, metal_library, write

QT_CORE = "PySide6/Qt/lib/QtCore.framework/Versions/A"
BINDING = Slice("arm64", 8, dylibs=("@rpath/QtCore.framework/Versions/A/QtCore",), rpaths=("@loader_path/Qt/lib",))
PLUGIN = Slice("arm64", 8, dylibs=("@rpath/QtCore.framework/Versions/A/QtCore",), rpaths=("@loader_path/../../lib",))


@pytest.fixture
def site(tmp_path):
    """Unpacked wheels of MLX and of Qt, as small as they can be."""
    folder = tmp_path / "site"
    core = Slice("arm64", 8, dylibs=("@rpath/libmlx.dylib",), rpaths=("@loader_path/lib",))
    write(folder / "mlx/core.cpython-312-darwin.so", core)
    write(folder / "mlx/lib/libmlx.dylib", Slice("arm64", identity="@rpath/libmlx.dylib"))
    write(folder / "mlx/lib/libjaccl.dylib", Slice("arm64"))
    write(folder / "mlx/lib/mlx.metallib", metal_library(14))
    write(folder / "PySide6/QtCore.abi3.so", fat(Slice("x86_64"), BINDING))
    write(folder / "PySide6/QtQml.abi3.so", BINDING)
    write(folder / f"{QT_CORE}/QtCore", Slice("arm64", identity="@rpath/QtCore.framework/Versions/A/QtCore"))
    write(folder / f"{QT_CORE}/Resources/Info.plist", b"")
    for name in ("platforms/libqcocoa", "styles/libqmacstyle", "imageformats/libqsvg", "iconengines/libqsvgicon"):
        write(folder / f"PySide6/Qt/plugins/{name}.dylib", PLUGIN)
    write(folder / "PySide6/Qt/plugins/qmltooling/libqmldbg_server.dylib", PLUGIN)
    return folder


def test_a_library_comes_along_with_what_loads_it_and_a_link_at_the_top(site):
    entries = with_dependencies(code_entries(site, lambda path: path.startswith("mlx/core.")), site)
    assert [(place, kind) for place, _, kind in entries] == [
        ("mlx/core.cpython-312-darwin.so", "EXTENSION"),
        ("mlx/lib/libmlx.dylib", "BINARY"),
        ("libmlx.dylib", "SYMLINK"),
    ]


def test_a_folder_may_be_named_from_where_one_stands(site, monkeypatch):
    monkeypatch.chdir(site.parent)
    places = {place for place, _, _ in application_entries(Path("site"))}
    assert {"libmlx.dylib", "mlx.metallib"} <= places


def test_load_commands_become_those_that_pyinstaller_leaves(site):
    one = as_loaded(site / "PySide6/Qt/plugins/platforms/libqcocoa.dylib", site)
    assert (one.dylibs, one.rpaths) == (("@rpath/QtCore",), ("@loader_path/../../../..",))
    outside = site / "mlx/core.cpython-312-darwin.so"
    assert as_loaded(outside, site / "PySide6") == read_slice(outside, "arm64")


def test_only_what_the_application_imports_of_qt_is_taken():
    modules = qt_modules(PROJECT / "app")
    assert {"QtCore", "QtGui", "QtWidgets", "QtSvg"} <= modules
    assert is_taken("PySide6/QtCore.abi3.so", modules)
    assert is_taken("PySide6/Qt/plugins/platforms/libqcocoa.dylib", modules)
    assert not is_taken("PySide6/QtQml.abi3.so", modules)
    assert not is_taken("PySide6/Qt/plugins/qmltooling/libqmldbg_server.dylib", modules)


def laid_out(entries, folder):
    pytest.importorskip("PyInstaller", reason="the extra app is not installed")
    pytest.importorskip("macholib", reason="the extra app is not installed")
    application = folder / "Slipstream.app"
    lay_out(placed(entries), application)
    add_what_only_a_mac_makes(application)
    return faults(application, lambda path: as_loaded(path, application / "Contents/Frameworks"))


def test_what_the_recipe_takes_is_found_where_it_is_looked_for(site, tmp_path):
    assert laid_out(application_entries(site), tmp_path) == []


def test_without_the_link_to_the_kernels_mlx_would_not_find_them(site, tmp_path):
    link = metallib.entries(site / "mlx")[1]
    entries = [entry for entry in application_entries(site) if entry != link]
    assert laid_out(entries, tmp_path) == [
        "no mlx.metallib lies beside Contents/Frameworks/libmlx.dylib, where MLX looks"
    ]
