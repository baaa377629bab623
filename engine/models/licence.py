"""Under which licence a model is given, by what lies in its folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.models.small_files import read_start

README_BYTES = 64_000  # the front matter stands at the start
MAX_LENGTH = 80  # characters that are told
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_ENTRY = r"^{}:[ \t]*(.*(?:\n[ \t]*-[ \t].*)*)"
_OTHER = "other"  # of the hub, for one that `license_name` names


def read_licence(folder: Path, config: Mapping[str, Any]) -> str:
    """The name that README.md begins with, else that of config.json; "" where neither names one."""
    readme = _FRONT_MATTER.match(read_start(folder / "README.md", README_BYTES))
    if readme:
        name, own_name = (_entry(readme[1], key) for key in ("license", "license_name"))
        if found := own_name if own_name and name in ("", _OTHER) else name:
            return found
    stated = config.get("license")
    return _clean(stated) if isinstance(stated, str) else ""


def _entry(front_matter: str, key: str) -> str:
    """A text of YAML, or a list of texts in either of its forms."""
    found = re.search(_ENTRY.format(key), front_matter, re.MULTILINE)
    if not found:
        return ""
    value = re.sub(r"[ \t]+#.*", "", found[1])
    parts = re.split(r"\n[ \t]*-[ \t]|^-[ \t]|,", value.strip().removeprefix("[").removesuffix("]"))
    return _clean(", ".join(filter(None, (part.strip().strip("\"'").strip() for part in parts))))


def _clean(name: str) -> str:
    """As it can be shown on a line."""
    shown = " ".join("".join(character if character.isprintable() else " " for character in name).split())
    return shown if len(shown) <= MAX_LENGTH else shown[:MAX_LENGTH] + "…"
