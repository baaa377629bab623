"""Puts the wheels for the oldest macOS that we promise into the environment that a bundle is made from.

pip takes the newest wheel that runs on the building Mac; MLX has one for each macOS, and the Metal library of the one
for macOS 15 or 26 does not load on 14. Source: mlx-metal's wheels; github.com/jjang-ai/vmlx/issues/120.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path

from macos.commands import Say
from macos.info import ARCHITECTURE, MINIMUM_MACOS

PLATFORM = f"macosx_{MINIMUM_MACOS[0]}_{MINIMUM_MACOS[1]}_{ARCHITECTURE}"
_TAG = re.compile(r"-macosx_(\d+)_(\d+)_\w+$")


def lower_to_floor(say: Say) -> None:
    """Changes the environment of the running Python, on macOS alone; raises CalledProcessError."""
    found = too_new(distributions()) if sys.platform == "darwin" else []
    if not found:
        say("Every installed wheel runs on the oldest macOS that is promised.")
        return
    wanted = sorted(f"{one.metadata['Name']}=={one.version}" for one in found)
    say(f"Taking the wheels for {PLATFORM} of: {', '.join(wanted)}")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    with tempfile.TemporaryDirectory() as folder:
        only = ["--no-deps", "--only-binary=:all:", "--platform", PLATFORM]
        subprocess.run([*pip, "download", *only, "--dest", folder, *wanted], check=True)
        wheels = sorted(map(str, Path(folder).glob("*.whl")))
        subprocess.run([*pip, "install", "--no-deps", "--force-reinstall", *wheels], check=True)


def too_new(installed: Iterable[Distribution]) -> list[Distribution]:
    return [
        one for one in installed if (lowest := lowest_macos(one.read_text("WHEEL") or "")) and lowest > MINIMUM_MACOS
    ]


def lowest_macos(wheel: str) -> tuple[int, int] | None:
    """Of the tags in a WHEEL file; None where it runs on anything."""
    tags = [line.removeprefix("Tag:").strip() for line in wheel.splitlines() if line.startswith("Tag:")]
    found = [_TAG.search(tag) for tag in tags]
    return min(((int(one[1]), int(one[2])) for one in found if one), default=None)
