"""What the prompt cache gives back is what was read: the same text, bit for bit, after a restart, for every drafter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.messages import Cancel, ClearCache, KvScheme, Turn
from engine.prefill import FIRST_CHUNK, MIN_CHUNK
from tests.engine.families import FAMILIES
from tests.engine.harness import DRAFTED, TEXT, Harness, submit
from tests.engine.restarts import LONG, TEMPLATE_TAIL, Chat, is_reading, logprobs_of
from tests.engine.tiny import tiny_folder

QUESTIONS = ("one two three one two three", "and then?", "The quick brown fox jumps over the lazy dog. " * 3, "x")


@pytest.fixture(scope="module", params=sorted(FAMILIES))
def family(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder(tmp_path_factory.mktemp("families") / request.param, request.param, **FAMILIES[request.param])


def assert_chats_agree(cached: Chat, plain: Chat, num_questions: int) -> None:
    """Ask both the same; every turn after the first is restored up to the end of the turn before."""
    for index, question in enumerate(QUESTIONS[:num_questions]):
        restored, recomputed = cached.ask(question), plain.ask(question)
        assert restored.ids_of(1) == recomputed.ids_of(1)
        statistics = restored.statistics_of(1)
        assert (statistics.num_reread, statistics.reread_reason) == (0, "")
        assert (statistics.num_cached > 0) == (index > 0)


def test_chat_of_every_family_that_is_restarted_each_turn_equals_one_read_anew(family, data_dir, tmp_path):
    assert_chats_agree(Chat(family, data_dir, tmp_path / "cache"), Chat(family, data_dir, None), 2)


@pytest.mark.parametrize("drafter", DRAFTED, indirect=True)
def test_chat_with_every_drafter_that_is_restarted_each_turn_equals_one_read_anew(target, data_dir, tmp_path, drafter):
    assert_chats_agree(Chat(target, data_dir, tmp_path / "cache", drafter), Chat(target, data_dir, None), 4)


@pytest.mark.parametrize("kv", [KvScheme(8, 32), KvScheme(4, 32), KvScheme(8, 32, start=40)], ids=str)
def test_o34_chat_with_quantised_kv_that_is_restarted_each_turn_equals_one_read_anew(data_dir, tmp_path, kv):
    folder = tiny_folder(tmp_path / "wide", head_dim=32)
    cached, plain = Chat(folder, data_dir, tmp_path / "cache", kv=kv), Chat(folder, data_dir, None, kv=kv)
    for question in QUESTIONS:
        assert cached.ask(question).ids_of(1) == plain.ask(question).ids_of(1)
    statistics = cached.ask("y").statistics_of(1)
    assert statistics.num_cached > 300 > statistics.num_prompt - statistics.num_cached


def test_second_turn_reads_its_own_tokens_and_the_tail_of_the_template(target, data_dir, tmp_path):
    chat = Chat(target, data_dir, tmp_path / "cache")
    first = chat.ask(LONG).statistics_of(1)
    second = chat.ask("and?").statistics_of(1)
    held = first.num_prompt + first.num_tokens
    assert second.num_cached >= held - 1
    assert second.num_prompt - second.num_cached <= len("<|im_end|>\n<|im_start|>user\nand?<|im_end|>\n<|im_start|>ass")


def test_stop_while_reading_keeps_what_was_read_bit_for_bit(target, data_dir, tmp_path):
    text = LONG[:22]  # a chunk of the first size, and so little more that any second one takes it whole
    cold = Harness(data_dir)
    cold.send(submit(1, target, text, num_logprobs=3))
    cold.run()
    chat = Chat(target, data_dir, tmp_path / "cache")
    stopped = chat.start()
    stopped.send(chat.request(text))
    stopped.step_until(lambda: any(is_reading(event) for event in stopped.events_of(1)))
    stopped.send(Cancel(1))
    stopped.run()
    stopped.close()
    again = chat.start()
    again.send(chat.request(text, num_logprobs=3))
    again.run()
    assert again.statistics_of(1).num_cached == FIRST_CHUNK
    assert FIRST_CHUNK < cold.statistics_of(1).num_prompt - 1 <= FIRST_CHUNK + MIN_CHUNK
    assert logprobs_of(again) == logprobs_of(cold)


@pytest.mark.parametrize("drafter", DRAFTED, indirect=True)
def test_reply_that_is_stopped_and_continued_after_a_restart_is_the_whole_one(target, data_dir, tmp_path, drafter):
    whole = Harness(data_dir)
    whole.send(submit(1, target, TEXT, drafter=drafter, num_logprobs=3))
    whole.run()
    chat = Chat(target, data_dir, tmp_path / "cache", drafter)
    stopped = chat.start()
    stopped.send(chat.request(TEXT, num_logprobs=3))
    stopped.step_until(lambda: len(stopped.ids_of(1)) >= 9)
    stopped.send(Cancel(1))
    stopped.run()
    half = chat.reply(stopped)
    stopped.close()
    again = chat.start()
    again.send(chat.request(TEXT, later=(half,), num_logprobs=3, max_tokens=40 - len(half.token_ids)))
    again.run()
    assert [*half.token_ids, *again.ids_of(1)] == whole.ids_of(1)
    assert [*logprobs_of(stopped), *logprobs_of(again)] == logprobs_of(whole)  # bit for bit
    statistics = again.statistics_of(1)
    assert statistics.num_cached == statistics.num_prompt - 1


def test_reply_that_is_continued_after_a_restart_has_the_same_logits_bit_for_bit(family, data_dir, tmp_path):
    whole = Harness(data_dir)
    whole.send(submit(1, family, TEXT, num_logprobs=3))
    whole.run()
    chat = Chat(family, data_dir, tmp_path / "cache")
    stopped = chat.start()
    stopped.send(chat.request(TEXT, num_logprobs=3, max_tokens=15))
    stopped.run()
    half = chat.reply(stopped)
    stopped.close()
    again = chat.start()
    again.send(chat.request(TEXT, later=(half,), num_logprobs=3, max_tokens=25))
    again.run()
    assert [*logprobs_of(stopped), *logprobs_of(again)] == logprobs_of(whole)


def test_restored_neighbours_share_a_batch_with_a_cold_row(target, data_dir, tmp_path, alone: Callable[..., list[int]]):
    chat = Chat(target, data_dir, tmp_path / "cache")
    chat.ask(LONG)
    engine = chat.start()
    earlier = list(chat.turns)
    engine.send(submit(1, target, "and?", earlier=earlier, chat="chat"))
    engine.send(submit(2, target, TEXT))
    engine.send(submit(3, target, "or?", earlier=earlier, chat="other"))
    engine.run()
    assert engine.ids_of(1) == alone("and?", earlier=earlier)
    assert engine.ids_of(2) == alone(TEXT)
    assert engine.ids_of(3) == alone("or?", earlier=earlier)
    assert engine.statistics_of(3).num_cached > 0


@pytest.mark.parametrize("model_type", ["llama", "gemma3_text", "qwen3_next"])
def test_quit_in_mid_reply_keeps_what_was_delivered_of_every_reply(data_dir, tmp_path, model_type):
    folder = tiny_folder(tmp_path / model_type, model_type, **FAMILIES[model_type])
    chats = [Chat(folder, data_dir, tmp_path / "cache", name=name) for name in ("one", "two")]
    for num_running in (1, 2):
        engine = chats[0].start()
        for request_id, chat in enumerate(chats[:num_running], start=1):
            engine.send(replace(chat.request(LONG, max_tokens=200), request_id=request_id))
        engine.step_until(lambda engine=engine, last=num_running: len(engine.ids_of(last)) >= 40)
        engine.close()  # a plain round is in flight
        for request_id, chat in enumerate(chats[:num_running], start=1):
            assert engine.reason_of(request_id) == "cancelled"
            chat.turns += [Turn("user", LONG), chat.reply(engine, request_id)]
            statistics = chat.ask("And?").statistics_of(1)
            assert (statistics.num_reread, statistics.reread_reason) == (0, "")
            assert statistics.num_prompt - statistics.num_cached <= len("And?") + TEMPLATE_TAIL


def test_stop_while_reading_tells_what_was_read_and_no_count_that_is_wrong(target, data_dir, tmp_path):
    chat = Chat(target, data_dir, tmp_path / "cache")
    chat.ask(LONG * 3)
    engine = chat.start()
    engine.send(ClearCache(9), chat.request("And?"))
    engine.step_until(lambda: any(is_reading(event) for event in engine.events_of(1)))
    engine.send(Cancel(1))
    engine.run()
    statistics = engine.statistics_of(1)
    assert (statistics.num_read, statistics.num_reread, statistics.reread_reason) == (FIRST_CHUNK, FIRST_CHUNK, "")
    engine.send(replace(chat.request("And?"), request_id=2))
    engine.run()
    statistics = engine.statistics_of(2)
    assert statistics.num_read == statistics.num_prompt - statistics.num_cached > statistics.num_reread > 0
    assert "the cache was cleared" in statistics.reread_reason
    engine.close()
