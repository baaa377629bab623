"""What is known of a block drafter before it is loaded, and the tensors that follow from it. No MLX."""

from __future__ import annotations

from dataclasses import dataclass

from engine.models.drafting.rotary import Rotary
from engine.models.drafting.spec import OFFSETS, DrafterSpec
from engine.models.drafting.tensors import Shape

EMBEDDING_TENSOR = "embed_tokens.weight"
HEAD_TENSOR = "lm_head.weight"
MARKOV_TENSOR = "markov_head.markov_w1.weight"
CONFIDENCE_TENSOR = "confidence_head.proj.weight"

# In some checkpoints, and read in none: they are the target's, follow from others, or are for training alone.
IGNORED = (r"t2d", r"(model\.)?verifier_(lm_head|norm)\.weight", r".*rotary_emb\.inv_freq")

HEAD_KINDS = ("vanilla", "gated", "rnn")


@dataclass(frozen=True, slots=True)
class Reach:
    """What one layer's queries attend to: so many of the last tokens (None: all), and what of their own block."""

    window: int | None = None
    is_causal: bool = False


@dataclass(frozen=True, slots=True)
class Heads:
    """What corrects and cuts a block behind the layers; `markov` is one of HEAD_KINDS, "" where there is none."""

    markov: str = ""
    markov_rank: int = 0
    has_confidence: bool = False
    confidence_reads_markov: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerShape:
    """The layers of the drafter itself: Gemma 4's, or Qwen 3's."""

    is_gemma: bool
    reaches: tuple[Reach, ...]  # one a layer
    intermediate_size: int
    num_heads: int
    num_kv_heads: int
    head_size: int
    norm_eps: float
    rotary: Rotary
    has_bias: bool  # of the attention's projections
    shares_values: bool  # values are the keys before their norm


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSpec(DrafterSpec):
    layers: LayerShape
    heads: Heads
    mask_token_id: int
    first_prediction: int  # position of the block that predicts the token after the pending one
    window_from_anchor: bool  # windows end at the pending token for the whole block, else at each position's own
    has_embedding: bool  # of its own; else the target's
    has_head: bool
    has_offsets: bool  # from its own tokens to the target's; all 0 where it drafts every token
    embedding_scale: float | None  # None: the target's
    softcap: float | None  # of the drafter's own head; the target's comes with its scales

    @property
    def output_size(self) -> int:
        """Tokens that the head tells apart."""
        return self.draft_vocab_size or self.vocab_size


def expected_tensors(spec: BlockSpec) -> dict[str, Shape]:
    """Dense shape of every tensor of a drafter, by its published name."""
    hidden = spec.hidden_size
    tensors: dict[str, Shape] = {
        "fc.weight": (hidden, len(spec.tap_layers) * hidden),
        "hidden_norm.weight": (hidden,),
        "norm.weight": (hidden,),
    }
    for index in range(len(spec.layers.reaches)):
        tensors |= {f"layers.{index}.{name}": shape for name, shape in _layer_tensors(spec).items()}
    if spec.has_embedding:
        tensors[EMBEDDING_TENSOR] = (spec.vocab_size, hidden)
    if spec.has_head:
        tensors[HEAD_TENSOR] = (spec.output_size, hidden)
    if spec.has_offsets:
        tensors[OFFSETS] = (spec.output_size,)
    return tensors | _head_tensors(spec)


def _layer_tensors(spec: BlockSpec) -> dict[str, Shape]:
    layers, hidden, size = spec.layers, spec.hidden_size, spec.layers.head_size
    queries, keys = layers.num_heads * size, layers.num_kv_heads * size
    projections = {"q_proj": (queries, hidden), "k_proj": (keys, hidden), "o_proj": (hidden, queries)}
    if not layers.shares_values:
        projections["v_proj"] = (keys, hidden)
    tensors: dict[str, Shape] = {f"self_attn.{name}.weight": shape for name, shape in projections.items()}
    if layers.has_bias:
        tensors |= {f"self_attn.{name}.bias": shape[:1] for name, shape in projections.items()}
    tensors |= {f"self_attn.{name}.weight": (size,) for name in ("q_norm", "k_norm")}
    tensors |= {f"mlp.{name}.weight": (layers.intermediate_size, hidden) for name in ("gate_proj", "up_proj")}
    tensors["mlp.down_proj.weight"] = (hidden, layers.intermediate_size)
    norms = ["input_layernorm", "post_attention_layernorm"]
    if layers.is_gemma:
        norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
        tensors["layer_scalar"] = (1,)
    return tensors | {f"{name}.weight": (hidden,) for name in norms}


def _head_tensors(spec: BlockSpec) -> dict[str, Shape]:
    heads, hidden, rank = spec.heads, spec.hidden_size, spec.heads.markov_rank
    tensors: dict[str, Shape] = {}
    if heads.markov:
        tensors[MARKOV_TENSOR] = (spec.vocab_size, rank)
        tensors["markov_head.markov_w2.weight"] = (spec.output_size, rank)
    if heads.markov == "gated":
        tensors |= _linear("markov_head.gate_proj", rank, hidden + rank)
    if heads.markov == "rnn":
        tensors |= _linear("markov_head.joint_proj", 3 * rank, 2 * rank + hidden)
    if heads.has_confidence:
        tensors |= _linear("confidence_head.proj", 1, hidden + rank * heads.confidence_reads_markov)
    return tensors


def _linear(name: str, num_outputs: int, num_inputs: int) -> dict[str, Shape]:
    return {f"{name}.weight": (num_outputs, num_inputs), f"{name}.bias": (num_outputs,)}
