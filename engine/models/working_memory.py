"""What a forward needs beside weights and state: how far prompts are read at once, and what that takes. No MLX."""

from __future__ import annotations

from typing import Any

from engine.models.architecture import find_number, head_size, num_heads
from engine.models.device import runs_on_cpu

MAX_CHUNK = 2048  # tokens of one forward that reads a prompt
CPU_CHUNK = 512  # that a CPU reads in the time that a chunk may take, where the model is large enough to matter
ATTENTION_CELLS = 1 << 24  # query × key positions of one forward; bounds its workspace at long contexts
VERIFIED = 32  # positions whose logits are there at once, in fp32: a few rows' windows
FUSED_HEAD_SIZES = frozenset((64, 80, 128))  # for which MLX's GPU kernels keep no scores
MARGIN = 1.25  # of what was measured of tiny models with MLX 0.32 over the sum below: 1.1 to 1.2


def working_memory(config: dict[str, Any], element_bytes: int) -> int:
    """Bytes of the largest forward of a model: one layer's activations, its attention's scores, and logits."""
    context = find_number(config, "max_position_embeddings", default=MAX_CHUNK)
    width = min(CPU_CHUNK if runs_on_cpu() else MAX_CHUNK, context)
    heads, size = num_heads(config), head_size(config)
    hidden = find_number(config, "hidden_size", "n_embd", "d_model")
    activations = width * (4 * hidden + 3 * _widest_inside(config) + 3 * heads * size)
    cells = min(ATTENTION_CELLS, width * context)
    scores = heads * cells if runs_on_cpu() or size not in FUSED_HEAD_SIZES else 0
    logits = 4 * VERIFIED * find_number(config, "vocab_size")
    return int(MARGIN * ((activations + scores) * element_bytes + cells)) + logits


def _widest_inside(config: dict[str, Any]) -> int:
    """Of a layer's feed-forward part, for one token: a dense one's, or its experts' together."""
    experts = find_number(config, "num_experts_per_tok", "moe_topk") * find_number(config, "moe_intermediate_size")
    shared = find_number(config, "shared_expert_intermediate_size")
    return max(find_number(config, "intermediate_size", "n_inner"), experts + shared)
