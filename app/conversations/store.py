"""The SQL on conversations and their trees of messages; used on the database thread alone."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import replace

from app.conversations import tree
from app.conversations.opening import StorageError
from app.conversations.paths import Node, chosen_path, siblings_on
from app.conversations.records import (
    ChatChoices,
    Conversation,
    Listing,
    Message,
    OpenedConversation,
    ReplyState,
    new_id,
)
from app.conversations.rows import (
    DamagedRecordError,
    conversation_from_row,
    encode_switches,
    message_from_row,
    row_from_message,
    token_ids_of,
)
from app.conversations.texts import Texts
from app.conversations.titles import NEW_TITLE, clean_title
from app.conversations.unfinished import unfinished_ids

logger = logging.getLogger(__name__)
_NEXT_ACTIVITY = "(SELECT coalesce(max(activity), 0) + 1 FROM conversations)"  # an order that no clock can upset
_NEVER_CHANGES = frozenset({"id", "conversation_id", "parent_id", "role", "created_at"})


class UnknownConversationError(StorageError):
    """The conversation is not in the database, or cannot be read."""


class Store:
    """Each method is part of one transaction, which `Database.run` begins and commits."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.texts = Texts(connection)

    def create_conversation(self, conversation: Conversation) -> None:
        self.connection.execute(
            "INSERT INTO conversations "
            "(id, title, model, drafter, activity, created_at, updated_at, folder, is_pinned, switches, preset) "
            f"VALUES (?, ?, ?, ?, {_NEXT_ACTIVITY}, ?, ?, ?, ?, ?, ?)",
            (
                conversation.id,
                conversation.title,
                conversation.model,
                conversation.drafter,
                conversation.created_at,
                conversation.updated_at,
                conversation.folder,
                conversation.is_pinned,
                encode_switches(conversation.switches),
                conversation.preset,
            ),
        )

    def list_conversations(self) -> Listing:
        """Latest used first; the order follows what was done, never the clock. Without those of a running import."""
        readable: list[Conversation] = []
        damaged: list[str] = []
        unfinished = unfinished_ids(self.connection)
        for row in self.connection.execute("SELECT * FROM conversations ORDER BY activity DESC"):
            if row["id"] in unfinished:
                continue
            try:
                readable.append(conversation_from_row(row))
            except DamagedRecordError as error:
                damaged.append(f"The conversation {row['id']!r} could not be read: {error}. It was left as it is.")
        return Listing(tuple(readable), tuple(damaged))

    def conversation_ids(self) -> tuple[str, ...]:
        """Of all conversations, those that cannot be read too."""
        ids = (row["id"] for row in self.connection.execute("SELECT id FROM conversations"))
        return tuple(conversation_id for conversation_id in ids if isinstance(conversation_id, str))

    def open_conversation(self, conversation_id: str) -> OpenedConversation:
        """The conversation and its chosen path; messages that cannot be read are named and left out."""
        row = self._row_of(conversation_id)
        conversation = self._conversation(row)
        messages: list[Message] = []
        damaged: list[str] = []
        nodes = self._nodes(conversation_id)
        path = chosen_path(row["chosen_root"], nodes)
        for message_id in path:
            try:
                messages.append(self.read_message(message_id))
            except (DamagedRecordError, sqlite3.DatabaseError) as error:
                damaged.append(f"A message of “{conversation.title}” could not be read: {error}. It was left out.")
        return OpenedConversation(conversation, tuple(messages), tuple(damaged), siblings_on(path, nodes))

    def rename_conversation(self, conversation_id: str, title: str) -> None:
        self.connection.execute("UPDATE conversations SET title = ? WHERE id = ?", (title, conversation_id))

    def set_folder(self, conversation_id: str, folder: str) -> None:
        """Put it into a folder; "" takes it out."""
        self.connection.execute("UPDATE conversations SET folder = ? WHERE id = ?", (folder, conversation_id))

    def rename_folder(self, folder: str, name: str) -> None:
        """With all that is in it; one of that name takes them in, and "" takes them out of any."""
        self.connection.execute("UPDATE conversations SET folder = ? WHERE folder = ?", (name, folder))

    def set_pinned(self, conversation_id: str, is_pinned: bool) -> None:
        self.connection.execute("UPDATE conversations SET is_pinned = ? WHERE id = ?", (is_pinned, conversation_id))

    def set_choices(self, conversation_id: str, choices: ChatChoices) -> None:
        """What its next replies are made with; its folder stays."""
        self.connection.execute(
            "UPDATE conversations SET drafter = ?, preset = ?, switches = ? WHERE id = ?",
            (choices.drafter, choices.preset, encode_switches(choices.switches), conversation_id),
        )

    def duplicate_conversation(self, conversation_id: str) -> str:
        """Copy it with all its branches; returns the id of the copy, which comes first in the list."""
        row = self._row_of(conversation_id)
        return self._copy(row, [node.id for node in self._nodes(conversation_id)], row["chosen_root"])

    def duplicate_path(self, conversation_id: str, message_id: str) -> str:
        """Copy the path from its root down to a message, as a chat of its own; returns the id of the copy."""
        path = tree.list_above(self.connection, message_id)
        return self._copy(self._row_of(conversation_id), path, path[-1])

    def _copy(self, row: sqlite3.Row, message_ids: list[str], chosen_root: str | None) -> str:
        copy = replace(self._conversation(row), id=new_id())
        self.create_conversation(replace(copy, title=clean_title(f"{copy.title or NEW_TITLE} copy"), is_pinned=False))
        tree.copy_messages(self.connection, message_ids, copy.id, chosen_root)
        return copy.id

    def delete_conversation(self, conversation_id: str) -> None:
        """Its messages go with it."""
        self.connection.execute("DELETE FROM conversations WHERE id = ?", (conversation_id,))

    def touch_conversation(self, conversation_id: str, model: str, now: float) -> None:
        """Move it to the front of the list, and note its model."""
        self.connection.execute(
            f"UPDATE conversations SET activity = {_NEXT_ACTIVITY}, updated_at = ?, model = ? WHERE id = ?",
            (now, model, conversation_id),
        )

    def add_message(self, message: Message) -> None:
        """Add a leaf and choose it: the path that is shown ends in it."""
        self.texts.keep((message.system_prompt, message.template))
        values = row_from_message(message)
        columns, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
        self.connection.execute(f"INSERT INTO messages ({columns}) VALUES ({marks})", values)
        tree.add_branch(self.connection, message.conversation_id, message.parent_id, message.id)

    def choose_message(self, message_id: str) -> None:
        """Show the branch that a message is in; raises UnknownMessageError."""
        tree.choose(self.connection, message_id)

    def delete_message(self, message_id: str) -> tree.DeletedMessages:
        """Delete a message and all that follows it; returns what `restore_messages` puts back."""
        return tree.delete(self.connection, message_id)

    def restore_messages(self, deleted: tree.DeletedMessages) -> None:
        """Put back what was deleted, as it was; nothing where its chat is gone. Raises UnknownMessageError."""
        tree.restore(self.connection, deleted)

    def save_replies(self, replies: Iterable[Message]) -> None:
        """Overwrite what a reply has come to; one that was deleted meanwhile stays deleted."""
        for reply in replies:
            self.texts.keep((reply.system_prompt, reply.template))
            values = row_from_message(reply)
            assignments = ", ".join(f"{name} = :{name}" for name in values if name not in _NEVER_CHANGES)
            self.connection.execute(f"UPDATE messages SET {assignments} WHERE id = :id", values)

    def mark_cut_off(self) -> int:
        """Called once at the start of the one program that owns the file; returns how many replies were running."""
        changed = self.connection.execute(
            "UPDATE messages SET state = ? WHERE state = ?", (ReplyState.CUT_OFF.value, ReplyState.RUNNING.value)
        )
        return changed.rowcount

    def forget_search_changes(self, last: int) -> None:
        """Take those up to the last one from the queue of what the search has not seen."""
        self.connection.execute("DELETE FROM unindexed WHERE change <= ?", (last,))

    def queue_all_for_search(self) -> None:
        """All that have ended; those that wait already keep their place. No index is read: one may be damaged."""
        self.connection.execute(
            "INSERT INTO unindexed (ordinal) SELECT ordinal FROM messages NOT INDEXED "
            "WHERE state <> 'running' AND ordinal NOT IN (SELECT ordinal FROM unindexed) ORDER BY ordinal DESC"
        )

    def past_replies(
        self, tokenizer_id: str, conversation_id: str | None = None
    ) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Conversation and token ids of each reply in a tokenizer's tokens, the latest first; no ids where damaged.

        Without those that run or failed, which the engine does not remember either.
        """
        # No index: a walk over 10,000 messages takes 2 ms, and an index would be written with every running reply.
        places = self.connection.execute(
            "SELECT ordinal FROM messages WHERE tokenizer_id = :tokenizer AND role = 'assistant' "
            "AND state NOT IN ('running', 'failed') AND conversation_id = ifnull(:conversation, conversation_id) "
            "ORDER BY ordinal DESC",
            {"tokenizer": tokenizer_id, "conversation": conversation_id},
        )
        for (ordinal,) in places:
            try:
                row = self.connection.execute(
                    "SELECT id, conversation_id, token_ids FROM messages WHERE ordinal = ?", (ordinal,)
                ).fetchone()
            except sqlite3.DatabaseError as error:
                logger.warning("a past reply could not be read and is left out: %s", error)
                continue
            yield row["conversation_id"], token_ids_of(row)

    def _row_of(self, conversation_id: str) -> sqlite3.Row:
        row: sqlite3.Row | None = self.connection.execute(
            "SELECT * FROM conversations WHERE id = ?", (conversation_id,)
        ).fetchone()
        if row is None:
            raise UnknownConversationError("This conversation is no longer there.")
        return row

    def _conversation(self, row: sqlite3.Row) -> Conversation:
        try:
            return conversation_from_row(row)
        except DamagedRecordError as error:
            raise UnknownConversationError(f"This conversation could not be read: {error}.") from error

    def _nodes(self, conversation_id: str) -> list[Node]:
        rows = self.connection.execute(
            "SELECT id, parent_id, chosen_child FROM messages WHERE conversation_id = ? ORDER BY ordinal",
            (conversation_id,),
        )
        return [Node(row["id"], row["parent_id"], row["chosen_child"]) for row in rows]

    def read_message(self, message_id: str) -> Message:
        row = self.connection.execute("SELECT * FROM messages WHERE id = ?", (message_id,)).fetchone()
        if row is None:
            raise DamagedRecordError("it is missing")
        return message_from_row(row, self.texts.read)
