"""The config.json of a block drafter, whoever packaged it: which it is, and its fields in one place. No MLX."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from engine.models.architecture import find_section
from engine.models.drafting.fields import Fields
from engine.models.drafting.files import DrafterFiles


class Packaging(Enum):
    """Who writes such a checkpoint; it decides what its fields mean."""

    ZLAB = "z-lab"
    DEEPSPEC = "DeepSpec"
    SPECFORGE = "SpecForge"
    SPECULATORS = "speculators"


_ARCHITECTURES = {
    "DFlashDraftModel": Packaging.ZLAB,
    "Qwen3DSparkModel": Packaging.DEEPSPEC,
    "Gemma4DSparkModel": Packaging.DEEPSPEC,
    "DSparkDraftModel": Packaging.SPECFORGE,
    "Lfm2DSparkDraftModel": Packaging.SPECFORGE,
}
_ALGORITHMS = ("dflash", "dspark")

# Fields of drafters that are like these and compute something else; each would only show as a low acceptance.
_REFUSED = (
    "attention_sink_bias",  # Nemotron
    "dflash_query_causal",
    "causal",
    "conv_kernel_size",  # DFlash-2
    "selector_rank",
    "log_snr_conditioning",  # Bonsai
    "enable_qwen35_gated_q_proj",  # Ornith
    "enable_moe_block",
    "hidden_size_per_layer_input",
    "dspark_block_size",  # a whole DeepSeek-V4 with a drafter inside
)
_REFUSED_TYPES = ("laguna", "nemotron", "deepseek")


@dataclass(frozen=True, slots=True)
class BlockConfig:
    """`fields`: nested values lifted to the top, where the inner ones win."""

    packaging: Packaging
    fields: Fields
    architecture: str


def is_block_config(files: DrafterFiles) -> bool:
    """Whether a config is a block drafter's, be it one that is refused.

    Raises DrafterError where speculators calls it something that is not known.
    """
    if algorithm := files.algorithm:
        return algorithm in _ALGORITHMS
    config, names = files.config, " ".join(_architectures(files.config))
    return (
        "DFlash" in names
        or "DSpark" in names
        or "dspark_block_size" in config
        or bool(find_section(config, "dflash_config"))
    )


def read_config(files: DrafterFiles) -> BlockConfig:
    """DrafterError names the field that tells of another kind of drafter."""
    architecture = (*_architectures(files.config), "")[0]
    packaging, fields = _packaging(files, architecture), Fields(_lifted(files.config))
    for name in _REFUSED:
        if fields.values.get(name):
            raise fields.fault(name, "absent, for a drafter of a kind that is known")
    if str(fields.values.get("model_type")).startswith(_REFUSED_TYPES):
        raise fields.fault("model_type", "that of Qwen 3's or Gemma 4's layers, such as 'qwen3' or 'gemma4'")
    return BlockConfig(packaging, fields, architecture)


def _packaging(files: DrafterFiles, architecture: str) -> Packaging:
    if files.algorithm in _ALGORITHMS:
        return Packaging.SPECULATORS
    Fields({"architectures": architecture}).choice("architectures", sorted(_ARCHITECTURES))
    if find_section(files.config, "dflash_config").get("projector_type") == "dspark":
        return Packaging.SPECFORGE
    return _ARCHITECTURES[architecture]


def _architectures(config: dict[str, Any]) -> tuple[str, ...]:
    names = config.get("architectures")
    return tuple(map(str, names)) if isinstance(names, list) else ()


def _lifted(config: dict[str, Any]) -> dict[str, Any]:
    """speculators nests the layers, z-lab's second schema and SpecForge what is the drafter's own."""
    sections = Fields(config)
    layers = sections.section("transformer_layer_config").values
    own = {name: value for name, value in config.items() if not (layers and name == "model_type")}
    return {**layers, **own, **sections.section("dflash_config").values}
