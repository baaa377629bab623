import json
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from app.conversations import unfinished
from app.conversations.catalogue import Catalogue
from app.conversations.database import Database
from app.conversations.exporting.files import ExportKind
from app.conversations.transfer import Transfer
from tests.app.conversations.importing.chat_files import chatgpt_chat, chatgpt_node
from tests.app.conversations.saved_chats import add_exchange, texts_of


@pytest.fixture
def catalogue(database, recorder):
    return Catalogue(database, recorder)


@pytest.fixture
def export_file(tmp_path):
    """Three chats of ChatGPT, used at 10, 20 and 30 s."""
    chats = [
        chatgpt_chat(
            chatgpt_node("u", "root", "user", f"text {n}"),
            chatgpt_node("a", "u", "assistant", "re"),
            chatgpt_node("b", "u", "assistant", "other"),
            conversation_id=str(n),
            title=f"Chat {n}",
            create_time=10 * n,
            update_time=10 * n,
            current="a",
        )
        for n in (3, 1, 2)
    ]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(chats))
    return path


def titles_in(catalogue):
    return [conversation.title for conversation in catalogue.conversations]


def long_chat(number):
    nodes = [chatgpt_node(f"n{n}", f"n{n - 1}" if n else "root", "user", "word " * 40) for n in range(100)]
    return chatgpt_chat(*nodes, conversation_id=str(number))


def ids_at_the_next_start(folder):
    database = Database(folder)
    try:
        return database.run(lambda store: store.conversation_ids()).result(10)
    finally:
        database.close()


@contextmanager
def full_disk(ask):
    """No page can be added to the file."""
    pages = ask(lambda store: store.connection.execute("PRAGMA page_count").fetchone()[0])
    ask(lambda store: store.connection.execute(f"PRAGMA max_page_count = {pages}"))
    yield
    ask(lambda store: store.connection.execute("PRAGMA max_page_count = 1000000"))


def test_nothing_is_imported_before_it_is_asked_for(catalogue, export_file, run_async):
    found = run_async(catalogue.read_import(export_file))
    run_async(catalogue.refresh())
    assert (found.describe(), titles_in(catalogue)) == ("3 chats.", [])


def test_imported_chats_stand_among_the_others_by_their_time_and_can_be_taken_back(
    catalogue, export_file, run_async, ask
):
    for name, at in (("old", 15.0), ("new", 25.0)):
        ask(lambda store, name=name: add_exchange(store, name, "x", title=name))
        ask(
            lambda store, name=name, at=at: store.connection.execute(
                "UPDATE conversations SET updated_at = ? WHERE id = ?", (at, name)
            )
        )
    found = run_async(catalogue.read_import(export_file))
    imported = run_async(catalogue.import_chats(found))
    assert titles_in(catalogue) == ["Chat 3", "new", "Chat 2", "old", "Chat 1"]
    assert [one.num_branches for one in catalogue.conversations] == [2, 1, 2, 1, 2]
    assert ask(lambda store: texts_of(store, catalogue.conversations[0].id)) == ["text 3", "re"]
    assert run_async(catalogue.read_import(export_file)).num_known == 3
    gone = []
    catalogue.deleted.connect(gone.append)
    run_async(catalogue.undo_import(imported))
    assert titles_in(catalogue) == ["new", "old"]
    assert sorted(gone) == sorted(imported.conversation_ids)


def test_imported_text_is_found(catalogue, export_file, run_async):
    run_async(catalogue.import_chats(run_async(catalogue.read_import(export_file))))
    assert [hit.title for hit in run_async(catalogue.search("text 2"))] == ["Chat 2"]


def test_import_that_fails_keeps_nothing(catalogue, export_file, run_async, ask, qtbot):
    ask(lambda store: add_exchange(store, "c", "x", title="mine"))
    export_file.write_text(export_file.read_text().replace("text ", "text " * 20_000))
    found = run_async(catalogue.read_import(export_file))
    with full_disk(ask), qtbot.waitSignal(catalogue.disk_full) as trouble:
        imported = run_async(catalogue.import_chats(found))
    assert imported.conversation_ids == ()
    assert trouble.args == ["The chats could not be imported. The disk is full. None of them was kept."]
    assert titles_in(catalogue) == ["mine"]


