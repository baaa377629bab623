"""Gemma 4's assistants by their headers: layers without keys, which attend to those of the target. No MLX.

Source: transformers 5.24, models/gemma4_assistant and models/gemma4_unified_assistant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.models.drafting.fields import MOST_PARTS, Fields
from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.spec import DONORS, EMBEDDING, HIDDEN, DrafterSpec
from engine.models.drafting.target import TargetShape
from engine.models.drafting.tensors import Shape, check_tensors, num_bytes_of, quantisation_of
from engine.models.errors import DrafterError

KIND = "assistant"
MODEL_TYPES = ("gemma4_assistant", "gemma4_unified_assistant")
SLIDING, FULL = "sliding_attention", "full_attention"
CENTROIDS, ORDERING = "masked_embedding.centroids.weight", "masked_embedding.token_ordering"

_BLOCK_SIZE = 4  # tokens of a trained block, the pending one included; mlx-vlm's default, since no config has it
_NUM_CHOSEN = 32  # of the centroids, by transformers' default
_FULL_HEAD_SIZE = 512  # by transformers' and mlx-lm's default
_SLIDING_WINDOW = 512
_NORM_EPS = 1e-6
_ACTIVATION = "gelu_pytorch_tanh"
_ROPES = ("default", "proportional")
_INV_FREQ = r".*rotary_emb\.inv_freq"
_TIED_HEAD = r"lm_head\..*"  # the embedding, stored twice


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantSpec(DrafterSpec):
    """What the forward of an assistant needs."""

    width: int  # its own hidden size
    intermediate_size: int
    num_heads: int
    layer_types: tuple[str, ...]
    head_sizes: Mapping[str, int]  # by kind of layer
    window: int  # tokens that a sliding layer sees
    norm_eps: float
    rope: Mapping[str, Any] | None  # by kind of layer; None for Gemma 4's usual
    num_centroids: int  # 0: every token is scored
    num_chosen: int  # centroids whose tokens are scored


@dataclass(frozen=True, slots=True)
class DonorShape:
    """Keys and values that a target has for one kind of layer."""

    num_heads: int
    head_size: int
    window: int  # 0: all tokens


def recognises(files: DrafterFiles) -> bool:
    return files.config.get("model_type") in MODEL_TYPES


def read_spec(files: DrafterFiles, target: TargetShape | None) -> AssistantSpec:
    """Read and check an assistant; DrafterError names the field, the tensor or what the target lacks."""
    config, text = Fields(files.config), _text_fields(files)
    block_size = config.optional_number("block_size", _BLOCK_SIZE)
    layer_types = _layer_types(text)
    spec = AssistantSpec(
        kind=KIND,
        name=files.name,
        hidden_size=config.number("backbone_hidden_size"),
        vocab_size=text.number("vocab_size"),
        tap_layers=(target.num_layers,) if target else (),
        depth=max(1, block_size - 1),
        needs=frozenset((HIDDEN, EMBEDDING, DONORS)),
        block_size=block_size,
        context_length=text.optional_number("max_position_embeddings"),
        width=text.number("hidden_size"),
        intermediate_size=text.number("intermediate_size"),
        num_heads=text.number("num_attention_heads"),
        layer_types=layer_types,
        head_sizes={SLIDING: text.number("head_dim"), FULL: _full_head_size(text, layer_types)},
        window=text.optional_number("sliding_window", _SLIDING_WINDOW),
        norm_eps=text.real("rms_norm_eps", _NORM_EPS),
        rope=_rope(text, layer_types),
        num_centroids=_num_centroids(files),
        num_chosen=config.optional_number("centroid_intermediate_top_k", _NUM_CHOSEN),
    )
    if target:
        _check_donors(spec, target)
    return _checked(spec, files)


def donor_shapes(target: TargetShape) -> dict[str, DonorShape]:
    """What the last layers that keep keys of their own have, by kind; {} where the target is no Gemma 4."""
    if not target.model_type.startswith("gemma4"):
        return {}
    config = Fields(target.config, "the model's config.json")
    num_own = target.num_layers - config.optional_number("num_kv_shared_layers", most=MOST_PARTS)
    kinds = config.values.get("layer_types")
    kinds = kinds[: max(num_own, 0)] if isinstance(kinds, list) else ()
    num_heads = config.optional_number("num_key_value_heads", 1)
    num_full_heads = config.optional_number("num_global_key_value_heads") if config.flag("attention_k_eq_v") else 0
    shapes = {
        SLIDING: DonorShape(num_heads, config.number("head_dim"), config.optional_number("sliding_window")),
        FULL: DonorShape(num_full_heads or num_heads, config.optional_number("global_head_dim", _FULL_HEAD_SIZE), 0),
    }
    return {kind: shape for kind, shape in shapes.items() if kind in kinds}


def tensor_shapes(spec: AssistantSpec) -> dict[str, Shape]:
    """Dense shapes of all tensors by their published names, which are the parameters' of our module too."""
    return dict(_tensors(spec))


def _tensors(spec: AssistantSpec) -> Iterator[tuple[str, Shape]]:
    width, inner = spec.width, spec.intermediate_size
    yield "model.embed_tokens.weight", (spec.vocab_size, width)
    yield "model.norm.weight", (width,)
    yield "pre_projection.weight", (width, 2 * spec.hidden_size)
    yield "post_projection.weight", (spec.hidden_size, width)
    if spec.num_centroids:
        yield CENTROIDS, (spec.num_centroids, width)
        yield ORDERING, (spec.vocab_size,)
    for layer, kind in enumerate(spec.layer_types):
        prefix, size = f"model.layers.{layer}.", spec.head_sizes[kind]
        yield f"{prefix}layer_scalar", (1,)
        yield f"{prefix}self_attn.q_proj.weight", (spec.num_heads * size, width)
        yield f"{prefix}self_attn.q_norm.weight", (size,)
        yield f"{prefix}self_attn.o_proj.weight", (width, spec.num_heads * size)
        yield f"{prefix}mlp.gate_proj.weight", (inner, width)
        yield f"{prefix}mlp.up_proj.weight", (inner, width)
        yield f"{prefix}mlp.down_proj.weight", (width, inner)
        for place in ("input", "post_attention", "pre_feedforward", "post_feedforward"):
            yield f"{prefix}{place}_layernorm.weight", (width,)


