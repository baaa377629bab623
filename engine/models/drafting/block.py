"""Block drafters by their headers: which there are, and what their mathematics needs. No MLX.

DFlash (z-lab, arXiv:2602.06036) and DSpark (DeepSeek's DeepSpec) project tapped layers of the target to keys and values
of their own, and write a whole block of tokens in one forward.
"""

from __future__ import annotations

from dataclasses import replace

from engine.models.architecture import find_number, find_section
from engine.models.drafting.block_config import BlockConfig, Packaging, is_block_config, read_config
from engine.models.drafting.block_layers import read_layers
from engine.models.drafting.block_spec import (
    CONFIDENCE_TENSOR,
    EMBEDDING_TENSOR,
    HEAD_KINDS,
    HEAD_TENSOR,
    IGNORED,
    MARKOV_TENSOR,
    BlockSpec,
    Heads,
    expected_tensors,
)
from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.spec import EMBEDDING, HEAD, TAPS
from engine.models.drafting.target import TargetShape
from engine.models.drafting.tensors import check_tensors, num_bytes_of, quantisation_of


def recognises(files: DrafterFiles) -> bool:
    """Whether a folder holds a block drafter, be it one that is refused."""
    return is_block_config(files.config)


def read_spec(files: DrafterFiles, target: TargetShape | None) -> BlockSpec:
    """DrafterError names the field or tensor that is wrong; nothing of it depends on the target."""
    config = read_config(files)
    layers, heads = read_layers(config), _read_heads(config, files)
    has_embedding, has_head = _has_own(files, config, EMBEDDING_TENSOR), _has_own(files, config, HEAD_TENSOR)
    first, block_size = _first_prediction(config), config.number("block_size")
    num_full = sum(reach.window is None for reach in layers.reaches)
    spec = BlockSpec(
        kind="dspark" if heads.markov or heads.has_confidence else "dflash",
        name=files.name,
        hidden_size=config.number("hidden_size"),
        vocab_size=config.number("vocab_size"),
        tap_layers=_read_tap_layers(config),
        depth=block_size - first,
        needs=frozenset([TAPS, *[EMBEDDING] * (not has_embedding), *[HEAD] * (not has_head)]),
        num_target_layers=find_number(config.fields, "num_target_layers"),
        draft_vocab_size=_draft_vocab_size(config),
        block_size=block_size,
        kv_elements_per_token=2 * layers.num_kv_heads * layers.head_size * num_full,
        context_length=config.number("max_position_embeddings"),
        thinks=False if config.packaging is Packaging.DEEPSPEC else None,  # DeepSpec trains on replies without thinking
        layers=layers,
        heads=heads,
        mask_token_id=_mask_token_id(config),
        first_prediction=first,
        window_from_anchor=config.packaging is Packaging.SPECULATORS,
        has_embedding=has_embedding,
        has_head=has_head,
        embedding_scale=_embedding_scale(config, has_embedding),
        softcap=config.real("final_logit_softcapping", 0.0) or None if layers.is_gemma else None,
    )
    return _checked(spec, files)


def _checked(spec: BlockSpec, files: DrafterFiles) -> BlockSpec:
    """The spec, once every tensor is what it must be, with what these take."""
    tensors = expected_tensors(spec)
    check_tensors(files, tensors, IGNORED)
    return replace(spec, weight_bytes=num_bytes_of(files, tensors), quantisation=quantisation_of(files, tensors))


def _has_own(files: DrafterFiles, config: BlockConfig, tensor: str) -> bool:
    """DeepSpec's drafters bring embedding and head unless they say no; others leave out what is the target's.

    A head of a part of the vocabulary is nobody else's.
    """
    is_head = tensor == HEAD_TENSOR
    if config.packaging is Packaging.DEEPSPEC:
        return not is_head or config.flag("has_lm_head", True)
    return tensor in files.tensors or (is_head and _draft_vocab_size(config) > 0)


