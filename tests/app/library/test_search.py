"""The hub's search against the stand-in hub."""

from __future__ import annotations

import asyncio
import socket

import pytest

from app.library.problems import NO_NETWORK
from app.library.search import ModelSearch
from app.library.searching import Source
from app.tasks import finish
from tests.app.library.conftest import TINY, make_model
from tests.app.library.stand_in_hub import HubFile, HubModel


@pytest.fixture
def search(hub, hub_server):
    hub_server.models |= {f"makers/tiny-{number}-4bit": make_model(downloads=number) for number in range(1, 8)}
    return ModelSearch(hub)


@pytest.fixture
def find(search, wait):
    def find(words, source=Source.MLX):
        search.find(words, source)
        wait(lambda: not search.results.is_searching)
        return [model.repo_id for model in search.results.models]

    return find


def test_models_come_in_pages_the_most_downloaded_first(search, find, wait):
    assert find("tiny") == ["makers/tiny-7-4bit", "makers/tiny-6-4bit", "makers/tiny-5-4bit"]
    search.more()
    wait(lambda: len(search.results.models) == 6)
    search.more()
    wait(lambda: len(search.results.models) == 8)
    assert search.results.next_url == ""


def test_row_has_licence_downloads_gate_and_last_change(search, find, hub_server):
    hub_server.models = {TINY: make_model(downloads=12, licence="mit", is_gated=True)}
    find("tiny")
    (model,) = search.results.models
    assert (model.downloads, model.licence, model.is_gated) == (12, "mit", True)
    assert model.changed_at == pytest.approx(1_790_856_000, abs=86_400)


def test_size_follows_and_counts_only_what_is_downloaded(search, find, wait, hub_server):
    hub_server.models = {TINY: make_model()}
    find("tiny")
    wait(lambda: search.results.models[0].size_bytes > 0)
    assert 502_000 < search.results.models[0].size_bytes < 503_000


def test_next_search_takes_the_place_of_the_one_before(search, wait, hub_server):
    hub_server.models["makers/other-4bit"] = make_model()
    search.find("tiny")
    search.find("other")
    wait(lambda: not search.results.is_searching)
    assert [model.repo_id for model in search.results.models] == ["makers/other-4bit"]


def test_what_the_engine_cannot_run_is_left_out(find, hub_server):
    hub_server.models = {
        "makers/words-4bit": make_model(downloads=3),
        "makers/speech-4bit": make_model(pipeline="automatic-speech-recognition"),
        "makers/other-onnx": make_model(tags=("mlx", "onnx")),
    }
    assert find("makers") == ["makers/words-4bit"]


def test_gguf_is_of_a_known_kind_and_offers_its_quantisations(search, find, wait, hub_server):
    files = {f"m-{kind}.gguf": HubFile(kind.encode() * 9, is_large=True) for kind in ("Q4_0", "Q8_0", "Q5_K_M")}
    hub_server.models = {
        "makers/plain-GGUF": HubModel(files, tags=("gguf",), gguf={"architecture": "llama"}),
        "makers/strange-GGUF": HubModel(files, tags=("gguf",), gguf={"architecture": "falcon"}),
    }
    assert find("gguf", Source.GGUF) == ["makers/plain-GGUF"]
    wait(lambda: bool(search.results.models[0].variants))
    assert [one.name for one in search.results.models[0].variants] == ["Q4_0", "Q8_0"]


def test_drafters_of_all_kinds_are_found_and_are_no_targets(find, hub_server):
    hub_server.models = {
        "makers/tiny-DFlash-b16": make_model(downloads=5),
        "makers/tiny-it-assistant-bf16": make_model(downloads=9),
        "makers/tiny-4bit": make_model(),
    }
    assert find("tiny", Source.DRAFTERS) == ["makers/tiny-it-assistant-bf16", "makers/tiny-DFlash-b16"]
    assert find("tiny", Source.MLX) == ["makers/tiny-4bit"]


def test_nothing_is_asked_without_words_or_network(search, find, hub_server, go_offline):
    assert find("  ") == []
    go_offline()
    assert find("tiny") == []
    assert "switched off in Settings" in search.results.problem.text
    assert hub_server.asked == []


def test_hub_that_is_not_there_is_told(search, find, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    find("tiny")
    assert search.results.problem.text == NO_NETWORK.text


def test_answer_that_makes_no_sense_is_told(search, find, hub_server, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", f"{hub_server.endpoint}/cdn/a/b")
    hub_server.statuses["/cdn/"] = (200, {})
    find("tiny")
    assert "makes no sense" in search.results.problem.text


def test_search_that_is_not_answered_holds_up_no_end(search, hub, hub_server, run_async, monkeypatch):
    silent = socket.create_server(("127.0.0.1", 0))
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
    search.find("tiny")
    hub.close()
    run_async(asyncio.wait_for(finish(), 5))
    silent.close()
