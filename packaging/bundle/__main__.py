"""Builds the double-clickable application below dist/: `PYTHONPATH=packaging python -m bundle`, or `make app`."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from bundle.checking import faults, size_report
from bundle.contents import NAME
from bundle.desktop import allow_reading, archive, dress
from bundle.making import PROJECT, make
from macos.checksums import write_checksum
from macos.info import project_version

MADE, DIST = PROJECT / "build" / "bundle", PROJECT / "dist"


def main() -> str | None:
    """Returns the sentence to end with where a step failed."""
    print("Making the starter model, the icons and what else the application carries.", flush=True)
    make(MADE)
    print("Collecting the program; this takes some minutes.", flush=True)
    try:
        collect()
    except subprocess.CalledProcessError:
        return f"PyInstaller failed; {MADE / 'pyinstaller.log'} says why."
    application = DIST / (f"{NAME}.app" if sys.platform == "darwin" else NAME)
    if sys.platform == "linux":
        dress(application, MADE)
        allow_reading(application)
    print(size_report(application))
    if found := faults(application):
        return "\n".join(found)
    if sys.platform == "linux":
        packed = archive(application, DIST / f"{NAME}-{project_version()}-linux-{platform.machine()}.tar.xz")
        print(f"{write_checksum(packed).name}: {packed.stat().st_size / 1e6:.0f} MB packed")
    return None


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
