"""Moving the data folder: a copy while the program runs, brought up to date and used at the next start.

The folder that the data lay in stays as it was; nothing here removes anything from it. A list of what is copied lies
in the new one until the data is used there: only what stands in it is ever removed or written over.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from app.figures import write_bytes
from app.settings.folders import Pointer, pointer_path, read_pointer, write_pointer
from app.settings.moved_paths import rename_paths
from app.shown_paths import write_place, write_places

logger = logging.getLogger(__name__)
SPARE_BYTES = 50_000_000  # that the disk must have left
LIVE = (
    ".sqlite",
    ".sqlite-wal",
    ".sqlite-shm",
    ".lock",
)  # that are written while the program runs: copied at the start
LIST = ".slipstream-copy.json"
NEVER = ("window.lock", LIST)
# That systems put into folders which their users call empty.
OF_SYSTEMS = (".DS_Store", ".localized", ".Spotlight-V100", ".Trashes", ".fseventsd", ".TemporaryItems", "lost+found")
CHUNK = 1 << 20
PROBE = ".slipstream-writable"


class MoveError(Exception):
    """The data was not moved; the text is a sentence for the user."""


def files_of(folder: Path, skipped: Callable[[OSError], None] | None = None) -> Iterator[Path]:
    """Every file and link below a folder, but for those that belong to the folder itself; links are not followed.

    `skipped` is told of folders that cannot be read.
    """
    for place, folders, names in os.walk(folder, onerror=skipped):
        folders.sort()
        for name in sorted((*names, *(name for name in folders if os.path.islink(os.path.join(place, name))))):
            path = Path(place) / name
            if not (path.parent == folder and name in NEVER):
                yield path


def size_of(folder: Path) -> int:
    """Bytes of all its files; one that goes meanwhile counts nothing."""
    return sum(_size(path) for path in files_of(folder))


def check(old: Path, new: Path) -> None:
    """Raises MoveError where the data cannot be moved there. Makes the folder where it is missing."""
    ours, theirs = old.resolve(), new.resolve()
    if ours == theirs:
        raise MoveError("The data lies in this folder already.")
    if ours in theirs.parents or theirs in ours.parents:
        raise MoveError(f"{write_place(new)} and the data folder lie one within the other. Choose a folder beside it.")
    try:
        new.mkdir(mode=0o700, parents=True, exist_ok=True)
        take_away(new)  # a copy that was ended in the middle, or is not used yet
        held = [one.name for one in new.iterdir() if one.name not in (*NEVER, *OF_SYSTEMS)]
        (new / PROBE).write_bytes(b"")
        (new / PROBE).unlink()
    except OSError as error:
        raise MoveError(
            f"{write_place(new)} cannot be written: {error.strerror or error}. Choose another folder."
        ) from error
    if held:
        raise MoveError(f"{write_place(new)} is not empty: it has {held[0]}. Choose an empty folder.")
    needed, free = size_of(old) + SPARE_BYTES, shutil.disk_usage(new).free
    if free < needed:
        raise MoveError(
            f"The data needs {write_bytes(needed)}; the disk of {write_place(new)} has {write_bytes(free)}."
        )


def copy_all(
    old: Path,
    new: Path,
    tell: Callable[[int], None] = lambda num_bytes: None,
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Copy what is not being written, and read each copy again; raises MoveError, and then leaves nothing behind.

    `tell` is given the bytes that are done. What is copied is used from the next start on.
    """
    done = 0
    stay()
    try:
        write_pointer(replace(read_pointer(), problem=unfinished(old, new)))  # found only where this does not end
        paths = list(files_of(old, _refuse))
        _write_list(new, (path.relative_to(old) for path in paths))
        for path in paths:
            if is_over():
                raise MoveError("The copying was stopped. The data stays where it was.")
            if path.name.endswith(LIVE):
                continue
            done += _copy(path, new / path.relative_to(old))
            tell(done)
        write_pointer(replace(read_pointer(), next=str(new), problem=""))
    except OSError as error:
        _give_up(new)
        raise MoveError(f"The data was not copied: {error.strerror or error}. It stays where it was.") from error
    except MoveError:
        _give_up(new)
        raise


def stay() -> None:
    """Use no copy from the next start on: one that was made is removed; raises MoveError where that is not noted."""
    try:
        pointer = read_pointer()
        if pointer.next:
            write_pointer(replace(pointer, next="", problem=""))
            take_away(Path(pointer.next))
    except (OSError, ValueError) as error:
        place, reason = write_place(pointer_path()), write_places(str(error))
        raise MoveError(f"{place} was not changed: {reason}. Free some space, or make it writable.") from error


