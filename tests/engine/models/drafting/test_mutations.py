"""Whatever is written into a drafter's files, they are told or refused: no other exception, and no endless loop.

Every field of the published configs, and some of their tensors, take values from a list in turn: few enough for each
run, others for each field, the same in every run.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from itertools import count, cycle
from pathlib import Path
from typing import Any

import pytest

from engine.models.drafting.inspection import inspect_drafter
from engine.models.errors import ModelError
from tests.engine.models.drafting.published import PUBLISHED_NAMES, read_header, write_header, write_published

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 10**9, 2**70, 10**400, 0.0, 1.5, float("nan"), float("inf")),
    *("x", "", [], ["x"], [1], [[1]], [None], [-3], [{}], {}, {"a": 1}, {"rope_type": 5}, {"rope_type": "yarn"}),
    {"rope_type": "llama3", "rope_theta": 1e6, "factor": "x"},
)
ADDED = (  # fields that some kinds read and not all configs have
    *("architectures", "block_size", "dflash_config", "draft_vocab_size", "eagle_config", "final_logit_softcapping"),
    *("head_dim", "is_causal", "layer_types", "markov_rank", "mask_token_id", "model_type", "mtp_num_hidden_layers"),
    *("n_shared_experts", "num_target_layers", "per_layer_config", "quantization", "rms_norm_eps", "rope_parameters"),
    *("rope_scaling", "sample_from_anchor", "sliding_window", "speculators_config", "speculators_model_type"),
    *("target_hidden_size", "text_config", "tie_word_embeddings", "transformer_layer_config", "ttt_length"),
)
ENTRIES: tuple[Any, ...] = (
    *(None, 5, "x", [], {}, {"shape": None}, {"shape": "ab"}, {"shape": ["a"]}, {"shape": [-1, 5]}, {"shape": [[1]]}),
    *({"shape": [{"a": 1}]}, {"shape": []}, {"shape": [1.5, 2]}, {"shape": [10**400]}, {"shape": [True]}),
    *({"dtype": kind} for kind in (None, ["x"], "XX", "U8", "I32", "F8_E4M3", "BOOL")),
    *({"data_offsets": places} for places in (None, [0], ["a", "b"], [2, 0], [-2, 0], [0.0, 2.0])),
)
NUM_TENSORS = 12  # of a folder


def outcome(folder: Path) -> str:
    """How an inspection ended; whatever else it raises is not caught."""
    try:
        return inspect_drafter(folder.name, folder, None).refusal or "fits"
    except ModelError as error:
        return str(error)


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The way to each field of a config."""
    if path:
        yield path
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], (*path, name))


def changed(config: dict[str, Any], path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    config = copy.deepcopy(config)
    section: Any = config
    for name in path[:-1]:
        section = section[name]
    section[path[-1]] = value
    return config


@pytest.mark.parametrize(("first", "name"), list(enumerate(PUBLISHED_NAMES)))
def test_any_value_of_a_field_is_told_or_refused(tmp_path, first, name):
    folder = write_published(name, tmp_path)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    paths = [*places(config), *((field,) for field in ADDED if field not in config)]
    for index, path in zip(count(7 * first), paths, strict=False):
        for value in (VALUES[index % len(VALUES)], VALUES[(index + 13) % len(VALUES)]):
            (folder / "config.json").write_text(json.dumps(changed(config, path, value)), "utf-8")
            assert len(outcome(folder)) < 2000, path


@pytest.mark.parametrize("name", PUBLISHED_NAMES)
def test_any_entry_of_a_header_is_told_or_refused(tmp_path, name):
    folder = write_published(name, tmp_path)
    header = read_header(folder)
    tensors = list(header)[:: max(1, len(header) // NUM_TENSORS)]
    for tensor, entry in zip(cycle(tensors), ENTRIES, strict=False):
        broken = header[tensor] | entry if isinstance(entry, dict) and entry else entry
        write_header(folder, header | {tensor: broken})
        assert (outcome(folder) == "fits") == (broken == header[tensor]), (tensor, entry)
