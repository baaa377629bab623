"""The format of one entry's file: safetensors whose header tells what the entry is, every byte under a digest."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from engine.prompt_cache.entries import Entry, EntryKey, Stream, Tensor

VERSION = 1  # the place of the header's digest and "version" stay the same in every version
MAX_HEADER_BYTES = 100_000_000  # the format's own limit
_FORMAT = "slipstream-prompt-cache"
_START = b'{"__metadata__":{"header_digest":"'
_DIGEST_BYTES = 32
_NO_DIGEST = b"0" * (2 * _DIGEST_BYTES)
_DIGEST_AT = 8 + len(_START)
_ITEM_BYTES = {"BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "F16": 2, "BF16": 2}
_ITEM_BYTES |= {"U32": 4, "I32": 4, "F32": 4, "U64": 8, "I64": 8, "F64": 8}
_KEY_TEXT = re.compile(r"[0-9a-f]{32}")


class EntryFileError(Exception):
    """A file that cannot be used as an entry; the text is a sentence."""


class DamagedFileError(EntryFileError):
    """Not what was written: it may be deleted."""


class ForeignFileError(EntryFileError):
    """Another program's, or a later version's: it is left alone."""


@dataclass(frozen=True, slots=True)
class Creator:
    """For whom an entry was first written, and by which program ("" for the window)."""

    conversation_id: str = ""
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """What a file says of itself; `places` holds dtype, shape and the span in the file of each tensor."""

    entry: Entry
    stream: Stream
    creator: Creator
    data_digest: str
    places: Mapping[str, tuple[str, tuple[int, ...], int, int]]
    data_start: int
    num_bytes: int


def digest(parts: Iterable[bytes | bytearray | memoryview]) -> str:
    """SHA-256, which processors compute at over 1 GB/s; of large parts without the interpreter's lock."""
    state = hashlib.sha256()
    for part in parts:
        state.update(part)
    return state.hexdigest()


def in_file_order(tensors: Mapping[str, Tensor]) -> dict[str, memoryview]:
    """Each tensor's bytes, flat, in the order of the file: larger items first, so that all are aligned."""
    names = sorted(tensors, key=lambda name: (-_ITEM_BYTES[tensors[name].dtype], name))
    return {name: tensors[name].data.cast("B") if tensors[name].data.nbytes else memoryview(b"") for name in names}


def encode_header(
    entry: Entry, stream: Stream, creator: Creator, tensors: Mapping[str, Tensor], version: int = VERSION
) -> bytes:
    """All of the file before its data."""
    data = in_file_order(tensors)
    facts = {
        "header_digest": _NO_DIGEST.decode(),
        "format": _FORMAT,
        "version": str(version),
        "stream": stream.identity,
        "facts": json.dumps(stream.facts),
        "start": entry.key.start,
        "end": entry.key.end,
        "first": str(entry.first),
        "token_ids": ",".join(map(str, entry.token_ids)),
        "conversation_id": creator.conversation_id,
        "tag": creator.tag,
        "data_digest": digest(data.values()),
    }
    header: dict[str, Any] = {"__metadata__": facts}
    end = 0
    for name, part in data.items():
        tensor = tensors[name]
        begin, end = end, end + part.nbytes
        assert part.nbytes == prod(tensor.shape) * _ITEM_BYTES[tensor.dtype]
        header[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    head = bytearray(struct.pack("<Q", len(text)) + text)
    head[_DIGEST_AT : _DIGEST_AT + len(_NO_DIGEST)] = digest([head]).encode()
    return bytes(head)


def header_end(start: bytes, num_bytes: int) -> int:
    """Where the data begin in a file of `num_bytes` with these first 8 bytes; DamagedFileError where it is cut."""
    if len(start) < 8:
        raise DamagedFileError(f"It has {num_bytes:,} bytes, too few for a header.")
    (length,) = struct.unpack("<Q", start[:8])
    if not 0 < length <= min(MAX_HEADER_BYTES, num_bytes - 8):
        raise DamagedFileError(f"It has {num_bytes:,} bytes, and its header tells of {length:,} or more.")
    return int(8 + length)


def decode_header(head: bytes, num_bytes: int) -> Header:
    """What encode_header made of a file that has `num_bytes` in all; EntryFileError where it is anything else."""
    facts = _checked_facts(head)
    try:
        tensors = {name: _place(place, len(head)) for name, place in json.loads(head[8:]).items() if name[:2] != "__"}
        key = EntryKey(facts["stream"], facts["start"], facts["end"])
        token_ids = tuple(map(int, facts["token_ids"].split(","))) if facts["token_ids"] else ()
        stream = Stream(key.stream, tuple((name, value) for name, value in json.loads(facts["facts"])))
        creator = Creator(facts["conversation_id"], facts["tag"])
        entry = Entry(key, int(facts["first"]), token_ids)
        end = max((place[3] for place in tensors.values()), default=len(head))
        data_digest = facts["data_digest"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedFileError(f"Its header makes no sense ({error!r}).") from error
    if end != num_bytes:
        raise DamagedFileError(f"It has {num_bytes:,} bytes, and its header tells of {end:,}.")
    return Header(entry, stream, creator, data_digest, tensors, len(head), num_bytes)


def decode_tensors(header: Header, content: memoryview) -> dict[str, Tensor]:
    """Views into a whole file's content; DamagedFileError where its data are not those that were written."""
    if digest([content[header.data_start :]]) != header.data_digest:
        raise DamagedFileError("Its data are not those that were written.")
    places = header.places.items()
    return {name: Tensor(dtype, shape, content[begin:end]) for name, (dtype, shape, begin, end) in places}


def is_key_text(text: str) -> bool:
    """Whether it can be a stream's identity or a node's hash."""
    return _KEY_TEXT.fullmatch(text) is not None


def _checked_facts(head: bytes) -> dict[str, str]:
    """The metadata of a header that is whole and of this version."""
    blank = head[:_DIGEST_AT] + _NO_DIGEST + head[_DIGEST_AT + len(_NO_DIGEST) :]
    is_whole = head[_DIGEST_AT : _DIGEST_AT + len(_NO_DIGEST)] == digest([blank]).encode()
    try:
        header = json.loads(head[8:])
        if isinstance(header, dict) and _FORMAT.encode() not in head and b"header_digest" not in head:
            raise ForeignFileError("It was not written by this program.")
        facts = header.get("__metadata__", {})
        is_newer = is_whole and int(facts["version"]) > VERSION
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedFileError(f"Its header makes no sense ({error!r}).") from error
    if not is_whole:
        raise DamagedFileError("Its header is not the one that was written.")
    if is_newer:
        raise ForeignFileError("It was written by a newer program.")
    return dict(facts)


def _place(place: Mapping[str, Any], data_start: int) -> tuple[str, tuple[int, ...], int, int]:
    begin, end = place["data_offsets"]
    return place["dtype"], tuple(place["shape"]), data_start + begin, data_start + end
