"""The decoder layer of an EAGLE-3 head by its config: of the shape that most models share, or of Gemma 4's. No MLX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.models.architecture import find_number, head_size
from engine.models.drafting.fields import required_number
from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.rotary import Rotary, read_rotary
from engine.models.drafting.tensors import Shape
from engine.models.errors import DrafterError

MIDLAYER = "midlayer."  # how SafeAILab's layout names the first layer
_PLAIN = ("llama", "qwen2", "qwen3", "mistral", "eagle3")  # of one shape; tensors tell their norms and biases
_SANDWICH = "gemma4_text"
_FULL, _SLIDING = "full_attention", "sliding_attention"


@dataclass(frozen=True, slots=True, kw_only=True)
class Eagle3Layer:
    """What every layer of a head has in common."""

    width: int  # the head's own hidden size
    intermediate_size: int
    num_heads: int
    num_kv_heads: int
    head_size: int
    norm_eps: float
    rotary: Rotary
    is_sandwich: bool  # Gemma 4's layer: norms before and after both halves, a scalar, attention that is not scaled
    keys_are_values: bool
    present: frozenset[str]  # parameters of the first layer by name; some heads have norms or biases that others lack

    def shapes(self, reads_tokens: bool) -> dict[str, Shape]:
        """Dense shapes of a layer's parameters; one that reads tokens has inputs of twice the width."""
        width, inner = self.width, self.intermediate_size
        shapes = {f"self_attn.{name}.weight": shape for name, shape in self.projections(reads_tokens).items()}
        shapes |= {
            name: shape for name, shape in _optional(self.projections(), self.head_size).items() if name in self.present
        }
        shapes |= dict.fromkeys(("mlp.gate_proj.weight", "mlp.up_proj.weight"), (inner, width))
        shapes["mlp.down_proj.weight"] = (width, inner)
        norms = ["input_layernorm", "post_attention_layernorm"] + ["hidden_norm"] * reads_tokens
        if self.is_sandwich:
            norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
            shapes["layer_scalar"] = (1,)
        return shapes | {f"{name}.weight": (width,) for name in norms}

    def projections(self, reads_tokens: bool = True) -> dict[str, Shape]:
        """Shapes of the attention's matrices."""
        num_inputs = self.width * (2 if reads_tokens else 1)
        queries, keys = self.num_heads * self.head_size, self.num_kv_heads * self.head_size
        shapes: dict[str, Shape] = {"q_proj": (queries, num_inputs), "k_proj": (keys, num_inputs)}
        if not self.keys_are_values:
            shapes["v_proj"] = (keys, num_inputs)
        return shapes | {"o_proj": (self.width, queries)}


def _optional(projections: dict[str, Shape], head_size: int) -> dict[str, Shape]:
    biases = {f"self_attn.{name}.bias": shape[:1] for name, shape in projections.items()}
    return biases | dict.fromkeys(("self_attn.q_norm.weight", "self_attn.k_norm.weight"), (head_size,))


def read_layer(files: DrafterFiles, config: dict[str, Any]) -> Eagle3Layer:
    """Read what a config says of a head's layers; DrafterError names the field that is wrong."""
    is_sandwich = config.get("model_type") == _SANDWICH
    _check_family(config, is_sandwich)
    prefix = MIDLAYER if f"{MIDLAYER}hidden_norm.weight" in files.tensors else "layers.0."
    size = _head_size(files, config, is_sandwich)
    return Eagle3Layer(
        width=required_number(config, "hidden_size"),
        intermediate_size=required_number(config, "intermediate_size"),
        num_heads=required_number(config, "num_attention_heads"),
        num_kv_heads=_num_kv_heads(config, is_sandwich),
        head_size=size,
        norm_eps=float(config.get("rms_norm_eps") or 1e-6),
        rotary=read_rotary(config, size),
        is_sandwich=is_sandwich,
        keys_are_values=is_sandwich and bool(config.get("attention_k_eq_v")),
        present=frozenset(files.with_prefix(prefix)),
    )


def read_windows(config: dict[str, Any], num_layers: int) -> tuple[int | None, ...]:
    """How many tokens each layer sees, its own among them; None for all. Raises DrafterError for another kind."""
    kinds = config.get("layer_types") or []
    if not isinstance(kinds, list) or not {*map(str, kinds)} <= {_FULL, _SLIDING}:
        raise DrafterError(
            f"layer_types is {kinds!r} in the drafter's config.json; each layer must be {_FULL!r} or {_SLIDING!r}: "
            "choose another drafter"
        )
    padded = [*kinds[:num_layers], *[_FULL] * (num_layers - len(kinds))]
    return tuple(required_number(config, "sliding_window") if kind == _SLIDING else None for kind in padded)


def _check_family(config: dict[str, Any], is_sandwich: bool) -> None:
    known = (*_PLAIN, _SANDWICH)
    if config.get("model_type") not in known:
        raise DrafterError(
            f"model_type is {config.get('model_type')!r} in the drafter's config.json; an EAGLE-3 head can be of: "
            f"{', '.join(known)}; choose another drafter"
        )
    field, needed = ("hidden_activation", "gelu_pytorch_tanh") if is_sandwich else ("hidden_act", "silu")
    if config.get(field, needed) != needed:
        raise DrafterError(
            f"{field} is {config[field]!r} in the drafter's config.json; it must be {needed!r}: choose another drafter"
        )


def _head_size(files: DrafterFiles, config: dict[str, Any], is_sandwich: bool) -> int:
    """Later versions of transformers write Gemma's `global_head_dim` elsewhere; the norm of the queries has it too."""
    norm = files.tensors.get("layers.0.self_attn.q_norm.weight") if is_sandwich else None
    usual = norm.shape[0] if norm and norm.shape else head_size(config)
    return find_number(config, "global_head_dim", default=usual) if is_sandwich else usual


def _num_kv_heads(config: dict[str, Any], is_sandwich: bool) -> int:
    if is_sandwich and config.get("attention_k_eq_v"):
        return required_number(config, "num_global_key_value_heads")
    return find_number(config, "num_key_value_heads", default=required_number(config, "num_attention_heads"))
