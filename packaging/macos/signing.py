"""Signs a bundle from the inside out, and has the result checked.

Apple (developer.apple.com/documentation/xcode/creating-distribution-signed-code-for-the-mac): every piece of code by
itself, the innermost first, never with --deep, entitlements for executables alone.
"""

from __future__ import annotations

import plistlib
import tempfile
from collections.abc import Sequence
from pathlib import Path

from macos.bundle_files import code_files, is_main_of_framework
from macos.commands import Commands
from macos.entitlements import entitlements
from macos.identities import UNSIGNED, Identities
from macos.info import NAME
from macos.macho import EXECUTABLE, read_slices


def sign_application(application: Path, identities: Identities, commands: Commands) -> None:
    if not identities.signer:
        commands.say(UNSIGNED)
    with tempfile.TemporaryDirectory() as folder:
        granted = write_entitlements(Path(folder), ad_hoc=not identities.signer)
        for path in signing_order(application, code_files(application)):
            is_program = path == application or (path.is_file() and read_slices(path)[0].file_type == EXECUTABLE)
            commands.run(*sign_command(path, identities.signer, granted if is_program else None))
    verify_signature(application, commands)


def signing_order(application: Path, files: Sequence[Path]) -> list[Path]:
    """What codesign is called with, in order: libraries, then the frameworks around them, at last the application.

    The application's own program and a framework's own library are signed with what holds them.
    """
    program = application / "Contents/MacOS" / NAME
    alone = [path for path in files if path != program and not is_main_of_framework(path)]
    frameworks = {path.parent for path in files if is_main_of_framework(path)}
    inner_first = sorted([*alone, *frameworks], key=lambda path: (-len(path.parts), str(path)))
    return [*inner_first, application]


def sign_command(path: Path, signer: str, entitlements_file: Path | None) -> list[str]:
    """An ad-hoc signature has no time stamp: Apple's server would be asked for nothing."""
    command = ["codesign", "--force", "--sign", signer or "-", "--options", "runtime"]
    command.append("--timestamp" if signer else "--timestamp=none")
    if entitlements_file is not None:
        command += ["--entitlements", str(entitlements_file)]
    return [*command, str(path)]


def write_entitlements(folder: Path, *, ad_hoc: bool) -> Path | None:
    """None where nothing is asked for."""
    granted = entitlements(ad_hoc=ad_hoc)
    if not granted:
        return None
    path = folder / "entitlements.plist"
    path.write_bytes(plistlib.dumps(granted))
    return path


def verify_signature(application: Path, commands: Commands) -> None:
    """--deep is for checking: it looks into all that is nested."""
    commands.run("codesign", "--verify", "--deep", "--strict", "--verbose=2", str(application))
    commands.say(commands.run("codesign", "--display", "--verbose=2", "--entitlements", "-", "--xml", str(application)))
