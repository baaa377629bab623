"""What Find more lists, from the catalogue and from what the hub answered."""

from __future__ import annotations

from datetime import datetime

import pytest

from app.library.find_rows import NOTHING, Kind, Known, make_rows
from app.library.problems import NO_NETWORK
from app.library.repository import Variant
from app.library.search import Results
from app.library.searching import HubModel, Source
from app.library.verdict import Verdict
from app.system.machine import PLACE

TODAY = datetime(2026, 11, 30)
EIGHT = "mlx-community/Qwen3-8B-4bit"


def rows_of(results, here=(), coming=()):
    known = Known(
        lambda size: Verdict(f"{size}"), lambda repo: repo in here, lambda repo: "Downloading" if repo in coming else ""
    )
    return make_rows(results, known, TODAY)


def words_of(row):
    return [bring.words for bring in row.brings]


def entry(repo_id, **known):
    return next(row for row in rows_of(Results(), **known) if row.repo_id == repo_id)


def hub_row(model):
    return next(row for row in rows_of(Results("tiny", models=(model,))) if row.kind is Kind.HUB)


def test_catalogue_is_there_without_a_search_and_goes_before_the_hub():
    assert {row.kind for row in rows_of(Results())} == {Kind.CAPTION, Kind.CATALOGUE}
    kinds = [row.kind for row in rows_of(Results("qwen3 8b", models=(HubModel("a/Qwen3-8B"),)))]
    assert kinds == [Kind.CAPTION, Kind.CATALOGUE, Kind.CAPTION, Kind.HUB]


def test_target_comes_alone_or_with_a_drafter():
    row = entry(EIGHT)
    assert words_of(row)[:2] == ["Qwen3 8B, about 4.61\u00a0GB", "With DFlash, about 6.71\u00a0GB"]
    assert row.brings[1].wanted == ((EIGHT, ""), ("z-lab/Qwen3-8B-DFlash-b16", ""))
    assert row.drafters.startswith("DFlash\u00a02.1\u00a0GB · DSpark\u00a04.7\u00a0GB · EAGLE-3")


def test_drafters_alone_are_offered_for_a_target_that_is_here():
    row = entry(EIGHT, here=(EIGHT, "z-lab/Qwen3-8B-DFlash-b16"))
    assert row.state == f"On {PLACE}"
    assert words_of(row)[0] == "DSpark, about 4.7\u00a0GB"


def test_what_is_on_its_way_is_not_offered_again():
    row = entry("mlx-community/SmolLM3-3B-4bit", coming=("mlx-community/SmolLM3-3B-4bit",))
    assert (row.state, row.brings) == ("Downloading", ())


def test_quantisations_of_a_gguf_are_offered_one_by_one():
    row = hub_row(HubModel("a/tiny-GGUF", variants=(Variant("Q4_0", 10**9, "x"), Variant("Q8_0", 2 * 10**9, "y"))))
    assert words_of(row) == ["Q4_0, 1\u00a0GB", "Q8_0, 2\u00a0GB"]
    assert row.brings[1].wanted == (("a/tiny-GGUF", "Q8_0"),)
    assert row.size == "from 1\u00a0GB"


def test_row_of_the_hub_says_what_is_known_of_it():
    row = hub_row(HubModel("a/tiny-4bit", 1_234, "mit", True, datetime(2025, 3, 9).timestamp(), 5 * 10**8))
    assert row.lines == ("a, mit, asks for a licence on its page, 1,234\u00a0downloads, changed Mar 2025",)
    assert row.spoken.startswith("Tiny 4-bit, 500\u00a0MB, 500000000, a, mit")


def test_unknown_size_is_no_size():
    row = hub_row(HubModel("a/tiny-4bit"))
    assert (row.size, row.verdict.sentence, words_of(row)) == ("", "", ["Tiny"])


@pytest.mark.parametrize(
    ("results", "kind", "words"),
    [
        (Results("zzz", is_searching=True), Kind.SENTENCE, "Searching the hub…"),
        (Results("zzz"), Kind.SENTENCE, NOTHING),
        (Results("zzz", problem=NO_NETWORK), Kind.SENTENCE, NO_NETWORK.text),
        (Results("zzz", models=(HubModel("a/zzz"),), next_url="x"), Kind.MORE, "Show more"),
    ],
)
def test_end_of_the_list_says_how_it_stands(results, kind, words):
    last = rows_of(results)[-1]
    assert (last.kind, last.name) == (kind, words)


def test_drafters_are_searched_without_the_catalogue():
    assert [row.kind for row in rows_of(Results("zzz", Source.DRAFTERS))] == [Kind.CAPTION, Kind.SENTENCE]
