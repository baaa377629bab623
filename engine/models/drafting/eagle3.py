"""EAGLE-3 heads by their headers: a decoder layer that reads three to five of the target's layers at once. No MLX.

Source: Li et al. 2025, arXiv:2503.01840. Three layouts are read: that of speculators, that of SafeAILab, SpecForge and
AngelSlim (a llama's config, `midlayer.`), and that of DeepSpec (Qwen3 and Gemma 4, with all of the target's tokens).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.models.drafting.eagle3_layer import MIDLAYER, Eagle3Layer, read_layer, read_windows
from engine.models.drafting.fields import MOST_PARTS, Fields
from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.spec import EMBEDDING, OFFSETS, TAPS, DrafterSpec
from engine.models.drafting.speculators import proposed_tokens
from engine.models.drafting.taps import read_taps
from engine.models.drafting.target import TargetShape
from engine.models.drafting.tensors import Shape, check_tensors, num_bytes_of, quantisation_of
from engine.models.errors import DrafterError

KIND = "eagle3"
DEFAULT_DEPTH = 4  # tokens of a chain where the files do not say how many it was trained for

_DEEPSPEC = ("Qwen3Eagle3Model", "Gemma4Eagle3Model")
_UNREAD = ("t2d", r"verifier_.*", r".*rotary_emb\.inv_freq")
_EMBEDDING = "embed_tokens.weight"
_AUXILIARY = "eagle_aux_hidden_state_layer_ids"


@dataclass(frozen=True, slots=True, kw_only=True)
class Eagle3Spec(DrafterSpec):
    """What the forward of a head needs; `names` gives each of our parameters its name in the checkpoint."""

    names: Mapping[str, str]
    layer: Eagle3Layer
    windows: tuple[int | None, ...]  # tokens that each layer sees; None for all
    num_taps: int
    softcap: float  # of the logits; 0.0 for none
    norms_taps: str  # before `fc`: "" for not at all, "together" or "each"
    residual_is_normed: bool
    chains_normed: bool  # whether a chained step reads the output after the final norm

    @property
    def num_draft_tokens(self) -> int:
        """Rows of its head."""
        return self.draft_vocab_size or self.vocab_size

    @property
    def has_embedding(self) -> bool:
        return EMBEDDING not in self.needs

    @property
    def embed_scale(self) -> float:
        """What rows of its own embedding are multiplied by."""
        return self.layer.width**0.5 if self.layer.is_sandwich else 1.0

    def reads_tokens(self, layer: int) -> bool:
        """Whether a layer reads the token's embedding beside the hidden state; the first always does."""
        return f"layers.{layer}.hidden_norm.weight" in self.names


def recognises(files: DrafterFiles) -> bool:
    """Whether this is an EAGLE-3 head: no other kind norms the hidden state inside its layer.

    What speculators calls otherwise is none, however alike its tensors are. Raises DrafterError for what is not known.
    """
    if algorithm := files.algorithm:
        return algorithm == KIND
    marks = {f"{prefix}hidden_norm.weight" for prefix in ("layers.0.", MIDLAYER)}
    return KIND in _architecture(files.config).lower() or not marks.isdisjoint(files.tensors)


def read_spec(files: DrafterFiles, target: TargetShape | None) -> Eagle3Spec:
    """Read and check a head; DrafterError names the field or the tensor that is wrong.

    Without a target, taps that the files do not name stay unknown.
    """
    if files.algorithm not in ("", KIND):
        raise DrafterError(
            f"the drafter in {str(files.folder)!r} is of the kind {files.algorithm!r} and no EAGLE-3 head; choose it "
            f"as 'auto:{files.folder}'"
        )
    outer = Fields(files.config)
    inner = outer.section("transformer_layer_config")
    fields = inner if inner.values else outer
    if outer.flag("parallel_drafting"):  # P-EAGLE
        raise outer.fault("parallel_drafting", "false, for a head that drafts one token after the other")
    layer, vocab_size = read_layer(files, fields), fields.number("vocab_size")
    hidden_size = outer.optional_number("target_hidden_size", layer.width)
    tap_layers = _tap_layers(outer, target)
    spec = Eagle3Spec(
        kind=KIND,
        name=files.name,
        hidden_size=hidden_size,
        vocab_size=vocab_size,
        tap_layers=tap_layers,
        depth=outer.optional_number("ttt_length", most=MOST_PARTS) or proposed_tokens(outer) or DEFAULT_DEPTH,
        needs=frozenset((TAPS,) if _EMBEDDING in files.tensors else (TAPS, EMBEDDING)),
        num_target_layers=outer.optional_number("num_target_layers", most=MOST_PARTS),
        draft_vocab_size=_draft_vocab_size(outer, vocab_size),
        context_length=fields.optional_number("max_position_embeddings"),
        thinks=False if _architecture(files.config) in _DEEPSPEC else None,
        names={},
        layer=layer,
        windows=read_windows(fields),
        num_taps=len(tap_layers) or _num_columns(files, "fc.weight") // hidden_size,
        softcap=fields.real("final_logit_softcapping", 0.0) if layer.is_sandwich else 0.0,
        norms_taps="together" if outer.flag("norm_before_fc") else "each" if outer.flag("fc_norm") else "",
        residual_is_normed=outer.flag("norm_before_residual"),
        chains_normed=outer.flag("norm_output"),
    )
    return _with_tensors(spec, files)


