"""What the window says of the machine that it runs on, and which program and system these are."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

PACKAGE = "slipstream-chat"
PLACE = "this Mac" if sys.platform == "darwin" else "this computer"


def program_version() -> str:
    """Such as "0.1.0"; "" where the program is not installed, but run from its source."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return ""


def system_version() -> str:
    """Such as "macOS 15.1"."""
    release = platform.mac_ver()[0]
    return f"macOS {release}" if release else f"{platform.system()} {platform.release()}"
