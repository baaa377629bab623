"""The steps from a built Slipstream.app to what people download: `python -m macos release dist/Slipstream.app`."""

from __future__ import annotations

import argparse
import os
import plistlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from macos.application import faults
from macos.checksums import write_checksum
from macos.commands import ReleaseError
from macos.disk_image import image_path, make_image
from macos.floor import lower_to_floor
from macos.identities import Identities, identities_in
from macos.info import info_plist, project_version
from macos.keychain import signing_commands
from macos.notarising import notarise
from macos.signing import sign_application


def main(arguments: list[str] | None = None) -> str | None:
    """Returns the sentence to end with where a step failed."""
    parsed = parser().parse_args(arguments)
    try:
        STEPS[parsed.step](parsed.path)
    except (ReleaseError, ValueError, OSError) as error:
        return f"{parsed.step}: {error}"
    except subprocess.CalledProcessError as error:
        return f"{parsed.step}: {' '.join(error.cmd)} ended with status {error.returncode}"
    return None


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m macos", description=__doc__)
    parser.add_argument("step", choices=list(STEPS), help="; ".join(f"{name}: {_HELP[name]}" for name in STEPS))
    parser.add_argument("path", type=Path, nargs="?", default=Path("dist/Slipstream.app"), help="what it is done to")
    return parser


def say(text: str) -> None:
    print(text, flush=True)


def show_plist(_: Path) -> None:
    say(plistlib.dumps(info_plist(project_version())).decode())


def floor(_: Path) -> None:
    lower_to_floor(say)


def verify(application: Path) -> None:
    if not application.is_dir():
        raise ReleaseError(f"{application} is not there; make it with: make app")
    if found := faults(application):
        raise ReleaseError("\n".join([f"{application.name} has {len(found)} faults:", *found]))
    say(f"{application} is as macOS needs it.")


def sign(application: Path) -> None:
    with signing_commands(own_identities(), say) as commands:
        sign_application(application, own_identities(), commands)


def release(application: Path) -> None:
    """Everything that can be done with the identities that there are, in one keychain."""
    identities = own_identities()
    verify(application)
    image = image_path(application.parent, project_version())
    with signing_commands(identities, say) as commands:
        sign_application(application, identities, commands)
        notarise(application, identities, commands)
        make_image(application, image, identities, commands)
        notarise(image, identities, commands)
    say(f"{image} and {write_checksum(image).name} are ready.")


def checksum(path: Path) -> None:
    say(f"{write_checksum(path)} is written.")


def evaluate_wheels(folder: Path) -> None:
    """Imported here: the other steps work without PyInstaller, and on a Mac that only signs."""
    from macos.evaluation import evaluate

    if found := evaluate(folder, say):
        raise ReleaseError("\n".join([f"{len(found)} faults:", *found]))
    say("Every library, plugin and kernel is where it is looked for.")


def own_identities() -> Identities:
    return identities_in(os.environ)


STEPS: dict[str, Callable[[Path], None]] = {
    "plist": show_plist,
    "floor": floor,
    "verify": verify,
    "sign": sign,
    "release": release,
    "checksum": checksum,
    "evaluate": evaluate_wheels,
}
_HELP = {
    "plist": "shows Info.plist",
    "floor": "takes the wheels for the oldest macOS",
    "verify": "checks a built application",
    "sign": "signs it",
    "release": "verifies, signs, notarises, makes the disk image and its checksum",
    "checksum": "writes a file's SHA-256 beside it",
    "evaluate": "lays an application out in a folder, from the wheels that a Mac would get, and checks it",
}

if __name__ == "__main__":
    sys.exit(main())
