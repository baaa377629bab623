"""Native MTP heads by their headers: a layer that some models were trained with to foretell the token after next.

Heads lie in the checkpoint of the whole model, which may be named for any conversion of it, or in a folder of their
own. Source: DeepSeek-V3, arXiv:2412.19437, section 2.2. No MLX.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine.models.architecture import context_length, find_number, num_layers, text_config
from engine.models.drafting.fields import MOST_PARTS, Fields, required_number
from engine.models.drafting.files import DrafterFiles
from engine.models.drafting.mtp_families import (
    FAMILIES,
    SIDECAR_TYPES,
    Config,
    MtpFamily,
    MtpLayout,
    layer_shapes,
    layout_of,
    outer_shapes,
)
from engine.models.drafting.spec import EMBEDDING, HEAD, HIDDEN, DrafterSpec
from engine.models.drafting.target import TargetShape
from engine.models.drafting.tensors import FLOATS, Shape, check_tensors, damaged, num_bytes_of, quantisation_of
from engine.models.errors import DrafterError
from engine.models.safetensors_file import TensorInfo, read_metadata
from engine.models.state_size import kept_by_full_attention

KIND = "mtp"
DEPTH = 4  # tokens of a chain; a head that was trained for one is worth that many where text is easy
FP8 = "F8_E4M3"
FP8_SCALE = "_scale_inv"  # behind the name of a matrix of such numbers: a factor for each block of
FP8_BLOCK = 128  # rows and columns
_KNOWN = {"hidden_act": ("silu",), "topk_method": ("noaux_tc",), "scoring_func": ("sigmoid",)}  # what mlx-lm computes
_ROPE_TYPES = ("default", "linear", "llama3", "yarn", "deepseek_yarn", "mrope")
_UNCHECKED = (".mlp.gate.", ".indexer.")  # parts that some publish in a finer type than the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class MtpSpec(DrafterSpec):
    """What the forward of a head needs."""

    model_type: str  # of the target that it belongs to
    config: Config  # that of the target, as the head's folder tells it
    num_layers: int
    names: Mapping[str, str]  # each tensor's name in the module, before experts are stacked, to the one in the files
    has_experts: bool
    has_indexer: bool
    is_zero_centred: bool  # whether the files hold norms as their difference to 1


def recognises(files: DrafterFiles) -> bool:
    """Whether a folder is a head's own, or holds a model that carries one."""
    if files.config.get("model_type") in SIDECAR_TYPES:
        return True
    config = text_config(files.config)
    family = FAMILIES.get(_family_name(config))
    return family is not None and bool(_own_tensors(files, _layout(files, config, family).prefix))


def read_spec(files: DrafterFiles, target: TargetShape | None) -> MtpSpec:
    """Read and check a head; DrafterError names the field or the tensor that is wrong."""
    config = text_config(files.config)
    name = _family_name(config)
    family = FAMILIES.get(name)
    if family is None:
        raise DrafterError(
            f"the model type {name!r} of {files.name!r} is none that has native MTP here ({', '.join(FAMILIES)}); "
            "choose another drafter"
        )
    if target and _generation(target.model_type) != _generation(name):
        raise DrafterError(
            f"{files.name!r} cannot draft for {target.name!r}: it is the head of a {name!r} model, and this one is "
            f"{target.model_type!r}; choose the head of this model"
        )
    layout = _layout(files, config, family)
    head = _head_files(files, config, family, layout)
    fields = _checked_fields(config)
    count = fields.optional_number(family.depth_field, 1, most=MOST_PARTS)
    names, expected = _expect(head, config, family, layout, count)
    check_tensors(head, expected, layout.ignored)
    return MtpSpec(
        kind=KIND,
        name=files.name,
        hidden_size=fields.number("hidden_size"),
        vocab_size=fields.optional_number("vocab_size"),
        tap_layers=(fields.number("num_hidden_layers", most=MOST_PARTS),),
        depth=DEPTH,
        needs=frozenset((HIDDEN, EMBEDDING, HEAD)),
        num_target_layers=fields.number("num_hidden_layers", most=MOST_PARTS),
        block_size=Fields(files.config).optional_number("block_size"),
        weight_bytes=num_bytes_of(files, names.values()),
        kv_elements_per_token=_kv_elements(config, family, count),
        context_length=context_length(config, {}),
        quantisation=_quantisation(files, names),
        model_type=name,
        config=config,
        num_layers=count,
        names=names,
        has_experts=any(".mlp.gate." in own for own in names),
        has_indexer=family.has_indexer,
        is_zero_centred=family.is_zero_centred and not _is_converted(files, layout),
    )


def _checked_fields(config: Config) -> Fields:
    """Fields of the target's config, whose numbers that mlx-lm's layers are built with can be computed with."""
    fields = Fields(config)
    fields.real("rms_norm_eps", 1.0)
    for section in (fields, fields.section("rope_parameters"), fields.section("rope_scaling")):
        section.real("partial_rotary_factor", 1.0, most=1.0)
        for name in ("rope_theta", "factor"):
            section.real(name, 1.0)
        for name in ("rope_type", "type") if section is not fields else ():
            section.choice(name, _ROPE_TYPES, "default")
    for name, known in _KNOWN.items():
        fields.choice(name, known, known[0])
    for name in ("max_position_embeddings", "index_topk"):
        fields.optional_number(name)
    _check_routing(fields)
    return fields


