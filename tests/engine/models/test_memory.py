"""Memory: what a model takes and what the machine or its control group has left."""

from __future__ import annotations

import pytest

from engine.models.device import available_memory, group_memory
from engine.models.drafting.inspection import describe_drafter
from engine.models.facts import read_facts
from engine.models.memory import estimate_memory
from engine.models.safetensors_file import read_tensor_table
from tests.engine.models.drafting.published import write_published
from tests.engine.tiny import write_tiny_tokenizer


def test_estimate_counts_rows_times_context(folder):
    facts = read_facts("", folder)
    estimate = estimate_memory(facts, None, 100, 4)
    assert estimate.kv_bytes == 400 * facts.kv_bytes_per_token
    assert (estimate.drafter_bytes, estimate.weight_bytes) == (0, facts.weight_bytes)
    assert min(estimate.available_bytes, estimate.working_bytes) > 0
    assert estimate.limit_bytes > estimate.available_bytes  # it counts what this process holds


def test_drafter_with_weights_counts_with_its_rows(folder):
    facts = read_facts("", folder)
    drafter = describe_drafter("here", folder, facts, as_model=True)
    estimate = estimate_memory(facts, drafter, 10, 2)
    assert estimate.drafter_bytes == facts.weight_bytes + 20 * facts.kv_bytes_per_token


def test_head_in_the_weights_of_its_model_counts_once(tmp_path):
    folder = write_published("Qwen3.5-4B", tmp_path)
    write_tiny_tokenizer(folder)
    facts = read_facts("", folder)
    head = describe_drafter("here", folder, facts, as_model=False)
    estimate = estimate_memory(facts, head, 0, 1)
    assert head.weight_bytes > 0
    assert estimate.weight_bytes + estimate.drafter_bytes == sum(
        info.num_bytes for info in read_tensor_table(folder / "model.safetensors").values()
    )
    assert estimate_memory(facts, None, 0, 1).weight_bytes == facts.weight_bytes == estimate.weight_bytes


def test_available_memory_is_a_sensible_number():
    assert 2**20 < available_memory() < 2**50


@pytest.mark.parametrize(("limit", "expected"), [("1000", 1000 - 600 + 50), ("max", 2**63 - 1)])
def test_limit_of_a_control_group_counts(tmp_path, limit, expected):
    group = tmp_path / "sys" / "app"
    group.mkdir(parents=True)
    (group / "memory.max").write_text(limit)
    (group / "memory.current").write_text("600\n")
    (group / "memory.stat").write_text("anon 10\ninactive_file 50\n")
    (tmp_path / "cgroup").write_text("0::/app/inner\n")
    assert min(group_memory(tmp_path / "sys", tmp_path / "cgroup")) == expected