def test_import_that_is_killed_keeps_nothing(data_dir, tmp_path):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([long_chat(number) for number in range(40)]))
    code = (
        "import asyncio, os, pathlib, sys, threading\n"
        "from app.conversations.database import Database\n"
        "from app.conversations.transfer import Transfer\n"
        "database = Database(pathlib.Path(sys.argv[1]))\n"
        "def wait():\n"
        "    while not database.run(lambda store: store.conversation_ids()).result(): pass\n"
        "    os.kill(os.getpid(), 9)\n"
        "threading.Thread(target=wait).start()\n"
        "async def run():\n"
        "    transfer = Transfer(database)\n"
        "    await transfer.add(await transfer.read([pathlib.Path(sys.argv[2])]))\n"
        "asyncio.run(run())\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(data_dir), str(path)], check=False, timeout=60)
    assert killed.returncode == -9
    assert ids_at_the_next_start(data_dir) == ()


def test_quit_in_the_middle_of_an_import_keeps_nothing(data_dir, tmp_path, run_async, caplog):
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([long_chat(number) for number in range(40)]))
    database = Database(data_dir)
    transfer = Transfer(database)
    found = run_async(transfer.read([path]))

    def close():
        while not database.run(lambda store: store.conversation_ids()).result(5):
            pass
        database.close()

    closing = threading.Thread(target=close)
    closing.start()
    imported = run_async(transfer.add(found))
    closing.join()
    assert imported.conversation_ids == ()
    assert "None of them was kept." in imported.problem
    assert ids_at_the_next_start(data_dir) == ()
    caplog.clear()


def test_chats_of_an_import_are_not_listed_before_all_are_there(catalogue, ask, run_async):
    ask(lambda store: unfinished.begin(store.connection, ["c"]))
    ask(lambda store: add_exchange(store, "c", "x", title="half"))
    run_async(catalogue.refresh())
    assert titles_in(catalogue) == []
    ask(lambda store: unfinished.finish(store.connection, ["c"]))
    run_async(catalogue.refresh())
    assert titles_in(catalogue) == ["half"]


def test_import_that_is_taken_back_by_halves_is_gone_at_the_next_start(
    catalogue, export_file, run_async, ask, data_dir
):
    imported = run_async(catalogue.import_chats(run_async(catalogue.read_import(export_file))))
    ask(lambda store: add_exchange(store, "c", "x", title="mine"))
    ask(lambda store: unfinished.begin(store.connection, imported.conversation_ids))
    ask(lambda store: store.delete_conversation(imported.conversation_ids[0]))
    assert ids_at_the_next_start(data_dir) == ("c",)


def test_chat_that_came_meanwhile_is_left_as_it_is(catalogue, export_file, run_async, ask):
    found = run_async(catalogue.read_import(export_file))
    first = run_async(catalogue.import_chats(found))
    again = run_async(catalogue.import_chats(found))
    assert (len(first.conversation_ids), again.conversation_ids, again.problem) == (3, (), "")
    assert len(titles_in(catalogue)) == 3


def test_exported_chats_come_back_after_they_were_deleted(catalogue, export_file, run_async, tmp_path, caplog):
    run_async(catalogue.import_chats(run_async(catalogue.read_import(export_file))))
    before = catalogue.conversations
    ids = [conversation.id for conversation in before]
    path = tmp_path / "all.json"
    assert run_async(catalogue.export([*ids, "gone"], path, ExportKind.JSON)) == 3
    for one in ids:
        run_async(catalogue.delete((one,)))
    run_async(catalogue.import_chats(run_async(catalogue.read_import(path))))
    assert catalogue.conversations == before
    assert "left out of an export" in caplog.text
    caplog.clear()


def test_chats_are_written_to_a_folder(catalogue, export_file, run_async, tmp_path):
    run_async(catalogue.import_chats(run_async(catalogue.read_import(export_file))))
    ids = [conversation.id for conversation in catalogue.conversations]
    folder = tmp_path / "out"
    assert run_async(catalogue.export(ids, folder, ExportKind.MARKDOWN, is_folder=True)) == 3
    assert sorted(file.name for file in folder.iterdir()) == ["Chat 1.md", "Chat 2.md", "Chat 3.md"]


def test_export_that_cannot_be_written_says_so(catalogue, run_async, qtbot, tmp_path, ask):
    ask(lambda store: add_exchange(store, "c", "x", title="mine"))
    with qtbot.waitSignal(catalogue.trouble) as trouble:
        assert run_async(catalogue.export(["c"], tmp_path / "gone" / "x.json", ExportKind.JSON)) is None
    assert trouble.args[0].endswith("No such file or directory.")


def test_damaged_message_is_left_out_of_an_export_and_what_follows_stays(catalogue, run_async, tmp_path, ask):
    _, reply = ask(lambda store: add_exchange(store, "c", "one", title="mine"))
    ask(lambda store: add_exchange(store, "c", "two", reply.id))
    ask(lambda store: store.connection.execute("UPDATE messages SET role = '?' WHERE id = ?", (reply.id,)))
    path = tmp_path / "x.json"
    assert run_async(catalogue.export(["c"], path, ExportKind.JSON)) == 1
    one, two, answer = json.loads(path.read_text())["chats"][0]["messages"]
    assert (two["parent_id"], answer["parent_id"]) == (one["id"], two["id"])
