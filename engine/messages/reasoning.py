"""The tags that enclose reasoning, as models write them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReasoningTags:
    """What stands before and after reasoning in a model's replies, such as "<think>" and "</think>"."""

    opening: str
    closing: str


# Those of models whose tokenizers need not say so: Qwen and DeepSeek, Seed-OSS, LongCat, Magistral, Gemma 4, Kimi, …
KNOWN_TAGS = (
    *(
        ReasoningTags(f"<{name}>", f"</{name}>")
        for name in ("think", "thinking", "thought", "reasoning", "seed:think", "longcat_think")
    ),
    ReasoningTags("[THINK]", "[/THINK]"),
    ReasoningTags("<|channel>thought", "<channel|>"),
    ReasoningTags("<|think:start|>", "<|think:end|>"),
    ReasoningTags("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    ReasoningTags("◁think▷", "◁/think▷"),
)
