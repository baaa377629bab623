"""The entry files below the cache's root: <stream>/<start>-<end>.safetensors; no link below the root is followed."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.prompt_cache.disk import FOLDER_MODE, Disk
from engine.prompt_cache.entries import Entry, EntryKey, Stream, Tensor
from engine.prompt_cache.entry_file import (
    Creator,
    DamagedFileError,
    ForeignFileError,
    Header,
    decode_header,
    decode_tensors,
    encode_header,
    header_end,
    in_file_order,
    is_key_text,
)

FOLDER_IN_PLACE = "A folder stands in its place."
SET_ASIDE = ".set-aside"  # ends the name of a folder that stood in an entry's place
_CHUNK_BYTES = 8 << 20  # between chunks a write can be given up
_ENTRY_NAME = re.compile(r"([0-9a-f]{32})-([0-9a-f]{32})\.safetensors")
_TEMPORARY_NAME = re.compile(r"\.[0-9a-f]{32}-[0-9a-f]{32}\.\d+\.tmp")


class GivenUpError(Exception):
    """A write was no longer wanted; nothing of it is left."""


@dataclass(slots=True)
class Scan:
    """What one look at the folder's names and sizes found."""

    num_bytes: dict[EntryKey, int] = field(default_factory=dict)
    blocked: list[EntryKey] = field(default_factory=list)  # places of entries in which folders stand
    temporary: list[tuple[str, str]] = field(default_factory=list)  # stream folder and file name
    temporary_bytes: int = 0
    other_bytes: int = 0  # of files that are neither