def _check_routing(fields: Fields) -> None:
    """Whether what picks a token's experts can be computed: so many of all, or of those of some groups."""
    most = max(fields.optional_number(name, most=MOST_PARTS) for name in ("n_routed_experts", "num_experts"))
    if most:
        fields.number("num_experts_per_tok", most=most)
        num_groups = fields.optional_number("n_group", 1, most=most)
        fields.optional_number("topk_group", 1, most=num_groups)
        if most % num_groups:
            raise fields.fault("n_group", f"a divisor of {most} experts")
    fields.flag("norm_topk_prob")
    fields.real("routed_scaling_factor", 1.0)


def _family_name(config: Config) -> str:
    """The model type of a text model is that of the whole, and some words."""
    return str(config.get("model_type")).removesuffix("_text")


def _generation(model_type: str) -> str:
    """Models with experts and without are of one; their heads are told apart by their tensors."""
    return model_type.removesuffix("_text").removesuffix("_moe")


def _layout(files: DrafterFiles, config: Config, family: MtpFamily) -> MtpLayout:
    return layout_of(str(files.config.get("model_type")), family, num_layers(config), files.tensors)


def _is_converted(files: DrafterFiles, layout: MtpLayout) -> bool:
    """Whether norms hold what they multiply by: heads cut out by mlx-vlm, and files that MLX's tools wrote, do.

    The head's own file decides, since an original one may lie beside a converted model. Where it does not say what
    wrote it, MLX keeps a convolution's weights with the channels last, of which there is one; so mlx-lm tells, too.
    """
    if not layout.prefix:
        return True
    if form := read_metadata(files.where[f"{layout.prefix}{layout.outer['norm.weight']}"]).get("format"):
        return form == "mlx"
    convolutions = [info for name, info in files.tensors.items() if name.endswith("conv1d.weight")]
    return any(info.shape[-1] == 1 for info in convolutions)


def _own_tensors(files: DrafterFiles, prefix: str) -> dict[str, TensorInfo]:
    return {name: info for name, info in files.tensors.items() if name.startswith(prefix)}


def _head_files(files: DrafterFiles, config: Config, family: MtpFamily, layout: MtpLayout) -> DrafterFiles:
    """The folder as if it held nothing but the head, with matrices of 8-bit floats as what they stand for."""
    tensors = _own_tensors(files, layout.prefix)
    projection = f"{layout.prefix}{layout.outer['eh_proj.weight']}"
    if projection not in tensors:
        count = find_number(config, family.depth_field)
        told = f"its config tells of {count} such layer" if count else f"its config has no {family.depth_field!r}"
        raise DrafterError(
            f"{files.name!r} holds no native MTP head: {told}, and the tensor {projection!r} is not in its files, "
            "where most conversions leave it out; name the folder of the original model, or one of the head alone"
        )
    usual = tensors[projection].dtype
    dense = {name: info for name, info in tensors.items() if not name.endswith(FP8_SCALE)}
    for name, info in dense.items():
        if info.dtype == FP8:
            _check_scales(tensors, name, files)
            dense[name] = replace(info, dtype="BF16" if usual == FP8 else usual)
        elif len(info.shape) > 1 and info.dtype in ("F32", "BF16", "F16") and any(part in name for part in _UNCHECKED):
            dense[name] = replace(info, dtype=usual if usual in ("F32", "BF16", "F16") else info.dtype)
    return replace(files, tensors=dense)


def _check_scales(tensors: Mapping[str, TensorInfo], name: str, files: DrafterFiles) -> None:
    """A matrix of 8-bit floats has a factor for each block of it."""
    shape = tensors[name].shape
    if len(shape) != 2:
        raise damaged(files, f"the tensor {name!r} is {list(shape)}, and 8-bit floats must be a matrix")
    needs = tuple(-(-size // FP8_BLOCK) for size in shape)
    found = tensors.get(name + FP8_SCALE)
    if found is None or found.shape != needs or found.dtype not in FLOATS:
        has = "is missing" if found is None else f"is {list(found.shape)}"
        has += f" of {found.dtype}" if found and found.dtype not in FLOATS else ""
        needed = f"{list(needs)}, one factor for {FP8_BLOCK} × {FP8_BLOCK} numbers"
        raise damaged(files, f"the tensor {name + FP8_SCALE!r} {has} and must be {needed}")


def _expect(
    head: DrafterFiles, config: Config, family: MtpFamily, layout: MtpLayout, count: int
) -> tuple[dict[str, str], dict[str, Shape]]:
    """Published names by our own, and the shape of each."""
    if count > 1 and not family.is_zero_centred:
        raise DrafterError(
            f"{head.name!r} has {count} MTP layers ({family.depth_field}), of which each foretells a token further on; "
            "heads of one layer are known here: choose another drafter"
        )
    shapes = {own: (layout.outer[own], shape) for own, shape in outer_shapes(config).items()}
    for index in range(count):
        between = layout.layer.format(index)
        start = layout.prefix + between
        present = {name.removeprefix(start) for name in head.tensors if name.startswith(start)}
        if not present:
            raise damaged(head, f"{family.depth_field} is {count}, and no tensor begins with {start!r}")
        for name, shape in layer_shapes(family, config, present).items():
            shapes[f"layers.{index}.{name}"] = (between + name, shape)
    names = {own: layout.prefix + name for own, (name, _) in shapes.items()}
    return names, {layout.prefix + name: shape for name, shape in shapes.values()}


def _kv_elements(config: Config, family: MtpFamily, count: int) -> int:
    indexed = 2 * required_number(config, "index_head_dim") if family.has_indexer else 0
    return count * (kept_by_full_attention(config) + indexed)


def _quantisation(files: DrafterFiles, names: Mapping[str, str]) -> str:
    label = quantisation_of(files, (name for name in names.values() if "norm" not in name))
    return "fp8" if label == FP8 else label
