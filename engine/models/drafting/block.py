"""Block drafters by their headers: which there are, and what their mathematics needs. No MLX.

DFlash (z-lab, arXiv:2602.06036) and DSpark (DeepSeek's DeepSpec) project tapped layers of the target to keys and values
of their own, and write a whole block of tokens in one forward.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

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
from engine.models.drafting.fields import MOST_PARTS
from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.spec import EMBEDDING, HEAD, OFFSETS, TAPS
from engine.models.drafting.speculators import proposed_tokens
from engine.models.drafting.taps import read_taps
from engine.models.drafting.target import TargetShape
from engine.models.drafting.tensors import check_tensors, num_bytes_of, quantisation_of

_PREFIX = "model."  # before the names of some conversions


MOST_BLOCK = 64  # tokens; published drafters have at most 16, and a forward over many more drafts them in vain


def recognises(files: DrafterFiles) -> bool:
    """Whether a folder holds a block drafter, be it one that is refused."""
    return is_block_config(files)


def read_spec(files: DrafterFiles, target: TargetShape | None) -> BlockSpec:
    """DrafterError names the field or tensor that is wrong; nothing that is read depends on the target."""
    config = read_config(files)
    fields, layers, heads = config.fields, read_layers(config), _read_heads(config, files)
    has_embedding, has_head = _has_own(files, config, EMBEDDING_TENSOR), _has_own(files, config, HEAD_TENSOR)
    first, block_size = _first_prediction(config), fields.number("block_size", most=MOST_BLOCK)
    num_full = sum(reach.window is None for reach in layers.reaches)
    draft_vocab_size = _draft_vocab_size(config)
    spec = BlockSpec(
        kind="dspark" if heads.markov or heads.has_confidence else "dflash",
        name=files.name,
        hidden_size=fields.number("hidden_size"),
        vocab_size=fields.number("vocab_size"),
        tap_layers=_read_tap_layers(config),
        depth=block_size - first,
        needs=frozenset([TAPS, *[EMBEDDING] * (not has_embedding), *[HEAD] * (not has_head)]),
        num_target_layers=fields.optional_number("num_target_layers", most=MOST_PARTS),
        draft_vocab_size=draft_vocab_size,
        block_size=block_size,
        kv_elements_per_token=2 * layers.num_kv_heads * layers.head_size * num_full,
        context_length=fields.number("max_position_embeddings"),
        thinks=False if config.packaging is Packaging.DEEPSPEC else None,  # DeepSpec trains on replies without thinking
        layers=layers,
        heads=heads,
        mask_token_id=_mask_token_id(config),
        first_prediction=first,
        window_from_anchor=config.packaging is Packaging.SPECULATORS,
        has_embedding=has_embedding,
        has_head=has_head,
        has_offsets=draft_vocab_size > 0 or OFFSETS in files.tensors,
        embedding_scale=_embedding_scale(config, has_embedding),
        softcap=fields.real("final_logit_softcapping", 0.0) or None if layers.is_gemma else None,
    )
    return _checked(spec, files)


def published_names(files: DrafterFiles, names: Iterable[str]) -> dict[str, str]:
    """The name in the files of each tensor, which some conversions write in front with a prefix."""
    return {name: name if name in files.tensors or not _has(files, name) else _PREFIX + name for name in names}


def _has(files: DrafterFiles, tensor: str) -> bool:
    return tensor in files.tensors or _PREFIX + tensor in files.tensors


def _checked(spec: BlockSpec, files: DrafterFiles) -> BlockSpec:
    """The spec, once every tensor is what it must be, with what these take."""
    shapes = expected_tensors(spec)
    tensors = {published: shapes[name] for name, published in published_names(files, shapes).items()}
    check_tensors(files, tensors, IGNORED)
    return replace(spec, weight_bytes=num_bytes_of(files, tensors), quantisation=quantisation_of(files, tensors))


def _has_own(files: DrafterFiles, config: BlockConfig, tensor: str) -> bool:
    """DeepSpec's drafters bring embedding and head unless they say no; others leave out what is the target's.

    A head of a part of the vocabulary is nobody else's.
    """
    is_head = tensor == HEAD_TENSOR
    if config.packaging is Packaging.DEEPSPEC:
        return not is_head or config.fields.flag("has_lm_head", True)
    return _has(files, tensor) or (is_head and _draft_vocab_size(config) > 0)


def _read_tap_layers(config: BlockConfig) -> tuple[int, ...]:
    """speculators counts a layer's input, all others its output."""
    fields = config.fields
    num_layers = fields.optional_number("num_target_layers", most=MOST_PARTS)
    if config.packaging is Packaging.SPECULATORS:
        return read_taps(fields, "aux_hidden_state_layer_ids", num_layers, counts_inputs=True)
    if config.packaging is Packaging.ZLAB and not fields.has("target_layer_ids"):
        return spread_layers(fields.number("num_target_layers"), fields.number("num_hidden_layers", most=MOST_PARTS))
    return read_taps(fields, "target_layer_ids", num_layers)


