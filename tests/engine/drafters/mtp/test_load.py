"""A native MTP head is bound to its target's embedding and logits, of which it may use a part."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import pytest

from engine.drafters.base import DrafterSource, TargetView
from engine.drafters.mtp.load import MtpHead, load_mtp
from engine.drafters.pairs import PairDrafter
from engine.drafters.suffix_store import SuffixStore
from engine.drafters.vocabulary import FREQUENT_TOKENS, LARGE_VOCABULARY
from engine.models.errors import DrafterError
from engine.models.facts import read_facts
from engine.target import Target
from tests.engine.drafters.mtp.goldens import open_head, read_golden
from tests.engine.drafters.tiny_mtp import FILE, tiny_mtp
from tests.engine.tiny import tiny_folder, tiny_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_folder(tmp_path_factory.mktemp("target") / "tiny", "glm4_moe")


@pytest.fixture(scope="module")
def source(folder: Path) -> DrafterSource:
    facts = read_facts("", folder)
    target = Target(tiny_model("glm4_moe", vocab_size=facts.vocab_size), facts)
    return DrafterSource("", facts, SuffixStore(), folder.parent, target.view)


def load(source: DrafterSource, head: Path) -> PairDrafter:
    *progress, drafter = load_mtp(replace(source, path=str(head)))
    assert isinstance(drafter, PairDrafter)
    assert progress
    return drafter


def test_drafter_tells_what_it_is(source, folder, tmp_path):
    drafter = load(source, tiny_mtp(tmp_path / "head", folder))
    assert drafter.identity == f"mtp:{tmp_path / 'head'}"
    assert drafter.tap_layers == (2,)
    assert drafter.weight_bytes >= (tmp_path / "head" / FILE).stat().st_size * 0.8
    assert drafter.context_length == 512
    assert drafter.state_kind.shape.is_exact


def test_heads_of_other_weights_have_states_of_another_kind(source, folder, tmp_path):
    heads = [tiny_mtp(tmp_path / f"head {seed}", folder, seed) for seed in (1, 2)]
    kinds = [load(source, head).state_kind.stream.identity for head in (*heads, heads[0])]
    assert kinds[0] == kinds[2] != kinds[1]


def test_other_files_of_the_model_do_not_count(source, folder, tmp_path):
    head = tiny_mtp(tmp_path / "head", folder)
    before = load(source, head).state_kind
    mx.save_safetensors(str(head / "model.safetensors"), {"model.norm.weight": mx.ones((32,))})
    assert load(source, head).state_kind == before


def test_target_without_a_head_of_its_own_is_refused(source, folder, tmp_path):
    blind = replace(source, view=replace(source.view, ports=frozenset(("embedding", "head"))))
    with pytest.raises(DrafterError, match=r"reads the last hidden state \('hidden'\) of its target"):
        load(blind, tiny_mtp(tmp_path / "head", folder))


def test_large_vocabulary_is_drafted_in_part(source, tmp_path):
    vocab_size, rows = LARGE_VOCABULARY + 100, mx.random.normal((LARGE_VOCABULARY + 100, 32))

    def head_rows(token_ids):
        return lambda hidden: hidden @ rows[token_ids].T, 4 * 32 * FREQUENT_TOKENS

    own = replace(source.view.target, head=lambda hidden: hidden @ rows.T, head_rows=head_rows)
    view = TargetView(vocab_size, 512, own=own)
    head = MtpHead(open_head(read_golden("glm4_moe").write(tmp_path)), view, [[vocab_size - 1, 5]])
    hidden = mx.random.normal((2, 1, 32))
    logits = head.logits(hidden)
    is_drafted = logits[0, 0] > float("-inf")
    assert logits.shape == (2, 1, vocab_size)
    assert mx.sum(is_drafted).item() == FREQUENT_TOKENS
    assert head.num_bytes > 4 * 32 * FREQUENT_TOKENS
    assert is_drafted[vocab_size - 1].item()
    assert mx.allclose(logits[:, :, :5], own.head(hidden)[:, :, :5], atol=1e-4)
