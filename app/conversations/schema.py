"""The tables, as a list of steps from one version to the next; a step that was released is never edited."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

# Long columns come last: SQLite reads a record up to the last column asked for.
# No cascade from parent to child: a conversation of 1,000 messages would exceed SQLite's depth of triggers.
_FIRST_TABLES = (
    """
    CREATE TABLE conversations (
        id TEXT PRIMARY KEY NOT NULL,
        title TEXT NOT NULL,
        model TEXT NOT NULL,
        drafter TEXT NOT NULL,
        chosen_root TEXT REFERENCES messages (id) DEFERRABLE INITIALLY DEFERRED,
        activity INTEGER NOT NULL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL
    )
    """,
    """
    CREATE TABLE messages (
        ordinal INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
        parent_id TEXT REFERENCES messages (id) DEFERRABLE INITIALLY DEFERRED,
        chosen_child TEXT REFERENCES messages (id) DEFERRABLE INITIALLY DEFERRED,
        role TEXT NOT NULL,
        state TEXT NOT NULL,
        finish_reason TEXT NOT NULL,
        seed INTEGER NOT NULL,
        temperature REAL NOT NULL,
        model TEXT NOT NULL,
        drafter TEXT NOT NULL,
        quantisation TEXT NOT NULL,
        tokenizer_id TEXT NOT NULL,
        created_at REAL NOT NULL,
        updated_at REAL NOT NULL,
        error TEXT NOT NULL,
        notices TEXT NOT NULL,
        statistics TEXT,
        text TEXT NOT NULL,
        token_ids BLOB NOT NULL
    )
    """,
    "CREATE INDEX conversations_by_activity ON conversations (activity)",
    "CREATE INDEX conversations_by_root ON conversations (chosen_root)",
    "CREATE INDEX messages_by_conversation ON messages (conversation_id, ordinal)",
    "CREATE INDEX messages_by_parent ON messages (parent_id)",
    "CREATE INDEX messages_by_chosen_child ON messages (chosen_child)",
    "CREATE INDEX running_messages ON messages (state) WHERE state = 'running'",
)


def _create_tables(connection: sqlite3.Connection) -> None:
    for statement in _FIRST_TABLES:
        connection.execute(statement)


_FOLDERS_AND_REASONING = (
    "ALTER TABLE conversations ADD COLUMN folder TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE conversations ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE conversations ADD COLUMN switches TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE conversations ADD COLUMN num_branches INTEGER NOT NULL DEFAULT 1",
    "ALTER TABLE messages ADD COLUMN opening TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE messages ADD COLUMN thought_seconds REAL NOT NULL DEFAULT 0",
    "ALTER TABLE messages ADD COLUMN num_thought INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE messages ADD COLUMN num_left_out INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE messages ADD COLUMN attachments TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE messages ADD COLUMN rules TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE messages ADD COLUMN switches TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE messages ADD COLUMN drafted BLOB NOT NULL DEFAULT x''",
    """
    UPDATE conversations SET num_branches = max(1, (
        SELECT count(*) FROM messages AS leaf WHERE leaf.conversation_id = conversations.id
        AND NOT EXISTS (SELECT 1 FROM messages AS child WHERE child.parent_id = leaf.id)
    ))
    """,
)


# A queue of what the search index, a file of its own, has not seen: writing a chat never waits for that file, and a
# damaged one costs no chat. What is journaled half a second later again is left out until it has ended.
_SEARCH_QUEUE = (
    "CREATE TABLE unindexed (change INTEGER PRIMARY KEY AUTOINCREMENT, ordinal INTEGER NOT NULL)",
    """
    CREATE TRIGGER queue_new AFTER INSERT ON messages WHEN new.state <> 'running'
    BEGIN INSERT INTO unindexed (ordinal) VALUES (new.ordinal); END
    """,
    """
    CREATE TRIGGER queue_changed AFTER UPDATE OF text, state, attachments ON messages WHEN new.state <> 'running'
    BEGIN INSERT INTO unindexed (ordinal) VALUES (new.ordinal); END
    """,
    """
    CREATE TRIGGER queue_deleted AFTER DELETE ON messages
    BEGIN INSERT INTO unindexed (ordinal) VALUES (old.ordinal); END
    """,
    "INSERT INTO unindexed (ordinal) SELECT ordinal FROM messages ORDER BY ordinal DESC",
)


def _add_folders_reasoning_and_search(connection: sqlite3.Connection) -> None:
    for statement in (*_FOLDERS_AND_REASONING, *_SEARCH_QUEUE):
        connection.execute(statement)


# What a reply was made with. Its long texts are the same for many replies, so each is there once; the indexes find
# those that no reply needs any more without reading the replies. A drafter is from here on one that a chat was given
# by its user: "ngram" was every chat's until then.
_PLANS = (
    "CREATE TABLE texts (digest TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL)",
    "ALTER TABLE conversations ADD COLUMN preset TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE messages ADD COLUMN kv TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE messages ADD COLUMN context_length INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE messages ADD COLUMN system_prompt TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE messages ADD COLUMN template TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX messages_by_system_prompt ON messages (system_prompt) WHERE system_prompt <> ''",
    "CREATE INDEX messages_by_template ON messages (template) WHERE template <> ''",
    "UPDATE conversations SET drafter = '' WHERE drafter = 'ngram'",
)


def _add_plans(connection: sqlite3.Connection) -> None:
    for statement in _PLANS:
        connection.execute(statement)


Migration = Callable[[sqlite3.Connection], None]
MIGRATIONS: tuple[Migration, ...] = (
    _create_tables,
    _add_folders_reasoning_and_search,
    _add_plans,
)  # a database's user_version counts those that it has had


def version_of(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, migrations: tuple[Migration, ...]) -> None:
    """Apply what the database has not had, all of it or nothing; runs inside the caller's transaction."""
    for migration in migrations[version_of(connection) :]:
        migration(connection)
    connection.execute(f"PRAGMA user_version = {len(migrations)}")
