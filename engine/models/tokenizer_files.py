"""The files that make a model folder's tokenizer: are they there, which are they, is there a chat template."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.models.errors import ModelError
from engine.models.small_files import MOST_BYTES

_SETS = (("tokenizer.json",), ("tokenizer.model",), ("vocab.json", "merges.txt"))  # any one of them is enough
_IDENTITY_FILES = (
    "added_tokens.json",
    "merges.txt",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer.model",
    "vocab.json",
)


def check_tokenizer(folder: Path) -> None:
    """ModelError where no usable set of tokenizer files lies in the folder."""
    for name in _IDENTITY_FILES:
        path = folder / name
        if path.is_symlink() and not path.exists():
            raise ModelError(f"{name} in {str(folder)!r} is a link to a file that is not there; download it again")
    if not has_tokenizer(folder):
        raise ModelError(f"no tokenizer found in {str(folder)!r}; tokenizer.json is needed: download the model again")


def has_tokenizer(folder: Path) -> bool:
    """Whether a usable set of tokenizer files lies in the folder."""
    return any(all((folder / name).is_file() and (folder / name).stat().st_size for name in names) for names in _SETS)


def tokenizer_identity(folder: Path) -> str:
    """A hash of the files that decide which ids a text has; the same for a copy of the folder."""
    digest = hashlib.sha256()
    for name in _IDENTITY_FILES:
        path = folder / name
        if path.is_file():
            content = path.read_bytes()
            digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]


@functools.lru_cache(maxsize=16)
def added_tokens(folder: Path, identity: str) -> tuple[str, ...]:
    """The tokens that were added to the vocabulary, as text; `identity` is what `tokenizer_identity` gives.

    Of tokenizer.json only their list is read.
    """
    path = folder / "tokenizer.json"
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    place = text.find('"added_tokens"')
    try:
        listed = json.JSONDecoder().raw_decode(text, text.find("[", place))[0] if place >= 0 else []
    except (ValueError, RecursionError):
        return ()
    return _contents(listed)


def listed_tokens(tokenizer_config: dict[str, Any]) -> tuple[str, ...]:
    """Those that tokenizer_config.json lists."""
    listed = tokenizer_config.get("added_tokens_decoder")
    return _contents(listed.values() if isinstance(listed, dict) else ())


def _contents(entries: Iterable[Any]) -> tuple[str, ...]:
    contents = [entry.get("content") for entry in entries if isinstance(entry, dict)]
    return tuple(content for content in contents if isinstance(content, str))


def has_template(folder: Path, tokenizer_config: dict[str, Any]) -> bool:
    """Whether transformers would find a chat template."""
    files = ("chat_template.jinja", "chat_template.json")
    return bool(tokenizer_config.get("chat_template")) or any((folder / name).is_file() for name in files)


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object of a model folder; ModelError where it is missing, a broken link, or something else."""
    where = f"{path.name} in {str(path.parent)!r}"
    try:
        if path.exists() and not path.is_file():
            raise ModelError(f"{where} is not a file; download it again")
        if path.stat().st_size > MOST_BYTES:
            raise ModelError(
                f"{where} has {path.stat().st_size:,} bytes; {MOST_BYTES:,} is the most; download it again"
            )
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        if path.is_symlink():
            raise ModelError(f"{where} is a link to a file that is not there; download it again") from error
        raise ModelError(f"{where} is missing; download it again") from error
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{where} cannot be read ({error}); download it again") from error
    if not isinstance(value, dict):
        raise ModelError(f"{where} is not a JSON object; download it again")
    return value