def _read_tap_layers(config: BlockConfig) -> tuple[int, ...]:
    """speculators counts a layer's input, all others its output."""
    if config.packaging is Packaging.SPECULATORS:
        return tuple(index - 1 for index in config.indices("aux_hidden_state_layer_ids"))
    if config.packaging is Packaging.ZLAB and "target_layer_ids" not in config.fields:
        return spread_layers(config.number("num_target_layers"), config.number("num_hidden_layers"))
    return config.indices("target_layer_ids")


def spread_layers(num_target_layers: int, num_layers: int) -> tuple[int, ...]:
    """The layers that z-lab taps where a config names none: from the second to the last but three, evenly."""
    if num_layers == 1:
        return (num_target_layers // 2,)
    span = num_target_layers - 4
    return tuple(round(1 + index * span / (num_layers - 1)) for index in range(num_layers))


def _first_prediction(config: BlockConfig) -> int:
    """Whether the pending token's own position predicts (0), or the first masked one (1)."""
    if config.packaging is not Packaging.SPECULATORS:
        default = config.packaging is not Packaging.ZLAB
        return 0 if config.flag("sample_from_anchor", default) else 1
    if isinstance(config.fields.get("sample_from_anchor"), bool):
        return 0 if config.flag("sample_from_anchor") else 1
    return _unused_positions(config)


def _unused_positions(config: BlockConfig) -> int:
    """Positions of the block that predict nothing, by the tokens that an older checkpoint says it proposes."""
    methods = find_section(config.fields, "speculators_config").get("proposal_methods")
    method = methods[0] if isinstance(methods, list) and methods and isinstance(methods[0], dict) else {}
    num_proposed = method.get("speculative_tokens")
    if num_proposed is None:
        return 1
    unused = config.number("block_size") - num_proposed if isinstance(num_proposed, int) else -1
    if unused not in (0, 1):
        raise config.fault("speculative_tokens", "block_size or one less", num_proposed)
    return unused


def _draft_vocab_size(config: BlockConfig) -> int:
    """0 where it is the whole vocabulary."""
    size = find_number(config.fields, "draft_vocab_size")
    if size > config.number("vocab_size"):
        raise config.fault("draft_vocab_size", "no more than vocab_size")
    return 0 if size == config.number("vocab_size") else size


def _mask_token_id(config: BlockConfig) -> int:
    token_id, vocab_size = config.fields.get("mask_token_id"), config.number("vocab_size")
    if not isinstance(token_id, int) or isinstance(token_id, bool) or not 0 <= token_id < vocab_size:
        raise config.fault("mask_token_id", f"a token below {vocab_size}")
    return token_id


def _embedding_scale(config: BlockConfig, has_embedding: bool) -> float | None:
    """What rows of the embedding are multiplied by; None: as the target does it.

    z-lab's torch code takes the config's number alone. Where it names none, vLLM scales as Gemma 4 does itself
    (https://github.com/vllm-project/vllm/pull/41703), which is 1 for other targets.
    """
    if config.architecture == "Gemma4DSparkModel":
        return config.number("hidden_size") ** 0.5
    if has_embedding or config.packaging is Packaging.SPECULATORS:
        return 1.0
    return config.real("input_embedding_scale", 0.0) or None


def _read_heads(config: BlockConfig, files: DrafterFiles) -> Heads:
    """What the config declares; where it is silent, what there are tensors for."""
    rank = find_number(config.fields, "markov_rank")
    if "markov_rank" not in config.fields and MARKOV_TENSOR in files.tensors:
        rank = files.tensors[MARKOV_TENSOR].shape[-1]
    has_confidence = config.flag("enable_confidence_head", CONFIDENCE_TENSOR in files.tensors)
    reads_markov = has_confidence and config.flag("confidence_head_with_markov", rank > 0)
    if reads_markov and not rank:
        raise config.fault("markov_rank", "a number above 0 for a confidence head that reads the Markov head")
    return Heads(
        markov=config.choice("markov_head_type", HEAD_KINDS, HEAD_KINDS[0]) if rank else "",
        markov_rank=rank,
        has_confidence=has_confidence,
        confidence_reads_markov=reads_markov,
    )
