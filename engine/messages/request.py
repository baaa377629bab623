"""What a request asks for: a conversation and how to sample."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation; `token_ids` are the ids that `text` was generated as, if it was.

    `opening` is what the prompt wrote of a reply before its text, as Began told it: the reply begins in its reasoning.
    """

    role: str  # "system", "user" or "assistant"
    text: str
    token_ids: tuple[int, ...] = ()
    tokenizer_id: str = ""  # identity of the tokenizer that `token_ids` belong to
    opening: str = ""  # such as "<think>"


@dataclass(frozen=True, slots=True)
class KvScheme:
    """How layers that attend to everything keep keys and values: quantised to `bits` in groups of `group_size` numbers
    for the tokens from position `start` on; 0 bits: not at all."""

    bits: int = 0  # 0, 4 or 8
    group_size: int = 64  # 32, 64 or 128
    start: int = 0


UNQUANTISED = KvScheme()


@dataclass(frozen=True, slots=True)
class Grammar:
    """What a reply's text must be: it ends where the grammar is complete."""

    kind: str  # "json_schema" or "regex"
    text: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How one reply is sampled; the noise of a draw depends on (seed, position in the reply) alone.

    Rules apply in the order bias, penalties, grammar, top-p, min-p, top-k, temperature; the defaults switch them off.
    """

    temperature: float = 0.0  # 0 is greedy
    seed: int = 0  # 0 <= seed < 2**63
    max_tokens: int = 2048  # tokens that this request may add
    stops: tuple[str, ...] = ()
    top_p: float = 1.0  # 0 < top_p <= 1
    top_k: int = 0  # 0 is off
    min_p: float = 0.0  # 0 <= min_p <= 1
    repetition_penalty: float = 1.0  # divides the logits of tokens seen before where positive, else multiplies them
    presence_penalty: float = 0.0  # is taken off once
    frequency_penalty: float = 0.0  # is taken off once for each time
    penalty_window: int = 20  # latest tokens, the prompt's too, that the three penalties look at
    logit_bias: tuple[tuple[int, float], ...] = ()  # (token id, what is added to its logit)
    num_logprobs: int = 0  # most probable tokens told with each delivered one; 0 tells nothing
    grammar: Grammar | None = None


GREEDY = Sampling()