def _checked(spec: AssistantSpec, files: DrafterFiles) -> AssistantSpec:
    """The spec with its size in memory, once every tensor is as it must be."""
    if spec.num_centroids and (spec.vocab_size % spec.num_centroids or spec.num_chosen > spec.num_centroids):
        raise DrafterError(
            f"the drafter {spec.name!r} chooses {spec.num_chosen:,} of {spec.num_centroids:,} centroids for "
            f"{spec.vocab_size:,} tokens; these must be a part of the centroids, and each must have as many tokens: "
            "download the drafter again"
        )
    shapes = tensor_shapes(spec)
    is_tied = Fields(files.config).flag("tie_word_embeddings", default=True)
    check_tensors(files, shapes, (_INV_FREQ, _TIED_HEAD) if is_tied else (_INV_FREQ,), integers=(ORDERING,))
    matrices = [name for name, shape in shapes.items() if len(shape) == 2]
    return replace(spec, weight_bytes=num_bytes_of(files, shapes), quantisation=quantisation_of(files, matrices))


def _check_donors(spec: AssistantSpec, target: TargetShape) -> None:
    donors = donor_shapes(target)
    if not donors:
        raise DrafterError(
            f"the drafter {spec.name!r} reads {DONORS!r} of its target, keys and values of a Gemma 4, which a "
            f"{target.model_type!r} model does not give; choose another drafter"
        )
    for kind in sorted(set(spec.layer_types)):
        if fault := _donor_fault(spec, kind, donors.get(kind)):
            raise DrafterError(
                f"{spec.name!r} cannot draft for {target.name!r}: {fault}; choose the assistant of this model"
            )


def _donor_fault(spec: AssistantSpec, kind: str, donor: DonorShape | None) -> str:
    """Why a kind of its layers cannot attend to the target's; "" where it can."""
    if donor is None:
        return f"it has layers of the kind {kind!r}, and no layer of the model keeps keys of that kind"
    if donor.head_size != spec.head_sizes[kind]:
        return f"its {kind!r} heads hold {spec.head_sizes[kind]:,} numbers, and the model's {donor.head_size:,}"
    if spec.num_heads % donor.num_heads:
        return f"its {spec.num_heads} heads cannot share the {donor.num_heads} of the model's {kind!r} layers"
    if kind == SLIDING and donor.window != spec.window:
        return f"its window is {spec.window:,} tokens, and the model's {donor.window:,}"
    return ""


def _text_fields(files: DrafterFiles) -> Fields:
    """The config of its layers, where they are of the only kind that is known."""
    if not recognises(files):
        raise DrafterError(
            f"model_type is {files.config.get('model_type')!r} in the drafter's config.json; an assistant's is one of: "
            f"{', '.join(MODEL_TYPES)}; choose another drafter"
        )
    text = Fields(files.config).section("text_config")
    text.choice("hidden_activation", (_ACTIVATION,), _ACTIVATION)
    return text


def _rope(text: Fields, layer_types: tuple[str, ...]) -> Mapping[str, Any] | None:
    """By kind of layer, as mlx-lm takes it; its keys are the target's, so nothing but Gemma 4's own can be right."""
    rope = text.section("rope_parameters")
    for kind in sorted(set(layer_types)) if rope.values else ():
        own = rope.section(kind)
        if own.values.get("rope_type") not in _ROPES or not own.has("rope_theta"):
            raise DrafterError(
                f"rope_parameters has {rope.values.get(kind)!r} for layers of the kind {kind!r} in the drafter's "
                f"config.json; it needs a rope_theta, and a rope_type of: {', '.join(_ROPES)}; download the drafter "
                "again"
            )
        own.real("rope_theta")
        own.real("partial_rotary_factor", 1.0, most=1.0)
        own.real("factor", 1.0)
    return rope.values or None


def _layer_types(text: Fields) -> tuple[str, ...]:
    count = text.number("num_hidden_layers", most=MOST_PARTS)
    kinds = text.values.get("layer_types")
    if not isinstance(kinds, list) or len(kinds) != count or not all(kind in (SLIDING, FULL) for kind in kinds):
        raise text.fault("layer_types", f"{count} times {SLIDING!r} or {FULL!r}")
    return tuple(kinds)


def _full_head_size(text: Fields, layer_types: tuple[str, ...]) -> int:
    """transformers 5.24 writes no `global_head_dim`, but what each full layer has instead of the general values."""
    own = text.section("per_layer_config")
    full = (layer for layer, kind in enumerate(layer_types) if kind == FULL)
    sizes = [own.section(str(layer)).optional_number("head_dim") for layer in full]
    return text.optional_number("global_head_dim", max(sizes, default=0) or _FULL_HEAD_SIZE)


def _num_centroids(files: DrafterFiles) -> int:
    """By its tensors: published configs name a number of centroids where every token is scored."""
    info = files.tensors.get(CENTROIDS)
    if info is None:
        return 0
    return Fields(files.config).optional_number("num_centroids", info.shape[0] if info.shape else 0)
