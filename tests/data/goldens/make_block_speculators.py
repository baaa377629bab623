"""Goldens of block drafters in speculators' packaging: its training forward, with an anchor at each round's end.

Runs with speculators 0.9.0, whose imports `datasets` and `hs_connectors` may be empty stand-ins, and what make_block.py
beside this runs with: `python tests/data/goldens/make_block_speculators.py`. The files are as make_block.py says.
"""

from __future__ import annotations

import json
from typing import Any

import torch
from make_block import (
    BLOCK,
    HIDDEN,
    LAYERS,
    MASK,
    ROUNDS,
    SLIDING,
    TAPS,
    VOCABULARY,
    block_ids,
    checkpoint,
    randomise,
    record,
    save,
)
from speculators.models.dflash import DFlashDraftModel, DFlashSpeculatorConfig
from speculators.models.dspark import DSparkDraftModel, DSparkSpeculatorConfig
from transformers import Qwen3Config

DRAFT_VOCABULARY = 10


def make_speculators(name: str, *, is_dspark: bool, **changes: Any) -> None:
    """speculators' training forward, whose anchors are the ends of the four rounds' context."""
    torch.manual_seed(len(name))
    layers = Qwen3Config(**LAYERS, **SLIDING, tie_word_embeddings=False)
    layers._attn_implementation = "eager"
    config = (DSparkSpeculatorConfig if is_dspark else DFlashSpeculatorConfig)(
        transformer_layer_config=layers,
        block_size=BLOCK,
        aux_hidden_state_layer_ids=[layer + 1 for layer in TAPS],
        mask_token_id=MASK,
        **changes,
    )
    model = (DSparkDraftModel if is_dspark else DFlashDraftModel)(config).eval().float()
    randomise(model)
    if model.use_draft_vocab:
        ids = torch.randperm(VOCABULARY)[:DRAFT_VOCABULARY].sort().values
        model.d2t.copy_(ids - torch.arange(DRAFT_VOCABULARY))
        model.t2d.copy_(torch.zeros(VOCABULARY, dtype=torch.bool).index_fill(0, ids, True))
    skipped = ("verifier_", "embed_tokens") if model.use_draft_vocab else ("verifier_", "embed_tokens", "lm_head")
    arrays = checkpoint(model, skipped) | {"golden.embedding": model.embed_tokens.weight.data}
    if not model.use_draft_vocab:
        arrays["golden.head"] = model.lm_head.weight.data
    arrays |= run_speculators(model)
    body = json.loads(json.dumps(config.to_dict(), default=str))
    body["transformer_layer_config"] = {
        **LAYERS,
        **SLIDING,
        "model_type": "qwen3",
        "rope_parameters": layers.rope_parameters,
    }
    save(name, body, arrays)


def run_speculators(model: Any) -> dict[str, torch.Tensor]:
    ends = [sum(ROUNDS[: index + 1]) for index in range(len(ROUNDS))]
    length = ends[-1] + 4 * BLOCK * len(ROUNDS)
    taps, ids = torch.randn(1, length, len(TAPS) * HIDDEN), torch.randint(0, VOCABULARY - 1, (1, length))
    mask = torch.zeros(1, length).index_fill(1, torch.tensor(ends), 1.0)
    for index, end in enumerate(ends):
        ids[0, end] = 7 + index
    with torch.no_grad():
        hidden, logits, *_ = model._backbone_forward(
            taps,
            ids,
            mask,
            torch.randn(1, length, HIDDEN),
            torch.zeros(1, length, dtype=torch.long),
            max_anchors=len(ends),
        )
    arrays: dict[str, torch.Tensor] = {}
    hidden, logits = hidden.view(len(ends), BLOCK, -1), logits.view(len(ends), BLOCK, -1)
    for index, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        own_hidden, own_logits = hidden[index : index + 1], logits[index : index + 1]
        arrays |= record(index, taps=taps[:, start:end], ids=block_ids(index), hidden=own_hidden)
        arrays |= speculators_heads(model, index, own_hidden, own_logits)
    return arrays


def speculators_heads(model: Any, index: int, hidden: torch.Tensor, logits: torch.Tensor) -> dict[str, torch.Tensor]:
    """Greedy tokens in the target's ids; the whole block is computed anew for each, since the head knows no steps."""
    first = 0 if model.config.sample_from_anchor else 1
    previous = torch.full((1, BLOCK), 7 + index)
    corrected = logits
    markov = getattr(model, "markov_head", None)
    tokens = torch.zeros(1, BLOCK, dtype=torch.long)
    for position in range(first, BLOCK):
        if markov is not None:
            corrected = logits + markov.block_bias(prev_token_ids=previous, hidden_states=hidden)
        chosen = corrected[:, position].argmax(-1)
        tokens[:, position] = chosen + (model.d2t[chosen] if model.use_draft_vocab else 0)
        if position + 1 < BLOCK:
            previous[:, position + 1] = tokens[:, position]
    arrays = record(index, logits=corrected[:, first:], tokens=tokens[:, first:])
    if getattr(model, "confidence_head", None) is not None:
        features = torch.cat([hidden, markov.prev_embeddings(previous)], -1)
        arrays |= record(index, confidence=model.confidence_head(features)[:, first:])
    return arrays


def main() -> None:
    make_speculators("speculators_dflash", is_dspark=False, draft_vocab_size=VOCABULARY)
    reduced = {"draft_vocab_size": DRAFT_VOCABULARY, "markov_rank": 4}
    make_speculators("speculators_dspark", is_dspark=True, **reduced, markov_head_type="gated")
    make_speculators("speculators_rnn", is_dspark=True, **reduced, markov_head_type="rnn", sample_from_anchor=False)


if __name__ == "__main__":
    main()
