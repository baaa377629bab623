"""Builds the double-clickable application below dist/: `PYTHONPATH=packaging python -m bundle`, or `make app`."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from pathlib import Path

from bundle.checking import faults, size_report
from bundle.contents import NAME
from bundle.desktop import allow_reading, archive, dress
from bundle.making import PROJECT, make
from bundle.proving import prove
from macos.application import faults as macos_faults
from macos.checksums import write_checksum
from macos.info import project_version

MADE, DIST = PROJECT / "build" / "bundle", PROJECT / "dist"


def main() -> str | None:
    """Returns the sentence to end with where a step failed."""
    print("Making the starter model, the icons and what else the application carries.", flush=True)
    make(MADE)
    print("Collecting the program; this takes a minute or more.", flush=True)
    try:
        collect()
    except subprocess.CalledProcessError:
        return f"PyInstaller failed; {MADE / 'pyinstaller.log'} says why."
    return finish_on_mac() if sys.platform == "darwin" else finish_on_linux()


def finish_on_mac() -> str | None:
    """The steps after it, signing among them, are those of `python -m macos`."""
    application = DIST / f"{NAME}.app"
    print(size_report(application))
    return "\n".join([*faults(application), *macos_faults(application)]) or None


def finish_on_linux() -> str | None:
    application = DIST / NAME
    dress(application, MADE)
    allow_reading(application)
    print(size_report(application))
    if found := faults(application):
        return "\n".join(found)
    print("Packing it, and trying what was packed.", flush=True)
    packed = archive(application, DIST / f"{NAME}-{project_version()}-linux-{platform.machine()}.tar.xz")
    print(
        f"{packed.name} has {packed.stat().st_size / 1e6:.0f} MB; {write_checksum(packed).name} lies beside it.",
        flush=True,
    )
    return "The application does not pass its own test, see above." if prove(packed) else None


def collect() -> None:
    """Run PyInstaller; raises CalledProcessError."""
    for name in (NAME, f"{NAME}.app"):
        shutil.rmtree(DIST / name, ignore_errors=True)
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(DIST), "--workpath", str(MADE / "pyinstaller")]
    with (MADE / "pyinstaller.log").open("w", encoding="utf-8") as log:
        spec = str(Path(__file__).parent / "slipstream.spec")
        subprocess.run([*command, spec], cwd=PROJECT, stdout=log, stderr=subprocess.STDOUT, check=True)


if __name__ == "__main__":
    sys.exit(main())
