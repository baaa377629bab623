"""The config.json of a block drafter, whoever packaged it: which it is, and its fields in one place. No MLX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from engine.models.architecture import find_section
from engine.models.drafting.fields import required_number
from engine.models.drafting.files import DrafterFiles
from engine.models.errors import DrafterError


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
    fields: dict[str, Any]
    architecture: str
    folder: str

    def number(self, name: str) -> int:
        """A whole number that has to be there and above 0."""
        return required_number(self.fields, name)

    def real(self, name: str, default: float) -> float:
        value = self.fields.get(name)
        return default if value is None else self.as_real(name, value)

    def as_real(self, name: str, value: Any) -> float:
        if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
            raise self.fault(name, "a number above 0", value)
        return float(value)

    def indices(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers that has to be there and not empty."""
        value = self.fields.get(name)
        items = value if isinstance(value, list) else []
        if not items or not all(isinstance(item, int) and not isinstance(item, bool) for item in items):
            raise self.fault(name, "a list of layers")
        return tuple(items)

    def choice(self, name: str, choices: Sequence[str], default: str) -> str:
        value = self.fields.get(name, default)
        if value not in choices:
            raise self.fault(name, " or ".join(map(repr, choices)))
        return str(value)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.fields.get(name)
        return default if value is None else bool(value)

    def fault(self, name: str, needed: str, value: Any = None) -> DrafterError:
        """What to raise for a field that is missing or means something that cannot be computed."""
        found = self.fields.get(name) if value is None else value
        return DrafterError(
            f"config.json of the drafter in {self.folder!r} has {name} = {found!r}, and {needed} is needed; "
            "choose a drafter of a kind that is known"
        )


def is_block_config(config: dict[str, Any]) -> bool:
    """Whether a config is a block drafter's, be it one that is refused."""
    names = " ".join(map(str, config.get("architectures") or ()))
    return (
        "DFlash" in names
        or "DSpark" in names
        or "dspark_block_size" in config
        or bool(find_section(config, "dflash_config"))
        or _algorithm(config).startswith(_ALGORITHMS)
    )


def read_config(files: DrafterFiles) -> BlockConfig:
    """DrafterError names the field that tells of another kind of drafter."""
    architectures = files.config.get("architectures")
    architecture = str(architectures[0]) if isinstance(architectures, list) and architectures else ""
    fields = _lifted(files.config)
    packaging = _packaging(files, architecture)
    config = BlockConfig(packaging, fields, architecture, str(files.folder))
    for name in _REFUSED:
        if fields.get(name):
            raise config.fault(name, "a drafter without it")
    if str(fields.get("model_type")).startswith(_REFUSED_TYPES):
        raise config.fault("model_type", "Qwen 3's or Gemma 4's layers ('qwen3', 'gemma4')")
    return config


def _packaging(files: DrafterFiles, architecture: str) -> Packaging:
    algorithm = _algorithm(files.config)
    if algorithm in _ALGORITHMS:
        return Packaging.SPECULATORS
    if algorithm or architecture not in _ARCHITECTURES:
        name, found = ("speculators_model_type", algorithm) if algorithm else ("architectures", architecture)
        known = ", ".join(map(repr, _ALGORITHMS if algorithm else _ARCHITECTURES))
        raise DrafterError(
            f"config.json of the drafter in {str(files.folder)!r} has {name} = {found!r}; known are {known}: choose "
            "a drafter of one of these"
        )
    if find_section(files.config, "dflash_config").get("projector_type") == "dspark":
        return Packaging.SPECFORGE
    return _ARCHITECTURES[architecture]


def _algorithm(config: dict[str, Any]) -> str:
    """What speculators calls the drafter; "" where another wrote it."""
    named = config.get("speculators_model_type") or find_section(config, "speculators_config").get("algorithm")
    return str(named or "")


def _lifted(config: dict[str, Any]) -> dict[str, Any]:
    """speculators nests the layers, z-lab's second schema and SpecForge what is the drafter's own."""
    layers = find_section(config, "transformer_layer_config")
    own = {name: value for name, value in config.items() if not (layers and name == "model_type")}
    return layers | own | find_section(config, "dflash_config")
