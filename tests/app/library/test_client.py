"""What is asked of the hub, and when its libraries are loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.library.client import get, read_repository
from app.library.hub import Access
from app.library.problems import HubError, Kind
from tests.app.library.conftest import TINY

PROJECT = Path(__file__).parents[3]
IMPORT_ALL = """
import importlib, json, pkgutil, sys, app.library
for module in pkgutil.walk_packages(app.library.__path__, "app.library."):
    importlib.import_module(module.name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def test_importing_the_library_loads_nothing_slow():
    printed = subprocess.run([sys.executable, "-c", IMPORT_ALL], cwd=PROJECT, capture_output=True, check=True).stdout
    assert not {"huggingface_hub", "httpx2", "keyring", "tqdm"} & set(json.loads(printed))


def test_token_of_another_program_is_not_sent(hub_server, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_TOKEN", "hf_of_a_shell")
    get(Access(hub_server.endpoint), f"{hub_server.endpoint}/api/models")
    assert {one.authorization for one in hub_server.asked} == {""}


def test_nothing_else_is_asked_on_the_way(hub_server):
    read_repository(Access(hub_server.endpoint), TINY)
    assert [one.path for one in hub_server.asked] == [f"/api/models/{TINY}/revision/main"]


def test_refusal_goes_before_every_request(hub_server):
    with pytest.raises(HubError, match="no network"):
        get(Access(hub_server.endpoint, refusal="no network"), f"{hub_server.endpoint}/api/models")
    assert hub_server.asked == []


def test_name_that_no_repository_can_have_is_told(hub_server):
    with pytest.raises(HubError) as told:
        read_repository(Access(hub_server.endpoint), "no/such/name")
    assert told.value.problem.kind is Kind.SERVER


@pytest.mark.parametrize("token", ["hf_\u20ac", "hf_a hf_b", "hf_a\nX-Other: b"])
def test_token_that_no_request_can_carry_is_told(hub_server, token):
    with pytest.raises(HubError, match="Enter it anew"):
        get(Access(hub_server.endpoint, token), f"{hub_server.endpoint}/api/models")
    assert hub_server.asked == []
