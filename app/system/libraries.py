"""The system libraries that Qt needs on Linux, and the packages that bring the missing ones."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Iterable
from pathlib import Path

# file name: (package of Debian and Ubuntu, package of Fedora); from the dynamic sections of Qt 6.11's own libraries
COMMON = {
    "libEGL.so.1": ("libegl1", "libglvnd-egl"),
    "libGL.so.1": ("libgl1", "libglvnd-glx"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig"),
    "libfreetype.so.6": ("libfreetype6", "freetype"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libX11.so.6": ("libx11-6", "libX11"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon"),
    "libz.so.1": ("zlib1g", "zlib"),
    "libzstd.so.1": ("libzstd1", "libzstd"),
}
XCB = {
    "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb"),
    "libxcb.so.1": ("libxcb1", "libxcb"),
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms"),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb"),
    "libxcb-render.so.0": ("libxcb-render0", "libxcb"),
    "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb"),
    "libxcb-shm.so.0": ("libxcb-shm0", "libxcb"),
    "libxcb-sync.so.1": ("libxcb-sync1", "libxcb"),
    "libxcb-util.so.1": ("libxcb-util1", "xcb-util"),
    "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11"),
}
WAYLAND = {
    "libwayland-client.so.0": ("libwayland-client0", "libwayland-client"),
    "libwayland-cursor.so.0": ("libwayland-cursor0", "libwayland-cursor"),
}
OF_PLATFORM = {"xcb": XCB, "wayland": WAYLAND}


def missing_libraries_sentence() -> str:
    """What keeps Qt from opening a window here and which packages to install; "" where nothing does."""
    if sys.platform != "linux":
        return ""
    platform = chosen_platform()
    if not platform:
        return "No display was found: start Slipstream in a graphical session, or set DISPLAY."
    if error := _load_error(platform):
        needed = COMMON | OF_PLATFORM.get(platform, {})
        return packages_sentence((name for name in needed if not _can_load(name)), error)
    return ""


def chosen_platform() -> str:
    """The platform plugin that Qt will use: "xcb", "wayland", "offscreen" …; "" without a display."""
    if asked := os.environ.get("QT_QPA_PLATFORM", ""):
        return asked.split(";")[0].split(":")[0]
    if os.environ.get("WAYLAND_DISPLAY") and (not os.environ.get("DISPLAY") or not _load_error("wayland")):
        return "wayland"
    return "xcb" if os.environ.get("DISPLAY") else ""


def packages_sentence(missing: Iterable[str], error: str) -> str:
    """`missing` holds file names of the tables above, `error` is the loader's own text."""
    packages = [{**COMMON, **XCB, **WAYLAND}[name] for name in missing]
    if not packages:
        return f"Qt could not be loaded ({error}): install the package that brings this library."
    debian, fedora = (" ".join(dict.fromkeys(names)) for names in zip(*packages, strict=True))
    return (
        f"Qt could not be loaded ({error}): install the missing system libraries with "
        f"`apt install {debian}` (Debian, Ubuntu) or `dnf install {fedora}` (Fedora)."
    )


def _load_error(platform: str) -> str:
    """The loader's text where Qt Widgets or its platform plugin cannot be loaded; "" where both can."""
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        return str(error)
    spec = importlib.util.find_spec("PySide6")
    folder = Path((spec and spec.origin) or "").parent
    plugin = folder / f"Qt/plugins/platforms/libq{platform}.so"
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        return str(error)
    return ""


def _can_load(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(missing_libraries_sentence() or 0)
