"""Paths for people."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.shown_paths import write_place, write_places


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")


@pytest.mark.parametrize(
    ("path", "shown"),
    [("/home/ann/sub/a.md", "~/sub/a.md"), ("/home/ann", "~"), ("/home/anna", "/home/anna"), ("/m/x", "/m/x")],
)
def test_home_folder_is_written_short(path: str, shown: str) -> None:
    assert write_place(Path(path)) == shown


def test_paths_within_a_sentence_are_written_short() -> None:
    sentence = "Nothing in '/home/ann/m': see /home/ann, /home/anna, /disk/home/ann and 'auto:/home/ann/d'."
    assert write_places(sentence) == "Nothing in '~/m': see ~, /home/anna, /disk/home/ann and 'auto:~/d'."
