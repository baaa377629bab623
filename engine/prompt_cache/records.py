"""The records of the index: its tables, how all are read, and how each change is made."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from engine.prompt_cache.entries import (
    Change,
    DropOwner,
    DropReading,
    Entry,
    EntryKey,
    Owner,
    Reading,
    SaveOwner,
    SaveReading,
    SaveValue,
    StoredEntry,
    Stream,
    Touch,
)

# Long columns come last: SQLite reads a record up to the last column asked for.
TABLES = """
CREATE TABLE streams (identity TEXT PRIMARY KEY NOT NULL, facts TEXT NOT NULL) STRICT;
CREATE TABLE entries (
    stream TEXT NOT NULL, start_node TEXT NOT NULL, end_node TEXT NOT NULL, first INTEGER NOT NULL,
    num_bytes INTEGER NOT NULL, used INTEGER NOT NULL, digest BLOB NOT NULL, token_ids BLOB NOT NULL,
    PRIMARY KEY (stream, start_node, end_node)) STRICT;
CREATE TABLE owners (
    conversation_id TEXT NOT NULL, stream TEXT NOT NULL, node TEXT NOT NULL, num_tokens INTEGER NOT NULL,
    tag TEXT NOT NULL, is_current INTEGER NOT NULL, unseen_since REAL NOT NULL,
    PRIMARY KEY (conversation_id, stream, node)) STRICT;
CREATE TABLE readings (
    conversation_id TEXT NOT NULL, stream TEXT NOT NULL, loss TEXT NOT NULL, token_ids BLOB NOT NULL,
    PRIMARY KEY (conversation_id, stream)) STRICT;
CREATE TABLE named_values (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT;
"""


@dataclass(frozen=True, slots=True)
class AddEntry:
    stored: StoredEntry
    stream: Stream


@dataclass(frozen=True, slots=True)
class DropEntry:
    key: EntryKey


IndexChange = Change | AddEntry | DropEntry


@dataclass(slots=True)
class Contents:
    """All records of an index."""

    entries: dict[EntryKey, StoredEntry] = field(default_factory=dict)
    streams: dict[str, Stream] = field(default_factory=dict)
    owners: list[Owner] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)


def load(connection: sqlite3.Connection) -> Contents:
    """All records; sqlite3.Error, ValueError or TypeError where they are not those of an index."""
    contents = Contents()
    for identity, facts in connection.execute("SELECT identity, facts FROM streams"):
        contents.streams[identity] = Stream(identity, tuple((name, value) for name, value in json.loads(facts)))
    for record in connection.execute("SELECT * FROM entries ORDER BY rowid"):
        _load_entry(record, contents)
    for *place, num_tokens, tag, is_current, unseen_since in connection.execute("SELECT * FROM owners ORDER BY rowid"):
        conversation_id, stream, node = place
        owner = Owner(conversation_id, stream, node, num_tokens, tag, bool(is_current), unseen_since)
        contents.owners.append(owner)
    for conversation_id, stream, loss, data in connection.execute("SELECT * FROM readings ORDER BY rowid"):
        known = contents.streams.get(stream, Stream(stream))
        contents.readings.append(Reading(conversation_id, known, _unpack(data), loss))
    contents.values.update(connection.execute("SELECT name, value FROM named_values"))
    return contents


def apply(connection: sqlite3.Connection, change: IndexChange) -> None:
    """Make one change; each may be made again."""
    match change:
        case AddEntry(stored, stream):
            _save_stream(connection, stream)
            _save("entries", connection, _entry_record(stored))
        case SaveOwner(owner):
            facts = (owner.num_tokens, owner.tag, int(owner.is_current), owner.unseen_since)
            _save("owners", connection, (owner.conversation_id, owner.stream, owner.node, *facts))
        case SaveReading(reading):
            _save_stream(connection, reading.stream)
            tokens = _pack(reading.token_ids)
            _save("readings", connection, (reading.conversation_id, reading.stream.identity, reading.loss, tokens))
        case SaveValue(name, value):
            _save("named_values", connection, (name, value))
        case Touch(keys, used):
            changes = [(used, *_key_record(key)) for key in keys]
            where = "stream = ? AND start_node = ? AND end_node = ?"
            connection.executemany(f"UPDATE entries SET used = ? WHERE {where}", changes)
        case DropEntry(key):
            where = "stream = ? AND start_node = ? AND end_node = ?"
            connection.execute(f"DELETE FROM entries WHERE {where}", _key_record(key))
        case DropOwner(conversation_id, identity, node):
            where = "conversation_id = ? AND stream = ? AND node = ?"
            connection.execute(f"DELETE FROM owners WHERE {where}", (conversation_id, identity, node))
        case DropReading(conversation_id):
            connection.execute("DELETE FROM readings WHERE conversation_id = ?", (conversation_id,))
        case _:
            assert_never(change)


def _save(table: str, connection: sqlite3.Connection, record: tuple[object, ...]) -> None:
    connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(record))})", record)


def _save_stream(connection: sqlite3.Connection, stream: Stream) -> None:
    _save("streams", connection, (stream.identity, json.dumps(stream.facts)))


def _key_record(key: EntryKey) -> tuple[str, str, str]:
    return key.stream, key.start, key.end


def _entry_record(stored: StoredEntry) -> tuple[object, ...]:
    entry = stored.entry
    tokens = _pack(entry.token_ids)
    proof = _proof(entry.key, entry.first, tokens)
    return *_key_record(entry.key), entry.first, stored.num_bytes, stored.used, proof, tokens


def _load_entry(record: tuple[str, str, str, int, int, int, bytes, bytes], contents: Contents) -> None:
    """A record whose tokens are not those of its digest is passed over: its file tells them again."""
    stream, start, end, first, num_bytes, used, proof, data = record
    key = EntryKey(stream, start, end)
    if proof == _proof(key, first, data) and stream in contents.streams:
        contents.entries[key] = StoredEntry(Entry(key, first, _unpack(data)), num_bytes, used)


def _proof(key: EntryKey, first: int, tokens: bytes) -> bytes:
    """A digest, since SQLite has none over its pages and a wrong token would be a wrong match."""
    return hashlib.blake2b(f"{_key_record(key)} {first} ".encode() + tokens, digest_size=8).digest()


def _pack(token_ids: Sequence[int]) -> bytes:
    """Little-endian, four bytes a token."""
    numbers = array("I", token_ids)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _unpack(data: bytes) -> tuple[int, ...]:
    numbers = array("I", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return tuple(numbers)
