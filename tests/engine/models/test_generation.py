"""How a model is sampled by default: what its generation config asks for, and nothing senseless."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from engine.messages import GREEDY, Sampling
from engine.models.facts import read_facts
from engine.models.generation import FILE, read_sampling


def asked(folder, text: Any) -> Sampling:
    (folder / FILE).write_text(text if isinstance(text, str) else json.dumps(text))
    return read_sampling(folder)


def test_a_model_without_a_generation_config_is_greedy(folder):
    (folder / FILE).unlink(missing_ok=True)
    assert read_sampling(folder) == GREEDY


def test_facts_carry_what_the_file_asks_for(folder):
    settings = {"do_sample": True, "temperature": 0.7, "top_p": 0.8, "top_k": 20, "repetition_penalty": 1.05}
    sampling = asked(folder, settings | {"min_p": 0.05, "eos_token_id": [1, 2]})
    assert sampling == Sampling(temperature=0.7, top_p=0.8, top_k=20, min_p=0.05, repetition_penalty=1.05)
    assert read_facts("", folder).sampling == sampling


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"eos_token_id": 2}, GREEDY),
        ({"do_sample": True}, Sampling(temperature=1.0)),
        ({"do_sample": False, "temperature": 0.7, "top_k": 5}, GREEDY),
        ({"do_sample": False, "repetition_penalty": 1.1}, Sampling(repetition_penalty=1.1)),
        ({"do_sample": "no", "temperature": 0.7}, Sampling(temperature=0.7)),
        ({"temperature": 1, "top_k": 40.0}, Sampling(temperature=1.0, top_k=40)),
        ({"top_p": 0.9}, Sampling(temperature=1.0, top_p=0.9)),
        ({"do_sample": True, "temperature": 0}, GREEDY),
        ({"do_sample": None, "repetition_penalty": 1.2}, Sampling(repetition_penalty=1.2)),
    ],
)
def test_a_file_that_says_half_is_read_as_it_is_meant(folder, settings, expected):
    assert asked(folder, settings) == expected


@pytest.mark.parametrize(
    "value",
    ["0.5", None, True, [0.5], {"a": 1}, -1, 10**400, float("nan"), float("inf")],
    ids=lambda value: str(value)[:9],
)
@pytest.mark.parametrize("name", ["temperature", "top_p", "top_k", "min_p", "repetition_penalty"])
def test_a_senseless_value_is_left_out_and_the_others_stay(folder, name, value):
    others = {"temperature": 0.5, "top_p": 0.5}
    expected = Sampling(**{"temperature": 1.0} | {key: kept for key, kept in others.items() if key != name})
    assert asked(folder, others | {"do_sample": True, name: value}) == expected


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("temperature", 5.1),
        ("top_p", 0),
        ("top_p", 1.1),
        ("top_k", 2.5),
        ("top_k", 10**9),
        ("min_p", 1.5),
        ("repetition_penalty", 11),
    ],
)
def test_a_value_beyond_its_limits_is_left_out(folder, name, value):
    assert asked(folder, {"do_sample": True, name: value}) == Sampling(temperature=1.0)


@pytest.mark.parametrize("text", ["", "{", "[1]", "3", "\0", "[" * 100_000, '{"temperature": 1e999}', "9" * 9_999])
def test_a_damaged_file_asks_for_nothing(folder, text):
    assert asked(folder, text) == GREEDY


def test_an_enormous_file_and_one_that_a_read_would_wait_for_ask_for_nothing(folder):
    with (folder / FILE).open("wb") as file:
        file.truncate(10**11)
    assert read_sampling(folder) == GREEDY
    (folder / FILE).unlink()
    os.mkfifo(folder / FILE)
    assert read_sampling(folder) == GREEDY
