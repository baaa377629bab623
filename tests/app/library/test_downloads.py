"""Downloads against the stand-in hub: what comes, what is kept, and what is told when it does not come."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.library.download import State
from tests.app.library.conftest import TINY
from tests.app.library.stand_in_hub import COMMIT, HubFile

PROJECT = Path(__file__).parents[3]
SHARD_1, SHARD_2 = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"


def snapshot(cache):
    return cache / "models--makers--tiny-4bit" / "snapshots" / COMMIT


def partials(cache):
    return list(cache.glob("models--*/blobs/*.incomplete"))


def test_download_brings_what_a_model_needs_and_nothing_else(downloads, wait, cache, hub_server):
    downloads.add(TINY)
    wait(lambda: not downloads.downloads)
    wanted = {"config.json", "tokenizer.json", "README.md", SHARD_1, SHARD_2}
    assert {path.name for path in snapshot(cache).iterdir()} == wanted
    for name in wanted:
        assert (snapshot(cache) / name).read_bytes() == hub_server.models[TINY].files[name].content
    assert (snapshot(cache).parents[1] / "refs" / "main").read_text() == COMMIT
    assert not partials(cache)


def test_what_came_is_found_by_huggingface_hub_itself(downloads, wait, cache):
    from huggingface_hub import scan_cache_dir, try_to_load_from_cache

    downloads.add(TINY)
    wait(lambda: not downloads.downloads)
    assert try_to_load_from_cache(TINY, "config.json", cache_dir=cache) == str(snapshot(cache) / "config.json")
    assert [repo.repo_id for repo in scan_cache_dir(cache).repos] == [TINY]


def test_nothing_is_seen_of_a_model_before_it_is_whole(downloads, wait, cache, gate):
    downloads.add(TINY)
    wait(gate.is_reached.is_set)
    assert not snapshot(cache).exists()


def test_cut_connection_is_told_with_what_is_kept(downloads, wait, hub_server):
    hub_server.cuts[SHARD_1] = [163_840]
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    assert downloads.downloads[0].sentence == "Interrupted: the network went away. 166\u00a0kB are kept."
    assert downloads.downloads[0].remedies == ("Resume",)


def test_resume_begins_where_it_stopped(downloads, wait, cache, hub_server):
    hub_server.cuts[SHARD_1] = [163_840]
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    (partial,) = partials(cache)
    stopped = partial.stat().st_size
    assert 0 < stopped <= 163_840
    downloads.resume(TINY)
    wait(lambda: not downloads.downloads)
    assert hub_server.ranges_of(f"cdn/{TINY}/{SHARD_1}") == ["", f"bytes={stopped}-"]
    assert (snapshot(cache) / SHARD_1).read_bytes() == hub_server.models[TINY].files[SHARD_1].content


def test_short_fault_of_the_network_is_got_over_without_a_word(make_downloads, wait, hub_server):
    hub_server.cuts[SHARD_1] = [163_840]
    downloads, states = make_downloads(retry_seconds=(0.01,)), []
    downloads.changed.connect(lambda: states.extend(one.state for one in downloads.downloads))
    downloads.add(TINY)
    wait(lambda: not downloads.downloads)
    assert State.FAILED not in states


def test_server_without_ranges_sends_the_file_anew(downloads, wait, cache, hub_server):
    hub_server.cuts[SHARD_1], hub_server.knows_ranges = [163_840], False
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    downloads.resume(TINY)
    wait(lambda: not downloads.downloads)
    assert (snapshot(cache) / SHARD_1).read_bytes() == hub_server.models[TINY].files[SHARD_1].content


def test_damaged_shard_is_removed_and_fetched_alone(downloads, wait, cache, hub_server):
    hub_server.damaged.add(SHARD_2)
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    assert downloads.downloads[0].sentence == "Shard 2 of 2 failed its checksum and was removed."
    assert downloads.downloads[0].remedies == ("Download again",)
    assert not partials(cache)
    hub_server.damaged.clear()
    hub_server.asked.clear()
    downloads.resume(TINY)
    wait(lambda: not downloads.downloads)
    assert [one.path.rpartition("/")[2] for one in hub_server.asked if "/cdn/" in one.path] == [SHARD_2]


def test_damaged_small_file_is_found_by_its_git_checksum(downloads, wait, hub_server):
    hub_server.damaged.add("tokenizer.json")
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    assert downloads.downloads[0].sentence == "tokenizer.json failed its checksum and was removed."


def test_pause_stops_at_once_and_resume_goes_on(downloads, wait, cache, hub_server, gate):
    downloads.add(TINY)
    wait(gate.is_reached.is_set)
    wait(lambda: downloads.downloads[0].done_bytes > 0)
    downloads.pause(TINY)
    assert downloads.downloads[0].state is State.PAUSED
    gate.open()
    downloads.resume(TINY)
    wait(lambda: not downloads.downloads)
    assert hub_server.ranges_of(f"cdn/{TINY}/{SHARD_1}")[1].startswith("bytes=")
    assert snapshot(cache).is_dir()


def test_unfinished_download_outlives_the_program(make_downloads, wait, cache, hub_server, gate):
    first = make_downloads()
    first.add(TINY)
    wait(gate.is_reached.is_set)
    wait(lambda: partials(cache) and partials(cache)[0].stat().st_size > 50_000)
    first.close()
    gate.open()
    second = make_downloads()
    assert [(one.repo_id, one.state) for one in second.downloads] == [(TINY, State.PAUSED)]
    assert second.downloads[0].revision == COMMIT
    second.resume(TINY)
    wait(lambda: not second.downloads)
    assert int(hub_server.ranges_of(f"cdn/{TINY}/{SHARD_1}")[1].removeprefix("bytes=").removesuffix("-")) > 50_000


def test_killed_program_goes_on_where_it_was(make_downloads, wait, cache, data_dir, hub_server, gate):
    command = [sys.executable, "-m", "tests.app.library.killed_download", str(data_dir), TINY]
    program = subprocess.Popen(command, cwd=PROJECT)
    wait(lambda: bool(partials(cache)) and partials(cache)[0].stat().st_size > 50_000, seconds=20)
    program.kill()
    program.wait()
    gate.open()
    downloads = make_downloads()
    assert [(one.repo_id, one.state, one.revision) for one in downloads.downloads] == [(TINY, State.PAUSED, COMMIT)]
    downloads.resume(TINY)
    wait(lambda: not downloads.downloads)
    assert hub_server.ranges_of(f"cdn/{TINY}/{SHARD_1}")[1].startswith("bytes=")
    assert snapshot(cache).is_dir()


def test_cancel_removes_what_came_and_no_file_of_another(downloads, wait, cache, gate):
    foreign = cache / "models--makers--tiny-4bit" / "blobs" / "0123.incomplete"
    foreign.parent.mkdir(parents=True)
    foreign.write_bytes(b"of another program")
    downloads.add(TINY)
    wait(gate.is_reached.is_set)
    downloads.cancel(TINY)
    assert downloads.downloads == ()
    gate.open()
    wait(lambda: [path.name for path in foreign.parent.iterdir()] == [foreign.name])


def test_disk_without_room_is_told_before_anything_is_written(make_downloads, wait, cache, hub_server):
    downloads = make_downloads(free_bytes=lambda folder: 400_000)
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    assert downloads.downloads[0].sentence == "Needs 502\u00a0kB; the disk has 400\u00a0kB."
    assert not list(cache.rglob("*"))


def test_disk_that_fills_meanwhile_keeps_what_came(make_downloads, wait, cache):
    room = iter([10**9, 10**9, 10**9, 10**9, 10**9])
    downloads = make_downloads(free_bytes=lambda folder: next(room, 100_000))
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    assert downloads.downloads[0].sentence == "Needs 200\u00a0kB; the disk has 100\u00a0kB."
    assert downloads.downloads[0].done_bytes > 300_000


def test_gated_model_leads_to_its_page(downloads, wait, hub_server):
    hub_server.models[TINY].is_gated = True
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    assert downloads.downloads[0].sentence == "This model asks for a licence on its page."
    assert downloads.downloads[0].remedies[0] == "Open page"


def test_token_opens_a_gated_model_and_stays_with_the_hub(downloads, wait, hub_server, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    hub_server.models[TINY].is_gated = True
    downloads.add(TINY)
    wait(lambda: not downloads.downloads)
    assert {one.authorization for one in hub_server.asked if not one.path.startswith("/cdn/")} == {"Bearer hf_secret"}
    assert {one.authorization for one in hub_server.asked if one.path.startswith("/cdn/")} == {""}


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        (401, {}, "is private or does not exist"),
        (403, {}, "is not allowed to read this model"),
        (404, {}, "has no model of this name"),
        (429, {"Retry-After": "55"}, "Try again in 55 s."),
        (503, {}, "has a fault of its own (503)"),
    ],
)
def test_refusal_of_the_hub_is_a_sentence(downloads, wait, hub_server, status, headers, words):
    hub_server.statuses["/api/models/"] = (status, headers)
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    assert words in downloads.downloads[0].sentence


def test_revision_stays_that_of_the_beginning(downloads, wait, cache, hub_server):
    hub_server.cuts[SHARD_1] = [163_840]
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    downloads.resume(TINY)
    wait(lambda: not downloads.downloads)
    assert f"/api/models/{TINY}/revision/{COMMIT}" in [one.path for one in hub_server.asked]


def test_model_that_was_replaced_is_told_and_then_taken(downloads, wait, cache, hub_server):
    hub_server.cuts[SHARD_2] = [16_384]
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    hub_server.commit = "c" * 40
    hub_server.models[TINY].files["config.json"] = HubFile(b'{"model_type": "qwen3"}')
    downloads.resume(TINY)
    wait(lambda: "was replaced" in downloads.downloads[0].sentence)
    downloads.resume(TINY)
    wait(lambda: not downloads.downloads)
    assert b"qwen3" in (cache / "models--makers--tiny-4bit" / "snapshots" / ("c" * 40) / "config.json").read_bytes()
    assert len(hub_server.ranges_of(f"cdn/{TINY}/{SHARD_1}")) == 1


def test_one_comes_after_the_other(downloads, wait, cache, hub_server):
    hub_server.models["makers/other"] = hub_server.models[TINY]
    downloads.add(TINY)
    downloads.add("makers/other")
    assert downloads.downloads[1].sentence == "Waits for the download before it"
    wait(lambda: not downloads.downloads)
    assert (cache / "models--makers--other").is_dir()


def test_offline_preference_stops_what_runs_and_asks_nothing(downloads, wait, go_offline, hub_server, gate):
    downloads.add(TINY)
    wait(gate.is_reached.is_set)
    go_offline()
    assert downloads.downloads[0].state is State.PAUSED
    gate.open()
    hub_server.asked.clear()
    downloads.resume(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    assert hub_server.asked == []


def test_no_hub_there_is_told(downloads, wait, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    assert downloads.downloads[0].sentence == "No network. It starts when you press Resume."
    assert "Resume" in downloads.downloads[0].remedies