def _with_tensors(spec: Eagle3Spec, files: DrafterFiles) -> Eagle3Spec:
    """The spec with its tensors' names, once all of them have the shape that they must have."""
    if not spec.has_embedding and spec.layer.width != spec.hidden_size:
        raise DrafterError(
            f"the drafter {spec.name!r} has no {_EMBEDDING!r}, and its hidden size ({spec.layer.width:,}) is not its "
            f"target's ({spec.hidden_size:,}); download the drafter again"
        )
    names: dict[str, str] = {}
    expected: dict[str, Shape] = {}
    for ours, published, shape in _parameters(spec, files):
        names[ours], expected[published] = published, shape
    if spec.draft_vocab_size or OFFSETS in files.tensors:
        expected[OFFSETS] = (spec.num_draft_tokens,)
    check_tensors(files, expected, _UNREAD)
    layer = spec.layer
    return replace(
        spec,
        names=names,
        weight_bytes=num_bytes_of(files, names.values()),
        kv_elements_per_token=2 * spec.windows.count(None) * layer.num_kv_heads * layer.head_size,
        quantisation=quantisation_of(files, (name for name in names.values() if name.endswith("proj.weight"))),
    )


def _parameters(spec: Eagle3Spec, files: DrafterFiles) -> Iterator[tuple[str, str, Shape]]:
    """Our name, the published name and the dense shape of every parameter."""
    width = spec.layer.width
    shapes: dict[str, Shape] = {
        "fc.weight": (width, spec.num_taps * spec.hidden_size),
        "norm.weight": (width,),
        "lm_head.weight": (spec.num_draft_tokens, width),
    }
    if spec.has_embedding:
        shapes[_EMBEDDING] = (spec.vocab_size, width)
    if spec.norms_taps == "together":
        shapes["input_norm.weight"] = (spec.num_taps * spec.hidden_size,)
    if spec.norms_taps == "each":
        shapes |= {f"fc_norm.{tap}.weight": (spec.hidden_size,) for tap in range(spec.num_taps)}
    for name, shape in shapes.items():
        yield name, name, shape
    has_midlayer = f"{MIDLAYER}hidden_norm.weight" in files.tensors
    for index in range(len(spec.windows)):
        ours = f"layers.{index}."
        theirs = MIDLAYER if has_midlayer and index == 0 else ours
        reads_tokens = index == 0 or f"{theirs}hidden_norm.weight" in files.tensors
        for name, shape in spec.layer.shapes(reads_tokens).items():
            yield ours + name, theirs + name, shape


def _architecture(config: Mapping[str, Any]) -> str:
    names = config.get("architectures")
    return str(names[0]) if isinstance(names, list) and names else ""


def _tap_layers(outer: Fields, target: TargetShape | None) -> tuple[int, ...]:
    """Layers whose outputs it reads. DeepSpec and SpecForge count outputs, speculators the layers' inputs.

    Where nothing is said, the three that SafeAILab's heads read, for a target whose layers are known.
    """
    num_layers = outer.optional_number("num_target_layers", most=MOST_PARTS)
    inner = outer.section("eagle_config")
    for fields, name in ((outer, "target_layer_ids"), (inner, _AUXILIARY), (outer, _AUXILIARY)):
        if fields.has(name) and fields.values[name] != []:
            counts_inputs = fields is outer and name == _AUXILIARY
            return read_taps(fields, name, num_layers, counts_inputs=counts_inputs)
    return (1, target.num_layers // 2 - 1, target.num_layers - 4) if target else ()


def _draft_vocab_size(outer: Fields, vocab_size: int) -> int:
    """0 where it proposes every token."""
    size = outer.optional_number("draft_vocab_size", vocab_size)
    if size > vocab_size:
        raise outer.fault("draft_vocab_size", f"no more than vocab_size, {vocab_size:,}")
    return 0 if size == vocab_size else size


def _num_columns(files: DrafterFiles, name: str) -> int:
    """Of a matrix that may be packed; 0 where it is not there."""
    info, packing = files.tensors.get(name), files.packing(name.removesuffix(".weight"))
    columns = info.shape[-1] if info and info.shape else 0
    return columns * 32 // packing.bits if packing else columns
