"""The program as a bundle, which has no interpreter, no source tree and its libraries in a folder of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping
from pathlib import Path

# What a bundle sets for itself: PyInstaller's loader the first, which keeps the user's own beside it; Qt reads the rest
_SEARCHED = "LD_LIBRARY_PATH"
_OF_USER = f"{_SEARCHED}_ORIG"
_OF_QT = ("QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "QML2_IMPORT_PATH")


def bundle_folder() -> Path | None:
    """The folder of everything that the bundle carries; None for a program that runs in a Python.

    Source: PyInstaller manual, "Run-time Information".
    """
    folder = getattr(sys, "_MEIPASS", "")
    return Path(folder) if getattr(sys, "frozen", False) and folder else None


def free_children(folder: Path | None, environment: MutableMapping[str, str] = os.environ) -> None:
    """Let programs that are opened from here find their own libraries, not those of the bundle in `folder`.

    The loader has read its variable when this process began, and goes on by it; Qt reads its own when the application
    is made, so that this comes after it.
    """
    if folder is None:
        return
    own = environment.pop(_OF_USER, "")
    if own:
        environment[_SEARCHED] = own
    else:
        environment.pop(_SEARCHED, None)
    for name in _OF_QT:
        if environment.get(name, "").startswith(str(folder)):
            del environment[name]
