"""The SQL on the shape of a tree of messages: which branch is shown, what is taken out and put back, what is copied."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.conversations.opening import StorageError
from app.conversations.records import ReplyState, new_id

_ABOVE = (
    "WITH RECURSIVE path (id, parent_id) AS (SELECT id, parent_id FROM messages WHERE id = ? "
    "UNION SELECT parent.id, parent.parent_id FROM messages AS parent JOIN path ON parent.id = path.parent_id) "
    "SELECT id FROM path"  # UNION, not UNION ALL: a damaged tree may run in a circle
)
_BELOW = (
    "WITH RECURSIVE subtree (id) AS (SELECT id FROM messages WHERE id = ? "
    "UNION SELECT child.id FROM messages AS child JOIN subtree ON child.parent_id = subtree.id) "
    "SELECT id FROM subtree"
)
_REMOVAL = (
    "UPDATE conversations SET chosen_root = NULL WHERE chosen_root = ?",
    "UPDATE messages SET chosen_child = NULL WHERE chosen_child = ?",
    "DELETE FROM messages WHERE id = ?",
)
_NUM_BRANCHES = (
    "UPDATE conversations SET num_branches = max(1, (SELECT count(*) FROM messages AS leaf "
    "WHERE leaf.conversation_id = conversations.id "
    "AND NOT EXISTS (SELECT 1 FROM messages AS child WHERE child.parent_id = leaf.id))) WHERE id = ?"
)


class UnknownMessageError(StorageError):
    """The message is not in the database."""


@dataclass(frozen=True, slots=True)
class DeletedMessages:
    """What was taken out of a tree, as it was in the database, so that it can be put back."""

    conversation_id: str
    parent_id: str | None
    chosen: str | None  # what was chosen under the parent
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]  # in the order of their creation

    @property
    def num_messages(self) -> int:
        return len(self.rows)


def add_branch(connection: sqlite3.Connection, conversation_id: str, parent_id: str | None, message_id: str) -> None:
    """Choose a leaf that was just added under its parent, and count the branch that it may begin."""
    beside = "+parent_id IS NULL AND conversation_id = ?" if parent_id is None else "parent_id = ?"  # + bars an index
    connection.execute(
        "UPDATE conversations SET num_branches = num_branches + "
        f"EXISTS (SELECT 1 FROM messages WHERE {beside} AND id <> ?) WHERE id = ?",
        (parent_id or conversation_id, message_id, conversation_id),
    )
    set_chosen(connection, conversation_id, parent_id, message_id)


def choose(connection: sqlite3.Connection, message_id: str) -> None:
    """Choose a message and all above it; what follows it stays as it was chosen."""
    path = list_above(connection, message_id)
    for child, parent in pairwise(path):
        connection.execute("UPDATE messages SET chosen_child = ? WHERE id = ?", (child, parent))
    connection.execute(
        "UPDATE conversations SET chosen_root = ? WHERE id = (SELECT conversation_id FROM messages WHERE id = ?)",
        (path[-1], message_id),
    )


def list_above(connection: sqlite3.Connection, message_id: str) -> list[str]:
    """Ids from the message up to its root; raises UnknownMessageError."""
    path = [row["id"] for row in connection.execute(_ABOVE, (message_id,))]
    if not path:
        raise UnknownMessageError("This message is no longer there.")
    return path


def delete(connection: sqlite3.Connection, message_id: str) -> DeletedMessages:
    """Take out a message with all that follows it in any branch; a sibling is shown in its place."""
    place = connection.execute(
        "SELECT message.conversation_id, message.parent_id, parent.id AS known_parent, "
        "CASE WHEN parent.id IS NULL THEN conversation.chosen_root ELSE parent.chosen_child END AS chosen "
        "FROM messages AS message JOIN conversations AS conversation ON conversation.id = message.conversation_id "
        "LEFT JOIN messages AS parent ON parent.id = message.parent_id WHERE message.id = ?",
        (message_id,),
    ).fetchone()
    if place is None:
        raise UnknownMessageError("This message is no longer there.")
    ids = [row["id"] for row in connection.execute(_BELOW, (message_id,))]
    columns, rows = _read_rows(connection, ids)
    for statement in _REMOVAL:
        connection.executemany(statement, ((one,) for one in ids))
    count_branches(connection, place["conversation_id"])
    return DeletedMessages(place["conversation_id"], place["known_parent"], place["chosen"], columns, rows)


def restore(connection: sqlite3.Connection, deleted: DeletedMessages) -> None:
    """Put back what was taken out, and choose what was chosen then; does nothing where their chat is gone.

    Raises UnknownMessageError where what they followed has been deleted since.
    """
    if not _exists(connection, "conversations", deleted.conversation_id):
        return
    if deleted.parent_id is not None and not _exists(connection, "messages", deleted.parent_id):
        raise UnknownMessageError("The message before them is no longer there, so they cannot be put back.")
    insert_rows(connection, deleted.columns, deleted.rows)
    set_chosen(connection, deleted.conversation_id, deleted.parent_id, deleted.chosen)
    count_branches(connection, deleted.conversation_id)


def insert_rows(connection: sqlite3.Connection, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    marks = ", ".join("?" for _ in columns)
    connection.executemany(f"INSERT INTO messages ({', '.join(columns)}) VALUES ({marks})", rows)


def copy_messages(
    connection: sqlite3.Connection, ids: Sequence[str], conversation_id: str, chosen_root: str | None
) -> None:
    """Copy messages to another conversation; their links and the choice of a root go among the copies.

    A reply that runs is copied as one that was cut off: nothing will be added to the copy.
    """
    columns, rows = _read_rows(connection, ids)
    new_ids = {message_id: new_id() for message_id in ids}
    copies = []
    for row in rows:
        values = dict(zip(columns, row, strict=True))
        del values["ordinal"]
        state = ReplyState.CUT_OFF.value if values["state"] == ReplyState.RUNNING.value else values["state"]
        links = {name: new_ids.get(str(values[name])) for name in ("id", "parent_id", "chosen_child")}
        copies.append(tuple({**values, **links, "state": state, "conversation_id": conversation_id}.values()))
    insert_rows(connection, [name for name in columns if name != "ordinal"], copies)
    set_chosen(connection, conversation_id, None, new_ids.get(chosen_root or ""))
    count_branches(connection, conversation_id)


def count_branches(connection: sqlite3.Connection, conversation_id: str) -> None:
    connection.execute(_NUM_BRANCHES, (conversation_id,))


def set_num_branches(connection: sqlite3.Connection, conversation_id: str, num_branches: int) -> None:
    """Where they were counted already."""
    connection.execute("UPDATE conversations SET num_branches = ? WHERE id = ?", (num_branches, conversation_id))


def set_choices(connection: sqlite3.Connection, choices: Iterable[tuple[str, str]]) -> None:
    """Choose children, each given with its parent."""
    connection.executemany("UPDATE messages SET chosen_child = ? WHERE id = ?", choices)


def set_chosen(connection: sqlite3.Connection, conversation_id: str, parent_id: str | None, chosen: str | None) -> None:
    if parent_id is None:
        connection.execute("UPDATE conversations SET chosen_root = ? WHERE id = ?", (chosen, conversation_id))
    else:
        connection.execute("UPDATE messages SET chosen_child = ? WHERE id = ?", (chosen, parent_id))


def _read_rows(
    connection: sqlite3.Connection, ids: Sequence[str]
) -> tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]:
    columns = tuple(row["name"] for row in connection.execute("PRAGMA table_info(messages)"))
    rows = (connection.execute("SELECT * FROM messages WHERE id = ?", (one,)).fetchone() for one in ids)
    return columns, tuple(sorted((tuple(row) for row in rows if row is not None), key=lambda row: row[0]))


def _exists(connection: sqlite3.Connection, table: str, row_id: str) -> bool:
    return connection.execute(f"SELECT 1 FROM {table} WHERE id = ?", (row_id,)).fetchone() is not None
