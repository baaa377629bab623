"""The lists of what goes into the application name things that are there, and leave out what they are meant to."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from pygments.lexers._mapping import LEXERS

from bundle.collecting import is_kept, is_left_out, kept, modules_of, present, unwanted_modules, wanted_modules
from bundle.contents import ALSO, DATA_OF, OURS, QT_PLUGINS, WHOLE, WITH_SOURCES


@pytest.mark.skipif(sys.platform != "linux", reason="some packages are of Linux alone")
def test_every_package_of_the_lists_is_installed():
    names = [*OURS, *WHOLE, *DATA_OF, *WITH_SOURCES, *(name for name in ALSO if name not in present(ALSO))]
    of_macos = {"AppKit", "Foundation", "objc"}
    assert [name for name in names if not importlib.util.find_spec(name) and name not in of_macos] == []


def test_all_of_ours_goes_in_and_so_does_every_model_type():
    modules = wanted_modules((*OURS, "mlx_lm"))
    assert {"app.launch", "app.__main__", "engine.drafters.suffix", "resources", "mlx_lm.models.qwen3"} <= set(modules)
    assert [name for name in unwanted_modules(OURS) if name.startswith(("app.", "engine."))] == []


@pytest.mark.parametrize("module", ["transformers.models.auto.modeling_auto", "transformers.models.llama", "mlx.core"])
def test_what_tokenizers_are_found_by_stays(module):
    assert not is_left_out(module)


@pytest.mark.parametrize(
    "module",
    [
        "transformers.models.llama.modeling_llama",
        "transformers.trainer_utils",
        "keyring.testing.backend",
        "mlx_lm.__main__",
        "pytest",
        "numpy.f2py.crackfortran",
    ],
)
def test_what_is_for_training_testing_and_terminals_stays_out(module):
    assert is_left_out(module)


def test_every_lexer_and_every_tokenizer_stays():
    lexers = {module for module, *_ in LEXERS.values()}
    assert lexers <= set(wanted_modules(["pygments"]))
    tokenizers = {name for name in modules_of("transformers") if ".tokenization_" in name}
    assert len(tokenizers) > 50
    assert tokenizers <= set(wanted_modules(["transformers"]))


def test_compiled_modules_are_found_too():
    assert "llguidance._lib" in modules_of("llguidance")


@pytest.mark.parametrize(
    "path",
    [
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
        "PySide6/Qt/plugins/styles/libqmacstyle.dylib",
        "PySide6/Qt/plugins/platforminputcontexts/libibusplatforminputcontextplugin.so",
        "PySide6/Qt/lib/QtGui.framework/Versions/A/QtGui",
        "_cffi_backend.cpython-311-x86_64-linux-gnu.so",
        "libxcb-cursor.so.0",
        "libpython3.12.so.1.0",
        "mlx/lib/mlx.metallib",
        "ziamath/fonts/STIXTwoMath-Regular.ttf",
    ],
)
def test_files_that_are_needed_are_kept(path):
    assert is_kept(path)


@pytest.mark.parametrize(
    "path",
    [
        "PySide6/Qt/plugins/sqldrivers/libqsqlite.so",
        "PySide6/Qt/plugins/platforms/libqeglfs.so",
        "PySide6/Qt/lib/libQt6Quick.so.6",
        "PySide6/Qt/lib/QtQml.framework/Resources/Info.plist",
        "PySide6/Qt/translations/qtbase_de.qm",
        "PySide6/Designer.app/Contents/MacOS/Designer",
        "objc/_objc.cpython-312-darwin.so.dSYM/Contents/Info.plist",
        "libstdc++.so.6",
        "libX11.so.6",
        "libcudart.so",
        "mlx/include/mlx/array.h",
        "numpy-2.4.6.dist-info/RECORD",
        "numpy/tests/data.txt",
    ],
)
def test_files_of_no_use_and_libraries_of_the_system_are_not(path):
    assert not is_kept(path)


def test_a_link_stays_out_with_the_file_that_it_names():
    library, link = ("a/libQt6Quick.so.6", "/x", "BINARY"), ("libQt6Quick.so.6", "a/libQt6Quick.so.6", "SYMLINK")
    useful = ("libQt6Core.so.6", "PySide6/Qt/lib/libQt6Core.so.6", "SYMLINK")
    assert kept([library, link, useful]) == [useful]


def test_the_plugins_that_windows_and_pictures_need_are_listed():
    assert {"xcb", "wayland", "cocoa", "offscreen"} <= set(QT_PLUGINS["platforms"])
    assert "svg" in QT_PLUGINS["imageformats"]
