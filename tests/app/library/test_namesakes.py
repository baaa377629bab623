"""Models of one name in several folders are told from each other."""

from __future__ import annotations

from dataclasses import replace

from app.library.found_model import FoundModel
from app.library.namesakes import places_of_namesakes


def model(target: str, name: str = "Qwen3 8B", quantisation: str = "4-bit") -> FoundModel:
    return FoundModel(target, name, quantisation, "Folder models", "added", target, 1)


def test_namesakes_say_the_folder_above_them() -> None:
    models = [model("/a/Qwen3-8B-4bit"), model("/b/Qwen3-8B-4bit"), model("/a/other", "Other")]
    assert places_of_namesakes(models) == {"/a/Qwen3-8B-4bit": "/a", "/b/Qwen3-8B-4bit": "/b"}


def test_namesakes_in_one_folder_say_their_whole_path() -> None:
    models = [model("/a/Qwen3-8B-4bit"), model("/a/qwen3-8b-4bit-mlx", "qwen3 8b")]
    assert set(places_of_namesakes(models).values()) == {"/a/Qwen3-8B-4bit", "/a/qwen3-8b-4bit-mlx"}


def test_namesakes_of_the_hub_say_their_repository() -> None:
    models = [model(f"/cache/models--{owner}--Qwen3-8B-4bit") for owner in ("one", "two")]
    assert set(places_of_namesakes(models).values()) == {"one/Qwen3-8B-4bit", "two/Qwen3-8B-4bit"}


def test_another_quantisation_is_no_namesake() -> None:
    assert places_of_namesakes([model("/a/x"), model("/b/x", quantisation="8-bit")]) == {}


def test_a_namesake_that_is_gone_says_so_itself() -> None:
    gone = replace(model("/a/x"), is_gone=True)
    assert places_of_namesakes([gone, model("/b/x")]) == {"/b/x": "/b"}
