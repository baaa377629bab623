"""Where models come from, and what may be sent there."""

from __future__ import annotations

from dataclasses import replace

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from app.library.hub import PUBLIC, Access, Hub, cache_folder
from app.settings.preferences import Settings


@pytest.fixture
def hub(data_dir, monkeypatch):
    for name in ("HF_ENDPOINT", "HF_HUB_OFFLINE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return Hub(Settings(data_dir))


def choose(hub, **changes):
    settings = hub.settings
    kept = settings.preferences
    settings.change(replace(kept, library=replace(kept.library, **changes)))


def test_address_is_the_public_one_the_preference_or_the_environment(hub, monkeypatch):
    assert hub.endpoint == PUBLIC
    choose(hub, endpoint="https://mirror.example/")
    assert hub.endpoint == "https://mirror.example"
    monkeypatch.setenv("HF_ENDPOINT", "https://shell.example")
    assert hub.endpoint == "https://shell.example"


def test_preference_and_variable_switch_the_network_off(hub, monkeypatch):
    assert not hub.is_offline
    choose(hub, is_offline=True)
    assert "switched off in Settings" in hub.refusal
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert hub.refusal == "HF_HUB_OFFLINE is set, so the network is not used."


@pytest.mark.parametrize("address", ["huggingface.co", "https://", "http://[::1", "file:///tmp"])
def test_address_that_makes_no_sense_is_told(hub, address, run_async, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_abc")
    choose(hub, endpoint=address)
    assert "it must begin with https:// and name a host" in hub.refusal
    assert run_async(hub.access()).refusal == hub.refusal


def test_token_is_not_sent_where_others_could_read_it(hub, monkeypatch, run_async):
    monkeypatch.setenv("HF_TOKEN", "hf_abc")
    choose(hub, endpoint="http://mirror.example")
    assert run_async(hub.access()) == Access("http://mirror.example")
    choose(hub, endpoint="https://mirror.example")
    assert run_async(hub.access()).token == "hf_abc"


def test_change_of_the_preference_is_told(hub, qtbot):
    with qtbot.waitSignal(hub.changed, timeout=1000):
        choose(hub, is_offline=True)


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({}, "/home/someone/.cache/huggingface/hub"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/huggingface/hub"),
        ({"HF_HOME": "/models"}, "/models/hub"),
        ({"HF_HOME": "/models", "HF_HUB_CACHE": "$HOME/hub"}, "/home/someone/hub"),
    ],
)
def test_cache_is_the_one_that_programs_share(monkeypatch, variables, folder):
    for name in ("XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/someone", **variables}.items():
        monkeypatch.setenv(name, value)
    assert str(cache_folder()) == folder


def test_locked_keychain_leaves_the_token_out_only_this_time(hub, run_async, monkeypatch):
    kept = {"answer": KeyringLocked("locked")}

    class Keychain(KeyringBackend):
        priority = 1

        def get_password(self, service, username):
            if isinstance(kept["answer"], Exception):
                raise kept["answer"]
            return kept["answer"]

        def set_password(self, service, username, password):
            raise NotImplementedError

    before = keyring.get_keyring()
    keyring.set_keyring(Keychain())
    assert run_async(hub.access()).token == ""
    kept["answer"] = "hf_abc"
    assert run_async(hub.access()).token == "hf_abc"
    keyring.set_keyring(before)


def test_address_that_cannot_be_read_is_refused_in_a_sentence(hub, run_async):
    choose(hub, endpoint="http://[")
    assert hub.refusal.startswith("The hub's address is 'http://['")
    assert run_async(hub.access()).refusal == hub.refusal
