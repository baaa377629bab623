"""Numbers read from configs of several families."""

from __future__ import annotations

import pytest

from engine.models.architecture import context_length, num_layers, text_config

YARN = {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 100}
DAMAGED = [{"factor": value} for value in (float("nan"), float("inf"), -1.0, 10**400, "x", None)]
DAMAGED += [{"original_max_position_embeddings": 10**400}]


@pytest.mark.parametrize(
    ("config", "tokenizer_config", "expected"),
    [
        ({"max_position_embeddings": 8192}, {}, 8192),
        ({"text_config": {"max_position_embeddings": 99}}, {}, 99),
        ({"n_positions": 1024}, {}, 1024),
        (
            {"max_position_embeddings": 100, "rope_scaling": YARN},
            {},
            400,
        ),
        *(({"max_position_embeddings": 100, "rope_scaling": YARN | change}, {}, 100) for change in DAMAGED),
        ({"max_position_embeddings": 10**400}, {}, 4096),
        ({"max_position_embeddings": 100, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, {}, 100),
        ({}, {"model_max_length": 2048}, 2048),
        ({}, {"model_max_length": 10**30}, 4096),
    ],
)
def test_context_length(config, tokenizer_config, expected):
    assert context_length(text_config(config), tokenizer_config) == expected


def test_layers_of_a_model_with_parts():
    assert num_layers(text_config({"text_config": {"num_hidden_layers": 7}})) == 7