def spread_layers(num_target_layers: int, num_layers: int) -> tuple[int, ...]:
    """The layers that z-lab taps where a config names none: from the second to the last but three, evenly."""
    if num_layers == 1:
        return (num_target_layers // 2,)
    span = num_target_layers - 4
    return tuple(round(1 + index * span / (num_layers - 1)) for index in range(num_layers))


def _first_prediction(config: BlockConfig) -> int:
    """Whether the pending token's own position predicts (0), or the first masked one (1)."""
    fields, is_zlab = config.fields, config.packaging is Packaging.ZLAB
    if config.packaging is Packaging.SPECULATORS and not fields.has("sample_from_anchor"):
        return _unused_positions(config)
    return 0 if fields.flag("sample_from_anchor", not is_zlab) else 1


def _unused_positions(config: BlockConfig) -> int:
    """Positions of the block that predict nothing, by the tokens that an older checkpoint says it proposes."""
    fields = config.fields
    num_proposed, block_size = proposed_tokens(fields), fields.number("block_size", most=MOST_BLOCK)
    if num_proposed and block_size - num_proposed not in (0, 1):
        raise fields.fault("speculators_config", f"with speculative_tokens of block_size, {block_size}, or one less")
    return block_size - num_proposed if num_proposed else 1


def _draft_vocab_size(config: BlockConfig) -> int:
    """0 where it is the whole vocabulary."""
    vocab_size = config.fields.number("vocab_size")
    size = config.fields.optional_number("draft_vocab_size")
    if size > vocab_size:
        raise config.fields.fault("draft_vocab_size", f"no more than vocab_size, {vocab_size:,}")
    return 0 if size == vocab_size else size


def _mask_token_id(config: BlockConfig) -> int:
    token_id, vocab_size = config.fields.values.get("mask_token_id"), config.fields.number("vocab_size")
    if not isinstance(token_id, int) or isinstance(token_id, bool) or not 0 <= token_id < vocab_size:
        raise config.fields.fault("mask_token_id", f"a token below {vocab_size:,}")
    return token_id


def _embedding_scale(config: BlockConfig, has_embedding: bool) -> float | None:
    """What rows of the embedding are multiplied by; None: as the target does it.

    z-lab's torch code takes the config's number alone. Where it names none, vLLM scales as Gemma 4 does itself
    (https://github.com/vllm-project/vllm/pull/41703), which is 1 for other targets.
    """
    if config.architecture == "Gemma4DSparkModel":
        return config.fields.number("hidden_size") ** 0.5
    if has_embedding or config.packaging is Packaging.SPECULATORS:
        return 1.0
    return config.fields.real("input_embedding_scale", 0.0) or None


def _read_heads(config: BlockConfig, files: DrafterFiles) -> Heads:
    """What the config declares; where it is silent, what there are tensors for."""
    fields = config.fields
    rank = fields.optional_number("markov_rank")
    if not fields.has("markov_rank"):
        rank = _num_columns(files, MARKOV_TENSOR)
    has_confidence = fields.flag("enable_confidence_head", _has(files, CONFIDENCE_TENSOR))
    reads_markov = has_confidence and fields.flag("confidence_head_with_markov", rank > 0)
    if reads_markov and not rank:
        raise fields.fault("markov_rank", "a number above 0 for a confidence head that reads the Markov head")
    return Heads(
        markov=fields.choice("markov_head_type", HEAD_KINDS, HEAD_KINDS[0]) if rank else "",
        markov_rank=rank,
        has_confidence=has_confidence,
        confidence_reads_markov=reads_markov,
    )


def _num_columns(files: DrafterFiles, tensor: str) -> int:
    """0 where it is not there."""
    info = files.tensors.get(published_names(files, [tensor])[tensor])
    return info.shape[-1] if info and info.shape else 0
