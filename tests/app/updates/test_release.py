"""Asking a forge for its latest release."""

from __future__ import annotations

import pytest

from app.updates.release import Release, UpdateError, ask_for_release, is_newer, read_release, releases_address
from tests.app.updates.conftest import LATEST, Forge

PAGE = "https://github.com/one/slipstream/releases/tag/v0.2.0"


def test_the_latest_release_is_told_with_its_page(forge: Forge) -> None:
    forge.publish("v0.2.0")
    release = ask_for_release(releases_address())
    assert release == Release("0.2.0", f"{forge.endpoint}/one/slipstream/releases/tag/v0.2.0")


def test_one_question_is_asked_and_no_token_sent(forge: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_of_a_shell")
    forge.publish("v0.2.0")
    ask_for_release(forge.address)
    assert [(one.path, one.authorization) for one in forge.asked] == [(LATEST, "")]


@pytest.mark.parametrize(
    ("release", "current", "is_after"),
    [
        ("0.10.0", "0.9.2", True),
        ("0.2.0", "0.2.0", False),
        ("0.2.0", "0.3.0.dev1", False),
        ("1.0", "1.0rc2", True),
        ("1.0", "", False),
    ],
)
def test_versions_are_compared_by_their_numbers(release: str, current: str, is_after: bool) -> None:
    assert is_newer(release, current) is is_after


def test_the_page_is_that_of_the_forge_behind_its_api() -> None:
    assert read_release({"tag_name": "v0.2.0", "html_url": PAGE}, "api.github.com").page == PAGE


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {"tag_name": "latest", "html_url": PAGE},
        {"tag_name": "v0.2.0", "html_url": "https://elsewhere.example/slipstream"},
        {"tag_name": "v0.2.0", "html_url": "http://github.com/one"},
        {"tag_name": "v0.2.0", "html_url": "file:///etc/passwd"},
        {"tag_name": "v0.2.0"},
    ],
)
def test_an_answer_that_makes_no_sense_is_no_release(answer: object) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        read_release(answer, "api.github.com")


@pytest.mark.parametrize(
    ("status", "words"), [(404, "no release yet"), (403, "too often"), (429, "too often"), (500, "fault of its own")]
)
def test_a_refusal_is_said_in_a_sentence(forge: Forge, status: int, words: str) -> None:
    forge.statuses[LATEST] = (status, {})
    with pytest.raises(UpdateError, match=words):
        ask_for_release(forge.address)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b"x" * 1_100_000])
def test_a_body_that_is_no_answer_is_said_in_a_sentence(forge: Forge, body: bytes) -> None:
    forge.bodies[LATEST] = body
    with pytest.raises(UpdateError, match="makes no sense"):
        ask_for_release(forge.address)


def test_a_forge_that_is_not_there_is_said(forge: Forge) -> None:
    with pytest.raises(UpdateError, match="could not be reached"):
        ask_for_release("http://127.0.0.1:9/latest")
