"""`slipstream-engine inspect` as a user calls it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from engine.headless import main
from engine.inspecting import report
from engine.messages import Answer, DrafterFacts, EstimateMemory, Failed, InspectDrafter, MemoryEstimate, ModelFacts
from engine.models.drafting.inspection import inspect_drafter
from engine.models.facts import read_facts
from tests.engine.drafters.tiny_eagle3 import tiny_eagle3
from tests.engine.goldens import read_golden, write_golden
from tests.engine.harness import Harness
from tests.engine.tiny import tiny_folder


@pytest.fixture(autouse=True)
def _no_preload(monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting the process again with another BLAS would start the tests again."""
    monkeypatch.setattr("engine.blas.preload_blas", lambda: None)


@pytest.fixture
def head(tmp_path: Path) -> Path:
    return write_golden(tmp_path / "head", read_golden("eagle3_deepspec_gemma4"))


def inspect(*arguments: str | Path) -> int:
    return main(["inspect", *map(str, arguments)])


def test_report_names_the_drafter_and_what_it_needs(head, data_dir, capsys):
    assert inspect(head) == 0
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["head"]
    assert ["drafter", f"eagle3:{head}"] in lines
    assert ["needs", "a model with hidden size 16, 8 layers, 40 tokens"] in lines
    assert ["reads", "layers 0, 2, 4, 5, 6"] in lines
    assert ["memory", "30 KB of weights (fp32), and 128 bytes a token"] in lines


def reads(facts: DrafterFacts, target: ModelFacts | None = None) -> str:
    """What a report says of the layers that a drafter reads."""
    return next(line.split(maxsplit=1)[1] for line in report(facts, target) if line.split()[0] == "reads")


def test_layers_are_named_by_what_is_known_of_their_number(head, target):
    facts = inspect_drafter("", head, None)
    model = replace(read_facts("", target), num_layers=3)
    unknown = replace(facts, num_target_layers=0)
    assert reads(replace(unknown, tap_layers=(0, 2))) == "layers 0, 2"
    assert reads(replace(unknown, tap_layers=(2,))) == "layer 2"
    assert reads(replace(unknown, tap_layers=(3,)), model) == "the final hidden state"
    assert (
        reads(replace(facts, tap_layers=(-1, 3, 8)), model) == "layer 3 and the embeddings and the final hidden state"
    )


def test_no_folder_is_no_question(data_dir, capsys):
    assert inspect("") == 2
    assert "no folder is named" in capsys.readouterr().err.lower()


def test_json_gives_every_fact(head, data_dir, capsys):
    assert inspect(head, "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert list(facts) == [field.name for field in fields(DrafterFacts)]
    assert (facts["kind"], facts["tap_layers"], facts["thinks"]) == ("eagle3", [0, 2, 4, 5, 6], False)


def test_pair_that_does_not_fit_is_refused_by_the_exit_status(head, target, data_dir, capsys):
    assert inspect(head, "--target", target) == 2
    told = capsys.readouterr().out
    assert "fits       no" in told
    assert "it was trained for a target of 8 layers, and this model has 2" in told


def test_model_is_reported_too_and_fits_one_with_its_tokenizer(target, tmp_path, data_dir, capsys):
    other = tiny_folder(tmp_path / "other", seed=5)
    assert inspect(other, "--target", target) == 0
    told = capsys.readouterr().out
    assert f"model:{other}" in told
    assert f"fits       yes, {target}" in told
    assert inspect(target, "--target", target) == 2
    assert "the model itself" in capsys.readouterr().out


def test_what_cannot_be_read_is_one_sentence(tmp_path, data_dir, capsys):
    assert inspect(tmp_path / "nowhere") == 2
    assert inspect(tmp_path) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert [line.split(":")[0] for line in told.err.splitlines()] == ["slipstream-engine"] * 2


def answer(engine: Harness, question: InspectDrafter | EstimateMemory) -> DrafterFacts | MemoryEstimate | str:
    engine.send(question)
    engine.run()
    (event,) = engine.events_of(question.request_id)
    assert isinstance(event, Answer | Failed)
    return event.value if isinstance(event, Answer) else event.text


def test_engine_answers_what_drafts_and_whether_it_fits(engine, target, tmp_path):
    fitting = tiny_eagle3(tmp_path, target, eagle_aux_hidden_state_layer_ids=[0, 1])
    facts = answer(engine, InspectDrafter(1, str(fitting), str(target)))
    assert isinstance(facts, DrafterFacts)
    assert (facts.kind, facts.tap_layers, facts.refusal) == ("eagle3", (-1, 0), "")
    assert answer(engine, InspectDrafter(2, str(fitting))) == facts
    assert "nothing found at" in str(answer(engine, InspectDrafter(3, str(tmp_path / "nowhere")))).lower()


def test_estimate_counts_a_drafter_by_its_headers(engine, target, tmp_path):
    head = tiny_eagle3(tmp_path, target, eagle_aux_hidden_state_layer_ids=[0, 1])
    facts = answer(engine, InspectDrafter(1, str(head), str(target)))
    for request_id, kind in ((2, "eagle3"), (3, "auto")):
        estimate = answer(engine, EstimateMemory(request_id, str(target), f"{kind}:{head}", 100, 3))
        assert estimate.drafter_bytes == facts.weight_bytes + 300 * facts.kv_bytes_per_token > 0
    (head / "config.json").write_text('{"architectures": ["LlamaForCausalLMEagle3"]}')
    assert "model_type is None" in str(answer(engine, EstimateMemory(4, str(target), f"eagle3:{head}", 100, 3)))