class Folder:
    """Reads and writes entry files; every failure of the disk is an OSError, of a file an EntryFileError."""

    def __init__(self, root: Path, disk: Disk) -> None:
        self.root = root
        self._disk = disk

    def write(
        self,
        entry: Entry,
        stream: Stream,
        creator: Creator,
        tensors: Mapping[str, Tensor],
        is_given_up: Callable[[], bool] = lambda: False,
    ) -> int:
        """Write an entry whole, or nothing; its size in bytes. GivenUpError once `is_given_up` says so."""
        head = encode_header(entry, stream, creator, tensors)
        parts = [memoryview(head), *in_file_order(tensors).values()]
        name = _name_of(entry.key)
        temporary = f".{name.partition('.')[0]}.{os.getpid()}.tmp"
        with self._stream_folder(stream.identity, is_made=True) as folder:
            try:
                self._write_parts(temporary, folder, parts, is_given_up)
                self._put_in_place(temporary, name, folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary, dir_fd=folder)
                raise
            self._disk.sync(folder)
        return sum(part.nbytes for part in parts)

    def read(self, key: EntryKey) -> tuple[Header, dict[str, Tensor]]:
        """An entry with its tensors, every byte of it checked."""
        with self._open(key) as descriptor, open(descriptor, "rb", buffering=0, closefd=False) as file:
            content = memoryview(file.readall())
        end = header_end(bytes(content[:8]), len(content))
        header = _checked_header(key, bytes(content[:end]), len(content))
        return header, decode_tensors(header, content)

    def read_header(self, key: EntryKey) -> Header:
        """What an entry is, its data unread."""
        with self._open(key) as descriptor:
            num_bytes = os.fstat(descriptor).st_size
            head = os.pread(descriptor, header_end(os.pread(descriptor, 8, 0), num_bytes), 0)
        return _checked_header(key, head, num_bytes)

    def remove(self, key: EntryKey) -> None:
        """Delete an entry's file, and its stream's folder with the last one; nothing where it is gone.

        A folder in its place is deleted where it is empty, and else set aside.
        """
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            self._unlink(key.stream, _name_of(key))

    def clear_places(self, scan: Scan) -> None:
        """Delete or set aside the folders that stand where entries' files belong."""
        for key in scan.blocked:
            with contextlib.suppress(OSError):
                self.remove(key)

    def remove_temporary(self, scan: Scan) -> None:
        """Delete what earlier processes left half written."""
        for stream, name in scan.temporary:
            with contextlib.suppress(OSError):
                self._unlink(stream, name)

    def scan(self) -> Scan:
        """One pass over names and sizes."""
        found = Scan()
        with os.scandir(self.root) as places:
            for place in places:
                if is_key_text(place.name) and place.is_dir(follow_symlinks=False):
                    _scan_stream(place, found)
                elif place.is_file(follow_symlinks=False):
                    with contextlib.suppress(FileNotFoundError):
                        found.other_bytes += place.stat(follow_symlinks=False).st_size
        return found

    def _unlink(self, stream: str, name: str) -> None:
        with self._stream_folder(stream) as folder:
            if _is_folder(name, folder):
                _set_aside(name, folder)
            else:
                os.unlink(name, dir_fd=folder)
        with contextlib.suppress(OSError):  # it still holds others
            os.rmdir(self.root / stream)

    def _put_in_place(self, temporary: str, name: str, folder: int) -> None:
        try:
            self._disk.rename(temporary, name, folder)
        except IsADirectoryError:
            with contextlib.suppress(OSError):  # the same error tells that it is still there
                _set_aside(name, folder)
            self._disk.rename(temporary, name, folder)

    def _write_parts(self, name: str, folder: int, parts: list[memoryview], is_given_up: Callable[[], bool]) -> None:
        descriptor = self._disk.open_to_write(name, os.O_WRONLY | os.O_TRUNC, folder)
        try:
            for part in parts:
                while part:
                    if is_given_up():
                        raise GivenUpError
                    part = part[self._disk.write(descriptor, part[:_CHUNK_BYTES]) :]
            self._disk.sync(descriptor)
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def _stream_folder(self, stream: str, is_made: bool = False) -> Iterator[int]:
        """A descriptor of a stream's folder; NotADirectoryError where a link or a file stands in its place."""
        assert is_key_text(stream), stream
        path = self.root / stream
        if is_made:
            with contextlib.suppress(FileExistsError):
                path.mkdir(FOLDER_MODE)
                path.chmod(FOLDER_MODE)
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def _open(self, key: EntryKey) -> Iterator[int]:
        """A descriptor of an entry's file to read, without waiting where a pipe stands in its place."""
        with self._stream_folder(key.stream) as folder:
            descriptor = os.open(_name_of(key), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISDIR(mode):
                raise DamagedFileError(FOLDER_IN_PLACE)
            if not stat.S_ISREG(mode):
                raise ForeignFileError("Something that is no file stands in its place.")
            yield descriptor
        finally:
            os.close(descriptor)


def _name_of(key: EntryKey) -> str:
    assert is_key_text(key.start), key
    assert is_key_text(key.end), key
    return f"{key.start}-{key.end}.safetensors"


def _is_folder(name: str, folder: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _set_aside(name: str, folder: int) -> None:
    """Get a folder out of an entry's place, with all that somebody may have put there."""
    try:
        os.rmdir(name, dir_fd=folder)
    except OSError:
        present = os.listdir(folder)
        free = (f"{name}{number}{SET_ASIDE}" for number in ("", *(f".{count}" for count in range(len(present)))))
        os.rename(name, next(other for other in free if other not in present), src_dir_fd=folder, dst_dir_fd=folder)


def _checked_header(key: EntryKey, head: bytes, num_bytes: int) -> Header:
    header = decode_header(head, num_bytes)
    if header.entry.key != key:
        raise DamagedFileError("It is another entry's under this name.")
    return header


def _scan_stream(stream: os.DirEntry[str], found: Scan) -> None:
    with contextlib.suppress(PermissionError), os.scandir(stream.path) as places:
        for place in places:
            with contextlib.suppress(FileNotFoundError):  # a writer is at work beside a reader
                _scan_place(stream.name, place, found)


def _scan_place(stream: str, place: os.DirEntry[str], found: Scan) -> None:
    is_file = place.is_file(follow_symlinks=False)
    num_bytes = place.stat(follow_symlinks=False).st_size if is_file else 0
    match = _ENTRY_NAME.fullmatch(place.name)
    if match and is_file:
        found.num_bytes[EntryKey(stream, match[1], match[2])] = num_bytes
    elif place.is_dir(follow_symlinks=False):
        found.other_bytes += _num_bytes_below(place.path)
        if match:
            found.blocked.append(EntryKey(stream, match[1], match[2]))
    elif _TEMPORARY_NAME.fullmatch(place.name) and is_file:
        found.temporary.append((stream, place.name))
        found.temporary_bytes += num_bytes
    else:
        found.other_bytes += num_bytes


def _num_bytes_below(path: str) -> int:
    """Of files in a folder, as far as it can be looked into."""
    num_bytes = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                num_bytes += os.lstat(os.path.join(folder, name)).st_size
    return num_bytes