def unfinished(old: Path, new: Path) -> str:
    there, here = write_place(new), write_place(old)
    return f"The data was not moved to {there}: the program ended before all was copied. It stays in {here}."


def note_problem(problem: str) -> None:
    """For the next start; "" where there is none."""
    _try_to_write(replace(read_pointer(), problem=problem))


def _give_up(new: Path) -> None:
    take_away(new)
    note_problem("")


def finish_move(old: Path) -> Path:
    """Before anything is opened: bring the copy up to date and have it used; the folder to use, the old one on failure.

    To be called by the program that alone has the old folder.
    """
    _forget_list(old)
    pointer = read_pointer()
    if not pointer.next or old != Path(pointer.folder or old):
        return old
    new = Path(pointer.next)
    try:
        if not new.is_dir():
            raise MoveError(f"{write_place(new)} is not there.")
        _bring_up_to_date(old, new)
        rename_paths(new, old)
        write_pointer(replace(pointer, folder=str(new), next="", problem=""))
    except (OSError, MoveError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        logger.warning("the data folder was not moved: %s", reason)
        problem = f"The data was not moved to {write_place(new)}: {reason.rstrip('.')}. It stays in {write_place(old)}."
        _try_to_write(replace(pointer, next="", problem=problem))
        return old
    _forget_list(new)
    return new


def take_away(new: Path) -> None:
    """Remove a copy that is not used, and nothing that others have put beside it."""
    for relative in _read_list(new) or ():
        try:
            (new / relative).unlink(missing_ok=True)
            for folder in relative.parents[:-1]:
                (new / folder).rmdir()
        except OSError:  # something else lies there, or beside it
            continue
    (new / LIST).unlink(missing_ok=True)


def _forget_list(used: Path) -> None:
    """What is used is no copy that may be removed; a start that was killed before this leaves it to the next one."""
    try:
        (used / LIST).unlink(missing_ok=True)
    except OSError as error:
        logger.warning("%s was not removed: %s", used / LIST, error)


def _write_list(new: Path, relatives: Iterable[Path]) -> None:
    new.mkdir(mode=0o700, parents=True, exist_ok=True)
    (new / LIST).write_text(json.dumps([str(relative) for relative in relatives]), encoding="utf-8")


def _read_list(new: Path) -> list[Path] | None:
    """None where there is none: what lies there is no copy of ours."""
    try:
        found = json.loads((new / LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    paths = [Path(one) for one in found if isinstance(one, str)] if isinstance(found, list) else []
    return [path for path in paths if not path.is_absolute() and ".." not in path.parts]


def _try_to_write(pointer: Pointer) -> None:
    """Where it cannot be written, the next start tries to move the data again."""
    try:
        write_pointer(pointer)
    except OSError as error:
        logger.warning("%s was not written: %s", pointer_path(), error)


def _refuse(error: OSError) -> None:
    """A folder that cannot be read is not left out of a copy; one that went meanwhile is."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _bring_up_to_date(old: Path, new: Path) -> None:
    copied = _read_list(new)
    if copied is None:
        raise MoveError(f"{write_place(new)} is not the copy that was made.")
    wanted = {path.relative_to(old) for path in files_of(old, _refuse)}
    for relative in copied:
        if relative not in wanted:
            (new / relative).unlink(missing_ok=True)  # it went from the old folder since
    for relative in sorted(wanted):
        if not _is_same(old / relative, new / relative):
            _copy(old / relative, new / relative)


def _is_same(one: Path, other: Path) -> bool:
    """By size and time, as copying keeps them; links by where they lead."""
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and os.readlink(one) == os.readlink(other)
    if not other.is_file():
        return False
    first, second = one.stat(), other.stat()
    return (first.st_size, first.st_mtime_ns) == (second.st_size, second.st_mtime_ns)


def _copy(source: Path, target: Path) -> int:
    """Bytes copied; 0 of a file that goes meanwhile. The copy has the time of before: what changes is copied again."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        if source.is_symlink():
            target.symlink_to(os.readlink(source))
            return 0
        before = source.stat()
        shutil.copyfile(source, target)
        with target.open("rb") as copy:
            os.fsync(copy.fileno())  # before it is used in place of what was copied
        shutil.copymode(source, target)
        os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
        has_changed = source.stat().st_mtime_ns != before.st_mtime_ns
        is_whole = has_changed or _digest(source) == _digest(target)
    except FileNotFoundError:
        target.unlink(missing_ok=True)
        return 0
    if not is_whole:
        disk = write_place(target.parent)
        raise MoveError(f"The copy of {source.name} is not what was copied. The disk of {disk} may be faulty.")
    return before.st_size


def _digest(path: Path) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            digest.update(piece)
    return digest.digest()


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
