"""Reads every byte of a cache's folder and says what is wrong with it; changes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.prompt_cache.disk import Disk, explain
from engine.prompt_cache.entries import EntryKey
from engine.prompt_cache.entry_file import EntryFileError, ForeignFileError
from engine.prompt_cache.folder import Folder
from engine.prompt_cache.index import FILE_NAME, DamagedIndexError, NewerIndexError, read_index


@dataclass(frozen=True, slots=True)
class Verification:
    """What a folder holds; faults as (file below the root, sentence)."""

    num_entries: int = 0  # whole and right
    num_bytes: int = 0  # of them
    faults: tuple[tuple[str, str], ...] = ()  # damaged or unreadable files, the index among them
    left_alone: tuple[tuple[str, str], ...] = ()  # another program's, or a newer version's
    num_temporary: int = 0  # half written, by a program that runs or was ended
    num_unlisted: int = 0  # entries that the index does not know yet, and records whose files are gone

    @property
    def is_clean(self) -> bool:
        return not self.faults


def verify(root: Path, progress: Callable[[int, int], None] = lambda done, total: None) -> Verification:
    """Check all entry files and the index; `progress` hears bytes read and to be read. OSError where root is none."""
    folder = Folder(root, Disk())
    scan = folder.scan()
    num_entries = num_read = num_bytes = 0
    faults: list[tuple[str, str]] = []
    left_alone: list[tuple[str, str]] = []
    total = sum(scan.num_bytes.values())
    for key, size in scan.num_bytes.items():
        name = f"{key.stream}/{key.start}-{key.end}.safetensors"
        try:
            header, _ = folder.read(key)
            num_entries, num_bytes = num_entries + 1, num_bytes + header.num_bytes
        except FileNotFoundError:
            pass  # its writer removed it meanwhile
        except ForeignFileError as error:
            left_alone.append((name, str(error)))
        except EntryFileError as error:
            faults.append((name, str(error)))
        except OSError as error:
            faults.append((name, explain(error)))
        num_read += size
        progress(num_read, total)
    listed = _listed_keys(root, faults, left_alone)
    num_unlisted = len(listed ^ scan.num_bytes.keys())
    return Verification(num_entries, num_bytes, tuple(faults), tuple(left_alone), len(scan.temporary), num_unlisted)


def _listed_keys(root: Path, faults: list[tuple[str, str]], left_alone: list[tuple[str, str]]) -> set[EntryKey]:
    try:
        return set(read_index(root / FILE_NAME).entries)
    except NewerIndexError as error:
        left_alone.append((FILE_NAME, f"It was written by a newer program ({error})."))
    except (DamagedIndexError, sqlite3.Error) as error:
        faults.append((FILE_NAME, f"It cannot be read ({error})."))
    return set()
