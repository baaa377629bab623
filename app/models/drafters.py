"""Which drafters a chat can choose, and with which one it begins."""

from __future__ import annotations

from pathlib import PurePath

DRAFTERS = {"none": "None", "ngram": "n-gram", "suffix": "Suffix"}
KINDS = ("auto", "model", "assistant", "dflash", "dspark", "eagle3", "mtp")  # with the path of a folder behind a colon
DRAFTER_CHOICES = f"{', '.join(DRAFTERS)} or auto:PATH"
DEFAULT_DRAFTER = "ngram"


def is_drafter(name: str) -> bool:
    """Whether the engine may know it; what lies at a path is found out when it is loaded."""
    return name in DRAFTERS or bool(_path_of(name))


def drafter_name(name: str) -> str:
    """A drafter's short name; of one with a path, that of its folder or file."""
    if path := _path_of(name):
        return PurePath(path).name or name
    return DRAFTERS.get(name, name)


def split_drafter(name: str) -> tuple[str, str]:
    """Its kind, and its path, which is "" where it has none."""
    kind, _, path = name.partition(":")
    return kind, path if kind in KINDS else ""


def _path_of(name: str) -> str:
    return split_drafter(name)[1]
