"""What a request must hold before it is worth rendering; each check gives a sentence, "" where all is well."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

from engine.messages import Grammar, KvScheme, Sampling, Turn
from engine.text.grammar import KINDS, MAX_LENGTH

ROLES = ("system", "user", "assistant")
KV_BITS = (0, 4, 8)
KV_GROUP_SIZES = (32, 64, 128)
MAX_LOGPROBS = 20
MAX_BIAS = 100.0  # decides alone: more would change nothing
MAX_PENALTY = 2.0
MAX_REPETITION_PENALTY = 10.0
_INVISIBLE = {"Cc", "Cf", "Zs", "Zl", "Zp"}  # controls, formats such as zero-width spaces, separators


def check_turns(turns: Sequence[Turn]) -> str:
    """Refuse a conversation without a question."""
    unknown = [turn.role for turn in turns if turn.role not in ROLES]
    if unknown:
        return f"A message has the role {unknown[0]!r}; choose one of: {', '.join(ROLES)}."
    questions = [turn.text for turn in turns if turn.role == "user"]
    if not questions:
        return "There is no message to answer. Write one first."
    if all(is_invisible(character) for character in questions[-1]):
        return "The message is blank. Write something to answer first."
    return ""


def check_sampling(sampling: Sampling, vocab_size: int) -> str:
    """Refuse settings that no reply can be sampled with."""
    return (
        _check_draw(sampling)
        or _check_filters(sampling)
        or _check_penalties(sampling)
        or _check_bias(sampling.logit_bias, vocab_size)
        or _check_logprobs(sampling.num_logprobs)
        or _check_grammar(sampling.grammar)
    )


def _check_draw(sampling: Sampling) -> str:
    if not (math.isfinite(sampling.temperature) and sampling.temperature >= 0):
        return f"The temperature is {sampling.temperature}; it must be 0 or more."
    if not 0 <= sampling.seed < 2**63:
        return f"The seed is {sampling.seed}; it must be 0 or more and below 2^63."
    if sampling.max_tokens < 1:
        return f"The token limit is {sampling.max_tokens:,}; it must be 1 or more."
    if not all(sampling.stops):
        return "A stop string is empty. Remove it or write one."
    return ""


def _check_filters(sampling: Sampling) -> str:
    if not 0 < sampling.top_p <= 1:
        return f"Top-p is {sampling.top_p}; it must be above 0 and at most 1, where it is off."
    if sampling.top_k < 0:
        return f"Top-k is {sampling.top_k}; it must be 0, where it is off, or more."
    if not 0 <= sampling.min_p <= 1:
        return f"Min-p is {sampling.min_p}; it must be from 0, where it is off, to 1."
    return ""


def _check_penalties(sampling: Sampling) -> str:
    if not 0 < sampling.repetition_penalty <= MAX_REPETITION_PENALTY:
        return (
            f"The repetition penalty is {sampling.repetition_penalty}; "
            f"it must be above 0 and at most {MAX_REPETITION_PENALTY:g}; it is off at 1."
        )
    for name in ("presence_penalty", "frequency_penalty"):
        value = getattr(sampling, name)
        if not -MAX_PENALTY <= value <= MAX_PENALTY:
            label = name.replace("_", " ")
            return f"The {label} is {value}; it must be from {-MAX_PENALTY:g} to {MAX_PENALTY:g}; it is off at 0."
    if sampling.penalty_window < 1:
        return f"The penalties look at {sampling.penalty_window:,} tokens; they must look at 1 or more."
    return ""


def _check_bias(logit_bias: Sequence[tuple[int, float]], vocab_size: int) -> str:
    for token_id, bias in logit_bias:
        if not 0 <= token_id < vocab_size:
            return f"A bias names the token {token_id:,}; this model has tokens from 0 to {vocab_size - 1:,}."
        if not -MAX_BIAS <= bias <= MAX_BIAS:
            return f"The bias of token {token_id:,} is {bias}; it must be from {-MAX_BIAS:g} to {MAX_BIAS:g}."
    if len({token_id for token_id, _ in logit_bias}) < len(logit_bias):
        return "A token has two biases. Remove one."
    return ""


def _check_logprobs(num_logprobs: int) -> str:
    if 0 <= num_logprobs <= MAX_LOGPROBS:
        return ""
    return f"The number of log probabilities is {num_logprobs:,}; it must be from 0 to {MAX_LOGPROBS}."


def _check_grammar(grammar: Grammar | None) -> str:
    if grammar is None:
        return ""
    if grammar.kind not in KINDS:
        return f"A grammar has the kind {grammar.kind!r}; choose one of: {', '.join(KINDS)}."
    if len(grammar.text) > MAX_LENGTH:
        return f"The {KINDS[grammar.kind]} has {len(grammar.text):,} characters; {MAX_LENGTH:,} is the most."
    if not grammar.text.strip():
        return f"The {KINDS[grammar.kind]} is empty. Write one or ask without it."
    return ""


def check_length(num_prompt: int, context_length: int) -> str:
    """Refuse a prompt that leaves no room for a token of the reply."""
    excess = num_prompt + 1 - context_length
    if excess <= 0:
        return ""
    return (
        f"The prompt has {num_prompt:,} tokens; the context holds {context_length:,}, one of them for the reply. "
        f"Remove {excess:,} or choose a longer context."
    )


def check_context(context_length: int) -> str:
    """Refuse a context that nothing fits in."""
    if context_length >= 0:
        return ""
    return f"The context is {context_length:,} tokens; it must be 1 or more, or 0 for as many as the model can."


def choose_context(asked: int, most: int) -> int:
    """Tokens that a prompt and its reply may have together: `most` is what the model can, `asked` 0 leaves it so."""
    return asked if 0 < asked < most else most


def check_kv(kv: KvScheme) -> str:
    """Refuse ways to keep keys and values that no layer has."""
    if kv.bits not in KV_BITS:
        return f"The KV cache has {kv.bits} bits; choose one of: {', '.join(map(str, KV_BITS))} (0 is unquantised)."
    if kv.bits and kv.group_size not in KV_GROUP_SIZES:
        return f"The KV cache has groups of {kv.group_size}; choose one of: {', '.join(map(str, KV_GROUP_SIZES))}."
    if kv.start < 0:
        return f"The KV cache is quantised from token {kv.start} on; it must be 0 or more."
    return ""


def check_tokens(token_ids: Sequence[int], vocab_size: int) -> str:
    """Refuse a prompt with tokens that the model has no row for: it would read whatever lies behind its weights."""
    unknown = max(token_ids, default=0)
    if unknown < vocab_size:
        return ""
    return (
        f"The tokenizer wrote the token {unknown:,}; this model has tokens from 0 to {vocab_size - 1:,}. "
        "Its tokenizer's files belong to another model: download them again."
    )


def is_invisible(character: str) -> bool:
    """Whether a character leaves nothing to see."""
    return character.isspace() or unicodedata.category(character) in _INVISIBLE
