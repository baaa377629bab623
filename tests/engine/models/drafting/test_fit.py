"""A drafter is held against its target before it is loaded, and the reason of a misfit is said."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.fit import check_fit, misfit
from engine.models.drafting.spec import HIDDEN, TAPS, DrafterSpec
from engine.models.drafting.target import TargetShape, target_shape
from engine.models.errors import DrafterError
from engine.models.facts import read_facts
from tests.engine.tiny import tiny_folder

SPEC = DrafterSpec(
    kind="dspark",
    name="draft",
    hidden_size=32,
    vocab_size=259,
    tap_layers=(0, 2),
    depth=7,
    needs=frozenset((TAPS,)),
    num_target_layers=4,
)


@pytest.fixture(scope="module")
def shape(tmp_path_factory: pytest.TempPathFactory) -> TargetShape:
    folder = tiny_folder(tmp_path_factory.mktemp("fit") / "target", num_hidden_layers=4)
    return target_shape(read_facts("", folder))


def test_shape_of_a_target_is_read_from_its_files(shape):
    assert (shape.hidden_size, shape.num_layers, shape.vocab_size, shape.model_type) == (32, 4, 259, "llama")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"num_target_layers": 0}, ""),
        ({"tap_layers": (-1, 0, 2)}, ""),  # -1: embeddings
        ({"tap_layers": (4,), "needs": frozenset((HIDDEN,))}, ""),  # the hidden state after the final norm
        ({"tap_layers": (4,)}, "layer 4, and this model has 4"),
        ({"num_target_layers": 36}, "trained for a target of 36 layers, and this model has 4"),
        ({"hidden_size": 64}, "hidden size of 64, and this model's is 32"),
        ({"vocab_size": 1000}, "1,000 tokens, and this model has 259"),
        ({"tap_layers": (0, 5)}, "layer 5, and this model has 4"),
        ({"tap_layers": (0, 3)}, "the last layer (3)"),
    ],
)
def test_misfit_is_said(shape, changes, words):
    found = misfit(replace(SPEC, **changes), shape)
    assert words in found
    assert bool(found) == bool(words)


def drafter_files(folder: Path) -> DrafterFiles:
    return DrafterFiles(folder, {}, {}, {})


def test_drafter_with_another_vocabulary_is_refused(shape, tmp_path):
    check_fit(SPEC, drafter_files(tmp_path), shape)  # without a tokenizer of its own
    check_fit(SPEC, drafter_files(shape.folder), shape)
    other = tiny_folder(tmp_path / "other")
    tokenizer = json.loads((other / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    vocabulary["a"], vocabulary["b"] = vocabulary["b"], vocabulary["a"]
    (other / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    with pytest.raises(DrafterError, match="'draft' cannot draft for 'target': 2 of their token ids differ"):
        check_fit(SPEC, drafter_files(other), shape)


def test_target_that_cannot_be_rewound_takes_no_drafter(shape, tmp_path):
    refusal = "Replies of this model run one at a time and without a drafter: its state is unknown."
    reason = "^replies of this model run one at a time .*: its state is unknown; choose the drafter 'none'$"
    with pytest.raises(DrafterError, match=reason):
        check_fit(SPEC, drafter_files(tmp_path), replace(shape, batch_refusal=refusal))
