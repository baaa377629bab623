"""What downloads leave in the cache that programs share: nothing of theirs, and all of others'."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading

import pytest

from app.library.blobs import Blobs
from app.library.download import State
from app.library.repository import RepoFile
from app.tasks import finish
from tests.app.library.conftest import TINY, make_content
from tests.app.library.stand_in_hub import COMMIT, HubFile

ENTRY = "models--makers--tiny-4bit"
SHARD_1, SHARD_2 = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"


def blobs(cache):
    return {path.name for path in (cache / ENTRY / "blobs").iterdir()}


def stop_at(hub_server, downloads, wait, path=SHARD_2):
    """A download that has been cut off within a file."""
    hub_server.cuts[path] = [16_384]
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)


def replace_on_hub(hub_server):
    hub_server.commit = "c" * 40
    hub_server.models[TINY].files[SHARD_2] = HubFile(make_content(200_000, 9), is_large=True)


def test_cancel_removes_what_came_before_it_was_told(downloads, wait, cache, gate, hub_server):
    may_answer = threading.Event()
    hub_server.change = lambda answer: may_answer.wait(5)
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.ASKING)
    may_answer.set()
    assert gate.is_reached.wait(5)  # while this thread hears nothing of it
    downloads.cancel(TINY)
    gate.open()
    wait(lambda: not (cache / ENTRY).exists())


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_nothing_stays_of_a_model_that_was_replaced_meanwhile(downloads, wait, cache, hub_server, is_cancelled):
    stop_at(hub_server, downloads, wait)
    replace_on_hub(hub_server)
    downloads.resume(TINY)
    wait(lambda: "was replaced" in downloads.downloads[0].sentence)
    if is_cancelled:
        hub_server.cuts[SHARD_2] = [16_384]
        downloads.resume(TINY)
        wait(lambda: downloads.downloads[0].sentence.startswith("Interrupted"))
        downloads.cancel(TINY)
        wait(lambda: not (cache / ENTRY).exists())
    else:
        downloads.resume(TINY)
        wait(lambda: not downloads.downloads)
        assert blobs(cache) == {os.readlink(path).rpartition("/")[2] for path in snapshot(cache, "c" * 40).iterdir()}


def snapshot(cache, commit=COMMIT):
    return cache / ENTRY / "snapshots" / commit


def test_cancel_keeps_a_blob_that_is_a_link_into_a_store(cache, tmp_path):
    """As tools lay them out that keep one copy of files for several caches."""
    file = RepoFile(SHARD_1, 5, "ab" * 32, is_large=True)
    held = Blobs(cache, TINY)
    (tmp_path / "store").write_bytes(b"12345")
    held.blob(file).parent.mkdir(parents=True)
    held.blob(file).symlink_to(tmp_path / "store")
    held.publish([file], COMMIT)
    held.discard([file.etag])
    assert held.pointer(file, COMMIT).read_bytes() == b"12345"


def test_model_that_cannot_be_published_as_a_whole_is_none(downloads, wait, cache):
    (snapshot(cache) / SHARD_2 / "obstacle").mkdir(parents=True)
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    assert not (snapshot(cache) / "config.json").exists()
    assert not (cache / ENTRY / "refs").exists()


def test_entry_of_another_version_costs_no_other_download(make_downloads, wait, hub_server, data_dir, caplog):
    stop_at(hub_server, make_downloads(), wait)
    kept = json.loads((data_dir / "downloads.json").read_text())
    kept["downloads"] = [{**kept["downloads"][0], "state": "mirrored"}, 7, *kept["downloads"]]
    (data_dir / "downloads.json").write_text(json.dumps(kept))
    assert [one.repo_id for one in make_downloads().downloads] == [TINY]
    caplog.clear()


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_hub_that_does_not_answer_holds_up_no_end(
    downloads, hub, hub_server, wait, run_async, monkeypatch, is_cancelled
):
    monkeypatch.setattr("app.library.downloads.END_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        downloads.add(TINY)
        wait(lambda: downloads.downloads[0].state is State.ASKING)
        if is_cancelled:
            downloads.cancel(TINY)
        hub.close()
        run_async(asyncio.wait_for(finish(), 5))
