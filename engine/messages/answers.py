"""Answers to questions about models and prompts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model folder from its files alone."""

    target: str  # the path as it was asked for
    folder: str  # the folder with config.json
    name: str
    model_type: str
    context_length: int  # tokens
    vocab_size: int
    num_layers: int
    quantisation: str  # "4-bit", "bf16", …
    weight_bytes: int
    kv_bytes_per_token: int  # of one row, in the type that the target runs in
    tokenizer_id: str
    has_template: bool
    batch_refusal: str = ""  # why its rows run alone and without a drafter; "" where they need not


@dataclass(frozen=True, slots=True)
class TokenCount:
    num_tokens: int
    context_length: int


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    weight_bytes: int
    drafter_bytes: int  # its weights and its own rows
    kv_bytes: int
    available_bytes: int  # memory of this machine that the process may still take


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    text: str
    num_tokens: int
    render_seconds: float
