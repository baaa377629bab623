"""The .dmg that people download: the application beside a link to /Applications."""

from __future__ import annotations

import tempfile
from pathlib import Path

from macos.commands import Commands
from macos.identities import Identities
from macos.info import ARCHITECTURE, NAME


def image_path(folder: Path, version: str) -> Path:
    return folder / f"{NAME}-{version}-macos-{ARCHITECTURE}.dmg"


def make_image(application: Path, image: Path, identities: Identities, commands: Commands) -> None:
    """ditto keeps links, extended attributes and with them the signature."""
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder)
        commands.run("ditto", str(application), str(staged / application.name))
        (staged / "Applications").symlink_to("/Applications")
        commands.run(*image_command(staged, image))
    if identities.signer:
        commands.run("codesign", "--sign", identities.signer, "--timestamp", str(image))
    commands.run("hdiutil", "verify", str(image))


def image_command(staged: Path, image: Path) -> list[str]:
    """ULFO, compressed by LZFSE, opens from macOS 10.11 on."""
    options = ["-volname", NAME, "-fs", "HFS+", "-format", "ULFO", "-ov"]
    return ["hdiutil", "create", *options, "-srcfolder", str(staged), str(image)]
