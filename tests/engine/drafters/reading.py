"""Tiny pairs of a target and a drafter that reads it: every kind on targets with full, window and recurrent layers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engine.drafters.tiny_assistant import tiny_assistant
from tests.engine.drafters.tiny_block import tiny_dflash, tiny_dspark
from tests.engine.drafters.tiny_eagle3 import tiny_eagle3
from tests.engine.drafters.tiny_mtp import tiny_mtp
from tests.engine.tiny import tiny_folder

# Model type to what its tiny target differs in; windows are shorter than the texts, and no text ends early.
TARGETS: dict[str, dict[str, Any]] = {
    "llama": {"num_hidden_layers": 4},  # full attention
    "gemma3_text": {"num_hidden_layers": 4, "layer_types": None},  # windows
    "gemma4_text": {},  # windows, and layers that share keys and values
    "qwen3_5": {"seed": 1, "num_hidden_layers": 4},  # recurrent
    "glm4_moe": {"seed": 1},  # experts
    "deepseek_v3": {"seed": 2},  # latent attention
}
WRITERS = {
    "assistant": tiny_assistant,
    "dflash": tiny_dflash,
    "dspark": tiny_dspark,
    "eagle3": tiny_eagle3,
    "mtp": tiny_mtp,
}
TAPPED = ("llama", "gemma3_text", "qwen3_5")
PAIRS = (
    *((kind, target) for kind in ("dflash", "dspark", "eagle3") for target in TAPPED),
    ("assistant", "gemma4_text"),
    *(("mtp", target) for target in ("qwen3_5", "glm4_moe", "deepseek_v3")),
)

KINDS = frozenset(kind for kind, _ in PAIRS)


@dataclass(frozen=True, slots=True)
class Pair:
    """Folders of a tiny target and of a drafter with random weights, and the name that chooses it."""

    target: Path
    drafter: Path
    name: str


def tiny_pair(folder: Path, kind: str, model_type: str) -> Pair:
    target = tiny_folder(folder / model_type, model_type, **TARGETS[model_type])
    drafter = WRITERS[kind](folder / kind, target)
    return Pair(target, drafter, f"{kind}:{drafter}")
