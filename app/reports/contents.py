"""The text of a report: what is needed to look into a fault, and nothing of what was written in chats."""

from __future__ import annotations

import json
import platform
import re
import resource
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from app.figures import write_bytes
from app.kept_file import read_kept
from app.models.drafters import drafter_name
from app.models.names import model_name
from app.reports.log_file import last_lines
from app.reports.safe_words import shorten
from app.settings.preferences import FILE_NAME, Preferences, decode
from app.system.hardware import machine_words
from app.system.machine import program_version, system_version

FIRST_LINE = "This file has no text of your chats."
PACKAGES = (
    "PySide6-Essentials",
    "qasync",
    "mlx",
    "mlx-lm",
    "transformers",
    "tokenizers",
    "huggingface_hub",
)
_SECRET = re.compile(r"token|secret|password|api_?key", re.IGNORECASE)


def write_report(folder: Path, about: str, traceback: str = "") -> str:
    """`about` is a sentence on what happened; `folder` is the data folder. Reads files."""
    preferences = read_kept(folder / FILE_NAME, lambda found: decode(Preferences, found), Preferences())
    when = datetime.now()
    parts = [
        FIRST_LINE,
        f"Slipstream {program_version() or 'from its source'}, {when.day} {when:%B %Y, %H:%M:%S}",
        *([about] if about else []),
        *([_part("Traceback", [traceback])] if traceback else []),
        _part("Versions", _versions()),
        _part("System", _system(folder)),
        _part("Models", _models(preferences)),
        _part("Settings", [json.dumps(safe_settings(preferences), indent=2, ensure_ascii=False)]),
        _part("Log, the last lines", last_lines(folder)),
    ]
    return shorten("\n\n".join(parts)) + "\n"


def _part(title: str, lines: Iterable[str]) -> str:
    return "\n".join((title, "-" * len(title), *lines))


def _versions() -> Iterator[str]:
    yield f"Python {platform.python_version()}"
    for package in PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            yield f"{package} is not installed"


def _system(folder: Path) -> Iterator[str]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield f"{system_version()}, {platform.machine()}"
    yield machine_words()
    yield f"Most memory so far: {write_bytes(peak if sys.platform == 'darwin' else peak * 1024)}"
    yield f"Left on the disk: {write_bytes(shutil.disk_usage(folder).free)}"


def _models(preferences: Preferences) -> Iterator[str]:
    """The one that is chosen first; of each the drafter that was chosen for it."""
    for target in dict.fromkeys((preferences.target, *preferences.models)):
        yield f"{model_name(target)}, drafter {drafter_name(preferences.model(target).drafter)}"


def safe_settings(preferences: Preferences) -> dict[str, Any]:
    """All that was chosen, but for texts that a user wrote and what lets one in somewhere."""
    settings = _without_secrets(asdict(preferences))
    for choice in settings["models"].values():
        if choice["template"]:
            choice["template"] = f"({len(choice['template']):,} characters)"
    settings["library"]["endpoint"] = _without_user(settings["library"]["endpoint"])
    return settings


def _without_secrets(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: _without_secrets(value) for name, value in found.items() if not _SECRET.search(name)}
    if isinstance(found, list | tuple):
        return [_without_secrets(one) for one in found]
    return found


def _without_user(address: str) -> str:
    """An address may carry a name and a password, and a key behind its question mark."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return f"({len(address)} characters)"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
