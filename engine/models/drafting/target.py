"""What of a target's shape decides whether a drafter fits it. No MLX."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.messages import ModelFacts
from engine.models.architecture import find_number, text_config
from engine.models.facts import read_config


@dataclass(frozen=True, slots=True)
class TargetShape:
    """A target by its files."""

    name: str
    folder: Path
    model_type: str
    hidden_size: int
    num_layers: int
    vocab_size: int
    tokenizer_id: str
    config: dict[str, Any]  # with the language model's values on top
    batch_refusal: str = ""


def target_shape(facts: ModelFacts) -> TargetShape:
    """Raises ModelError where the target's config can no longer be read."""
    folder = Path(facts.folder)
    config = text_config(read_config(folder))
    return TargetShape(
        name=facts.name,
        folder=folder,
        model_type=facts.model_type,
        hidden_size=find_number(config, "hidden_size", "n_embd", "d_model"),
        num_layers=facts.num_layers,
        vocab_size=facts.vocab_size,
        tokenizer_id=facts.tokenizer_id,
        config=config,
        batch_refusal=facts.batch_refusal,
    )
