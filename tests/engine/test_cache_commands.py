"""What the window asks of the prompt cache, and the answers where it cannot be done."""

from __future__ import annotations

import pytest

from engine.cache_commands import NOT_DELETED
from engine.messages import Answer, ConversationDeleted, DeleteConversation, DescribeCache, RemoveCached, SetCacheLimits
from tests.engine.restarts import LONG, Chat


@pytest.mark.parametrize("has_ended", [False, True], ids=["holder runs", "holder has ended"])
def test_deletion_while_another_program_holds_the_folder_says_what_stays(target, data_dir, tmp_path, has_ended):
    chat = Chat(target, data_dir, tmp_path / "cache")
    chat.ask(LONG)
    holder, engine = chat.start(), chat.start()
    if has_ended:
        holder.close()  # the folder is still only read here
    engine.send(DeleteConversation("chat"))
    engine.run()
    assert engine.events == [ConversationDeleted("chat", NOT_DELETED)]
    assert list((tmp_path / "cache").rglob("*.safetensors"))
    engine.close()
    holder.close()


def test_deletion_that_is_made_has_no_problem(target, data_dir, tmp_path):
    chat = Chat(target, data_dir, tmp_path / "cache")
    chat.ask(LONG)
    engine = chat.start()
    engine.send(DeleteConversation("chat"))
    engine.run()
    assert engine.events == [ConversationDeleted("chat")]
    engine.close()


def test_removal_of_what_is_cached_of_a_chat_is_answered_once_its_files_are_gone(target, data_dir, tmp_path):
    chat = Chat(target, data_dir, tmp_path / "cache")
    chat.ask(LONG)
    engine = chat.start()
    engine.send(RemoveCached(7, "chat"))
    engine.run()
    (answer,) = engine.events
    assert isinstance(answer, Answer)
    assert (answer.request_id, answer.value.conversations, answer.value.disk_bytes) == (7, (), 0)
    assert not list((tmp_path / "cache").rglob("*.safetensors"))
    engine.close()


def test_limits_hold_in_a_folder_that_another_program_held_when_they_were_chosen(target, data_dir, tmp_path):
    chat = Chat(target, data_dir, tmp_path / "cache")
    holder, engine = chat.start(), chat.start()
    engine.send(SetCacheLimits(budget_bytes=7_000_000))
    engine.run()
    holder.close()
    engine.send(chat.request(LONG), DescribeCache(9))
    engine.run()
    (answer,) = engine.events_of(9)
    assert isinstance(answer, Answer)
    assert (answer.value.is_read_only, answer.value.budget_bytes) == (False, 7_000_000)
    engine.close()
