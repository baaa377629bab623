"""The shape of the catalogue."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files

import pytest

from app.library.catalogue import FAMILIES, matching, read_catalogue, smallest

KINDS = {"assistant", "dflash", "dspark", "mtp", "eagle3", "model"}
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


def test_every_file_is_read():
    listed = {path.name for path in (files("resources") / "catalogue").iterdir()}
    assert listed == {f"{family}.json" for family in FAMILIES}


def test_no_target_stands_twice():
    assert [repo for repo, count in Counter(one.repo_id for one in read_catalogue()).items() if count > 1] == []


@pytest.mark.parametrize("entry", read_catalogue(), ids=lambda entry: entry.repo_id)
def test_entry_has_what_a_row_shows(entry):
    assert entry.name
    assert entry.licence
    assert REPOSITORY.fullmatch(entry.repo_id)
    assert entry.sentence.endswith(".")
    assert len(entry.sentence) <= 90
    assert 10_000_000 < entry.size_bytes < entry.memory_gb * 10**9 * 0.8
    for drafter in entry.drafters:
        assert drafter.kind in KINDS
        assert REPOSITORY.fullmatch(drafter.repo_id)
        assert drafter.size_bytes > 10_000_000
        assert drafter.name
        assert drafter.licence


def test_size_of_one_repository_is_the_same_everywhere():
    sizes = {}
    for entry in read_catalogue():
        for one in (entry, *entry.drafters):
            assert sizes.setdefault(one.repo_id, one.size_bytes) == one.size_bytes


def test_smallest_needs_the_least_memory():
    assert smallest().memory_gb == 8


def test_no_sentence_says_which_machine_reads_it():
    assert [entry.sentence for entry in read_catalogue() if re.search(r"\bMacs?\b|\bmacOS\b", entry.sentence)] == []


def test_words_find_targets_and_drafters():
    assert [entry.name for entry in matching("qwen3 8b")] == ["Qwen3 8B"]
    assert "GLM 4.7 Flash" in [entry.name for entry in matching("mtp")]
    assert matching("no such model") == ()
