"""`slipstream-engine cache` as a user calls it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.headless import main
from engine.prompt_cache.hashes import node_hashes, token_bytes
from engine.prompt_cache.index import read_index
from engine.prompt_cache.report import FOLDER_NAME, CacheSettings
from tests.engine.prompt_cache.chats import STREAM, stream, text
from tests.engine.prompt_cache.on_disk import OnDisk

A = text(1, 1000)
SECRET = A[7]


@pytest.fixture(autouse=True)
def _no_preload(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Starting the process again with another BLAS would start the tests again."""
    monkeypatch.setattr("engine.blas.preload_blas", lambda: None)
    yield
    OnDisk.close_all()


@pytest.fixture
def root(data_dir: Path) -> Path:
    return data_dir / FOLDER_NAME


@pytest.fixture
def chats(root: Path) -> OnDisk:
    """A window's cache with two conversations that share tokens, in two streams."""
    chats = OnDisk(root, CacheSettings(daily_limit_bytes=10_000_000))
    chats.put("first chat", A)
    chats.put("second chat", [*A[:300], *text(2, 100)])
    chats.put("first chat", A, stream("helper", kind="drafter"), is_exact=True)
    return chats


def cache(*arguments: str) -> int:
    return main(["cache", *arguments])


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert cache(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_ls_tells_streams_and_conversations_beside_a_running_window(chats: OnDisk, capsys):
    found = told(capsys, "ls")
    report = chats.cache.report()
    assert found["disk_bytes"] == report.disk_bytes
    assert found["budget_bytes"] == pytest.approx(report.budget_bytes, rel=0.05)  # others use the disk too
    assert found["written_today_bytes"] == report.written_today_bytes
    assert found["num_entries"] == len(chats.entry_files())
    assert [one["name"] for one in found["streams"]] == ["m, target, 16", "helper, drafter, 16"]
    sizes = {one["conversation_id"]: (one["num_tokens"], one["disk_bytes"]) for one in found["conversations"]}
    assert sizes == {one.conversation_id: (one.num_tokens, one.disk_bytes) for one in report.conversations}


def test_ls_prints_a_table(chats: OnDisk, capsys):
    assert cache("ls") == 0
    out = capsys.readouterr().out
    assert "1,000 tokens  first chat" in out
    assert "2 conversations" in out


def test_ls_of_no_cache_is_empty(data_dir: Path, capsys):
    found = told(capsys, "ls")
    assert (found["num_entries"], found["disk_bytes"], found["conversations"]) == (0, 0, [])
    assert not data_dir.exists()


def test_show_tells_entries_and_never_text(chats: OnDisk, capsys):
    found = told(capsys, "show", "sec")
    assert found["conversation_id"] == "second chat"
    assert [(one["kind"], one["first"], one["end"], one["num_others"]) for one in found["entries"]] == [
        ("page", 0, 256, 1),
        ("page", 256, 400, 0),
    ]
    assert str(SECRET) not in json.dumps(found)
    assert cache("show", "first chat") == 0
    assert "checkpoint 1,000" in capsys.readouterr().out


def second_page(chats: OnDisk) -> Path:
    """Of four, or five in all with that of the other conversation."""
    (start,) = node_hashes(STREAM.identity, token_bytes(A), [256])
    places = chats.root.glob(f"{STREAM.identity}/{start}-*.safetensors")
    return max(places, key=lambda path: path.stat().st_size)


def test_ls_reads_the_files_where_the_index_is_gone(chats: OnDisk, root: Path, capsys):
    chats.cache.close(1.0)
    before = told(capsys, "ls")
    (root / "index.sqlite").unlink()
    found = told(capsys, "ls")
    assert (found["num_entries"], found["disk_bytes"]) == (before["num_entries"], before["disk_bytes"])
    assert {one["conversation_id"] for one in found["conversations"]} == {"first chat", "second chat"}
    assert not (root / "index.sqlite").exists()


def test_ls_leaves_out_conversations_of_which_nothing_is_saved(chats: OnDisk, capsys):
    chats.cache.clear(lambda: None)
    chats.put("third chat", text(3, 300))
    assert [one["conversation_id"] for one in told(capsys, "ls")["conversations"]] == ["third chat"]


@pytest.mark.parametrize("command", ["ls", "verify", "prune", "clear"])
def test_a_data_folder_that_is_a_file_is_bad_input(data_dir: Path, capsys, command: str):
    data_dir.write_text("mine")
    assert cache(command) == 2
    assert f"{str(data_dir)!r} is no folder" in capsys.readouterr().err


def test_what_a_command_does_not_know_shows_its_own_usage(capsys):
    with pytest.raises(SystemExit) as ended:
        cache("ls", "extra")
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("usage: slipstream-engine cache ls [-h] [--json]")
    assert "unrecognized arguments: extra" in told


@pytest.mark.parametrize(("wanted", "reason"), [("third", "no conversation"), ("", "several conversations")])
def test_show_of_another_conversation_is_bad_input(chats: OnDisk, capsys, wanted: str, reason: str):
    assert cache("show", wanted) == 2
    assert reason in capsys.readouterr().err


def test_verify_finds_a_damaged_file(chats: OnDisk, capsys):
    chats.cache.close(1.0)
    assert cache("verify") == 0
    damaged = chats.entry_files()[0]
    damaged.write_bytes(damaged.read_bytes()[:-1])
    capsys.readouterr()
    assert cache("verify") == 1
    assert damaged.name in capsys.readouterr().out
    assert cache("verify", "--json") == 1
    assert len(json.loads(capsys.readouterr().out)["faults"]) == 1


def test_prune_tells_what_was_damaged_and_what_nothing_leads_to(chats: OnDisk, capsys, caplog):
    chats.cache.close(1.0)
    damaged = second_page(chats)
    content = damaged.read_bytes()
    damaged.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    num_bytes = sum(path.stat().st_size for path in chats.entry_files())
    found = told(capsys, "prune")
    assert (found["num_damaged"], found["damaged_bytes"], found["num_unreachable"]) == (1, len(content), 2)
    assert found["freed_bytes"] == num_bytes - sum(path.stat().st_size for path in chats.entry_files())
    assert found["freed_bytes"] == found["damaged_bytes"] + found["unreachable_bytes"]
    assert cache("verify") == 0
    caplog.clear()


def test_prune_tells_of_a_folder_in_a_page_s_place_in_words(chats: OnDisk, capsys):
    chats.cache.close(1.0)
    page = second_page(chats)
    page.unlink()
    page.mkdir()
    assert cache("prune") == 0
    assert "2 entries that nothing led to any more were removed, " in capsys.readouterr().out
    assert cache("verify") == 0


@pytest.mark.parametrize("arguments", [["prune"], ["clear", "--yes"], ["clear"]])
def test_a_running_window_s_cache_is_not_changed(chats: OnDisk, capsys, arguments: list[str]):
    num_files = len(chats.entry_files())
    assert cache(*arguments) == 1
    assert "nothing was changed" in capsys.readouterr().err
    assert len(chats.entry_files()) == num_files


def test_clear_removes_everything_and_the_chats_can_say_so(chats: OnDisk, capsys):
    chats.cache.close(1.0)
    assert cache("clear", "--yes") == 0
    assert "KB were freed" in capsys.readouterr().out
    assert not chats.entry_files()
    assert OnDisk(chats.root).find("first chat", [*A, 1], num_old=900).code == "cleared"


def test_clear_asks_first(chats: OnDisk, capsys):
    chats.cache.close(1.0)
    assert cache("clear") == 2
    assert "--yes" in capsys.readouterr().err
    assert chats.entry_files()


def test_clear_leaves_nothing_of_the_headless_tool_s_conversations(root: Path, capsys):
    headless = OnDisk(root, CacheSettings(tag="headless"))
    headless.put("headless-1", A)
    headless.cache.close(1.0)
    assert told(capsys, "clear", "--yes")["freed_bytes"] > 0
    assert read_index(root / "index.sqlite").readings == []


def test_prune_keeps_a_budget_that_is_given(chats: OnDisk, capsys):
    chats.cache.close(1.0)
    assert cache("prune", "--budget", "30KB") == 0
    capsys.readouterr()
    found = told(capsys, "ls")
    assert 0 < found["disk_bytes"] <= 30_000
    assert found["disk_bytes"] == sum(path.stat().st_size for path in chats.entry_files())


def test_prune_removes_what_the_headless_tool_saved(chats: OnDisk, root: Path, capsys):
    chats.cache.close(1.0)
    num_files = len(chats.entry_files())
    headless = OnDisk(root, CacheSettings(tag="headless"))
    headless.put("ask-1", [*A[:300], *text(9, 900)])
    headless.cache.close(1.0)
    assert len(headless.entry_files()) > num_files
    assert cache("prune", "--headless") == 0
    assert len(headless.entry_files()) == num_files


def test_prune_removes_what_no_window_knows(chats: OnDisk, capsys):
    chats.cache.keep(["second chat"])
    chats.cache.close(1.0)
    assert cache("prune", "--orphans") == 0
    capsys.readouterr()
    assert [one["conversation_id"] for one in told(capsys, "ls")["conversations"]] == ["second chat"]


def test_limits_that_the_window_chose_are_those_of_the_folder(chats: OnDisk, root: Path, capsys):
    chats.cache.set_limits(0, 40_000, 5_000)
    chats.cache.close(1.0)
    found = told(capsys, "ls")
    assert (found["budget_bytes"], found["daily_limit_bytes"]) == (40_000, 5_000)
    report = OnDisk(root, CacheSettings(tag="headless")).cache.report()
    assert (report.budget_bytes, report.daily_limit_bytes) == (40_000, 5_000)


@pytest.mark.parametrize(("text_of_size", "num_bytes"), [("1500", 1500), ("2 GB", 2 * 10**9), ("0.5m", 500_000)])
def test_sizes_are_read_as_people_write_them(chats: OnDisk, capsys, text_of_size: str, num_bytes: int):
    chats.cache.close(1.0)
    assert cache("prune", "--budget", text_of_size) == 0
    capsys.readouterr()
    assert told(capsys, "ls")["disk_bytes"] <= num_bytes


def test_a_size_that_is_none_is_bad_input(capsys):
    with pytest.raises(SystemExit) as ended:
        cache("prune", "--budget", "much")
    assert ended.value.code == 2
    assert "'much' is no size" in capsys.readouterr().err
