"""The decoder layer of an EAGLE-3 head by its config: of the shape that most models share, or of Gemma 4's. No MLX."""

from __future__ import annotations

from dataclasses import dataclass

from engine.models.drafting.fields import MOST_PARTS, Fields
from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.gemma import TEXT_TYPES, FullLayer, read_full_layer
from engine.models.drafting.rotary import FULL, Rotary, read_rotary
from engine.models.drafting.tensors import Shape

MIDLAYER = "midlayer."  # how SafeAILab's layout names the first layer
_PLAIN = ("llama", "qwen2", "qwen3", "mistral", "eagle3")  # of one shape; tensors tell their norms and biases
_SLIDING = "sliding_attention"
_USUAL_BASE = 10_000.0  # of rotary positions: many files of SafeAILab's layout do not say


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


def read_layer(files: DrafterFiles, fields: Fields) -> Eagle3Layer:
    """Read what a config says of a head's layers; DrafterError names the field that is wrong."""
    is_sandwich = fields.choice("model_type", (*_PLAIN, *TEXT_TYPES)) in TEXT_TYPES
    activation, needed = ("hidden_activation", "gelu_pytorch_tanh") if is_sandwich else ("hidden_act", "silu")
    fields.choice(activation, (needed,), needed)
    prefix = MIDLAYER if f"{MIDLAYER}hidden_norm.weight" in files.tensors else "layers.0."
    kinds = read_kinds(fields)
    shared = read_full_layer(fields, kinds) if is_sandwich else _plain_layer(fields)
    return Eagle3Layer(
        width=fields.number("hidden_size"),
        intermediate_size=fields.number("intermediate_size"),
        num_heads=fields.number("num_attention_heads", most=MOST_PARTS),
        num_kv_heads=shared.num_kv_heads,
        head_size=shared.head_size,
        norm_eps=fields.real("rms_norm_eps", 1e-6),
        rotary=read_rotary(fields, shared.head_size, sorted(set(kinds)), _USUAL_BASE),
        is_sandwich=is_sandwich,
        keys_are_values=is_sandwich and fields.flag("attention_k_eq_v"),
        present=frozenset(files.with_prefix(prefix)),
    )


def read_windows(fields: Fields) -> tuple[int | None, ...]:
    """How many tokens each layer sees, its own among them; None for all. Raises DrafterError for another kind."""
    return tuple(fields.number("sliding_window") if kind == _SLIDING else None for kind in read_kinds(fields))


def read_kinds(fields: Fields) -> tuple[str, ...]:
    """Of every layer. Some heads have more names than layers, those of their target, and some fewer."""
    num_layers = fields.optional_number("num_hidden_layers", 1, most=MOST_PARTS)
    kinds = fields.values.get("layer_types") or []
    if not isinstance(kinds, list) or not {*map(str, kinds)} <= {FULL, _SLIDING}:
        raise fields.fault("layer_types", f"for each layer {FULL!r} or {_SLIDING!r}")
    return (*kinds[:num_layers], *[FULL] * (num_layers - len(kinds)))


def _plain_layer(fields: Fields) -> FullLayer:
    num_heads = fields.number("num_attention_heads", most=MOST_PARTS)
    return FullLayer(
        num_kv_heads=fields.optional_number("num_key_value_heads", num_heads, most=MOST_PARTS),
        head_size=fields.optional_number("head_dim", fields.number("hidden_size") // num_heads, most=MOST_PARTS),
    )
