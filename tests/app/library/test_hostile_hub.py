"""A hub, or a proxy in its place, whose answers cannot be believed: each ends in a sentence, and nothing is harmed."""

from __future__ import annotations

import pytest

from app.library.client import read_repository
from app.library.download import State
from app.library.hub import Access
from app.library.problems import HubError
from app.library.search import ModelSearch
from app.library.searching import Source
from tests.app.library.conftest import TINY
from tests.app.library.stand_in_hub import COMMIT, HubFile, StandInHub

SHARD_1 = "model-00001-of-00002.safetensors"


@pytest.fixture
def fail(downloads, wait):
    """Download what the hub offers; returns the problem."""

    def fail():
        downloads.add(TINY)
        wait(lambda: not downloads.downloads or downloads.downloads[0].state is State.FAILED)
        return downloads.downloads[0].problem.text

    return fail


@pytest.fixture
def ask_for(hub_server):
    """Ask what a repository holds; returns the problem."""

    def ask_for():
        with pytest.raises(HubError) as told:
            read_repository(Access(hub_server.endpoint), TINY)
        return told.value.problem.text

    return ask_for


def set_size(sibling, size):
    (sibling.get("lfs") or sibling)["size"] = size


def sibling_of(answer, path):
    return next(one for one in answer["siblings"] if one["rfilename"] == path)


@pytest.mark.parametrize("commit", ["../../../../victim", ""])
def test_commit_that_is_none_never_becomes_a_folder(fail, cache, hub_server, commit):
    victim = cache.parent / "victim"
    victim.mkdir()
    (victim / "config.json").write_text("mine")
    hub_server.change = lambda answer: answer.update(sha=commit)
    assert "makes no sense" in fail()
    assert (victim / "config.json").read_text() == "mine"
    assert not cache.exists()


@pytest.mark.parametrize("path", ["config.json", SHARD_1])
def test_size_that_is_none_is_told(ask_for, hub_server, path):
    for size in (-1, "300000", None, 1.5, True, {}):
        hub_server.change = lambda answer, size=size: set_size(sibling_of(answer, path), size)
        assert "makes no sense" in ask_for()


@pytest.mark.parametrize("name", ["../evil-Q4_0.gguf", "/tmp/evil-Q4_0.gguf", "a/../../evil-Q4_0.gguf", "\0-Q4_0.gguf"])
def test_file_outside_its_repository_is_not_fetched(fail, cache, hub_server, name):
    hub_server.models[TINY].files = {name: HubFile(b"evil", is_large=True)}
    assert fail()
    assert not cache.exists()


@pytest.mark.parametrize("body", [b"[" * 200_000, b""])
def test_download_of_what_is_told_in_nonsense_ends(fail, hub_server, body):
    hub_server.bodies["/api/models/"] = body
    assert "makes no sense" in fail()


def test_answer_about_a_repository_that_is_none_is_told(ask_for, hub_server):
    for body in (b'{"id": "\xff"}', b"[]", b"7", b"null", b'{"id": 7}', b"{}"):
        hub_server.bodies["/api/models/"] = body
        assert "makes no sense" in ask_for()
    hub_server.bodies.clear()
    for commit in ("/tmp/victim", "main", "a" * 39, 7):
        hub_server.change = lambda answer, commit=commit: answer.update(sha=commit)
        assert "makes no sense" in ask_for()


@pytest.mark.parametrize("body", [b"[" * 200_000, b'["\xff"]', b"7", b"[7]", b'[{"id": "a/b", "downloads": "many"}]'])
@pytest.mark.parametrize("source", [Source.MLX, Source.DRAFTERS])
def test_answer_to_a_search_that_is_none_is_told(hub, hub_server, wait, body, source):
    search = ModelSearch(hub)
    hub_server.bodies["/api/models"] = body
    search.find("tiny", source)
    wait(lambda: not search.results.is_searching)
    assert "makes no sense" in search.results.problem.text


@pytest.mark.parametrize("name", ["7", "null", '"a--b/c"', '"../x"', '"a/b/c"'])
def test_name_that_cannot_be_downloaded_is_left_out_of_what_is_found(hub, hub_server, wait, name):
    search = ModelSearch(hub)
    hub_server.bodies["/api/models"] = b'[{"id": %s}, {"id": "a/b"}]' % name.encode()
    search.find("tiny")
    wait(lambda: not search.results.is_searching)
    assert [one.repo_id for one in search.results.models] == ["a/b"]


def test_answer_that_does_not_end_is_not_kept(hub, hub_server, wait, monkeypatch):
    monkeypatch.setattr("app.library.client.MOST_BYTES", 1000)
    search = ModelSearch(hub)
    hub_server.bodies["/api/models"] = b"[" + b" " * 2000 + b"]"
    search.find("tiny")
    wait(lambda: not search.results.is_searching)
    assert "makes no sense" in search.results.problem.text


def test_next_page_of_another_host_is_not_asked_for(hub, hub_server, wait, monkeypatch):
    with StandInHub() as other:
        hub_server.bodies["/api/models"] = b"[]"
        hub_server.links = f'<http://localhost:{other.port}/api/models>; rel="next"'
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        search = ModelSearch(hub)
        search.find("tiny")
        wait(lambda: not search.results.is_searching)
        search.more()
        wait(lambda: not search.results.is_searching)
        assert not other.asked


def test_part_that_was_begun_of_another_file_is_begun_anew(downloads, wait, cache, hub_server):
    """As a file that is shorter than the hub says: the rest of it cannot be had."""
    file = hub_server.models[TINY].files[SHARD_1]
    hub_server.cuts[SHARD_1] = [100_000]
    downloads.add(TINY)
    wait(lambda: downloads.downloads[0].state is State.FAILED)
    hub_server.statuses[f"/cdn/{TINY}/{SHARD_1}"] = (416, {})
    downloads.resume(TINY)
    wait(lambda: downloads.downloads[0].problem and "begins it anew" in downloads.downloads[0].problem.text)
    hub_server.statuses.clear()
    downloads.resume(TINY)
    wait(lambda: not downloads.downloads)
    assert hub_server.ranges_of(SHARD_1)[-1] == ""
    assert (cache / "models--makers--tiny-4bit" / "snapshots" / COMMIT / SHARD_1).read_bytes() == file.content
