"""The whole interface between app/ and engine/: commands go in, events come out.

Standard library only. Every value is immutable and made of plain Python types, so that any thread may hold it.
A `request_id` is chosen by the sender, is greater than 0 and is never used twice; 0 stands for the engine itself.
"""

from __future__ import annotations

from dataclasses import dataclass

STARTER = "starter"  # the target that stands for the packaged starter model


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation; `token_ids` are the ids that `text` was generated as, if it was."""

    role: str  # "system", "user" or "assistant"
    text: str
    token_ids: tuple[int, ...] = ()
    tokenizer_id: str = ""  # identity of the tokenizer that `token_ids` belong to


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


@dataclass(frozen=True, slots=True)
class LoadModel:
    """Load a target before it is needed; answered by Progress events, then ModelLoaded, Failed or, cancelled, Finished.

    `target` is STARTER or a path: an mlx-lm model folder, a Hugging Face cache entry or a GGUF file.
    """

    request_id: int
    target: str


@dataclass(frozen=True, slots=True)
class Submit:
    """Start one reply; answered by Delta events, then exactly one Finished or Failed.

    Where the last turn is the assistant's, the reply continues it: its tokens are read, not sent again, and positions
    for sampling count from its first token. `drafter` is "none", "ngram", "suffix" or "model:PATH", a path as `target`.
    """

    request_id: int
    conversation_id: str
    target: str
    drafter: str
    turns: tuple[Turn, ...]
    sampling: Sampling


@dataclass(frozen=True, slots=True)
class Cancel:
    """End a request and keep what it delivered; does nothing for an unknown or finished one."""

    request_id: int


@dataclass(frozen=True, slots=True)
class RememberReplies:
    """Let the suffix drafter learn from replies of earlier sessions; for a target that is loaded, else without effect.

    Each is a conversation's id and the ids that one reply was generated as, in the target's tokens, oldest first.
    Replies that the engine itself finishes are remembered without it. No answer.
    """

    target: str
    replies: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True)
class ForgetConversation:
    """Take everything of a conversation out of what drafters learn from, replies that still run too. No answer."""

    conversation_id: str


@dataclass(frozen=True, slots=True)
class CountTokens:
    """Ask how many tokens the prompt of these turns has; answered by Answer(TokenCount) or Failed."""

    request_id: int
    target: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Inspect:
    """Ask what lies at a path without loading it; answered by Answer(ModelFacts) or Failed."""

    request_id: int
    target: str


@dataclass(frozen=True, slots=True)
class EstimateMemory:
    """Ask what a target needs; answered by Answer(MemoryEstimate) or Failed."""

    request_id: int
    target: str
    drafter: str
    context_length: int  # tokens of each row
    num_rows: int


@dataclass(frozen=True, slots=True)
class PreviewTemplate:
    """Ask how turns look in a chat template, the model's own where `template` is empty.

    Answered by Answer(RenderedPrompt) or Failed.
    """

    request_id: int
    target: str
    template: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Shutdown:
    """End every request as cancelled and end the engine."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts and times of one reply so far; `num_prompt` counts tokens read and cached ones alike.

    `num_accepted` counts proposal tokens that were delivered; the target's own token that ends a round is never one.
    `proposed_by_position[i]` counts rounds that proposed more than i tokens.
    `acceptance_length` is the mean of accepted + 1 over rounds that proposed; 0.0 where none did.
    `tokens_per_second` is of decoding: tokens after the first over the time since the first; 0.0 before the second.
    """

    num_prompt: int = 0
    num_cached: int = 0
    num_tokens: int = 0
    num_rounds: int = 0
    num_proposed: int = 0
    num_accepted: int = 0
    proposed_by_position: tuple[int, ...] = ()
    accepted_by_position: tuple[int, ...] = ()
    acceptance_length: float = 0.0
    tokens_per_forward: float = 0.0
    tokens_per_second: float = 0.0
    time_to_first_token_seconds: float = 0.0
    num_rows: int = 0  # rows in the batch in the last round
    depth: int = 0  # most tokens that the drafter was allowed to propose in the last round
    draft_seconds: float = 0.0
    verify_seconds: float = 0.0


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


@dataclass(frozen=True, slots=True)
class ModelLoaded:
    request_id: int
    facts: ModelFacts


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a request is before its first token: `phase` is "waiting", "importing", "loading" or "reading"."""

    request_id: int
    phase: str
    done: int  # bytes, or tokens where phase is "reading"
    total: int


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A delivered token's natural log probability after bias, penalties and grammar, before filters and temperature."""

    token_id: int
    logprob: float
    top: tuple[tuple[int, float], ...]  # the most probable tokens that are allowed there, the greatest first


@dataclass(frozen=True, slots=True)
class Delta:
    """What one round added to a reply; the first `num_accepted` of `token_ids` were proposed by the drafter.

    `text` may lag behind `token_ids` while a character or a stop string is incomplete.
    `logprobs` has one entry for each of `token_ids` where they were asked for.
    """

    request_id: int
    text: str
    token_ids: tuple[int, ...]
    num_accepted: int
    statistics: Statistics
    logprobs: tuple[TokenLogprob, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """Something differs from what was asked for; `text` is the sentence for the user."""

    request_id: int
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A reply ended; `reason` is "stop", "length" or "cancelled"."""

    request_id: int
    reason: str
    statistics: Statistics = Statistics()


@dataclass(frozen=True, slots=True)
class Failed:
    """A request could not be done; `text` says what was found, what was needed and what to do."""

    request_id: int
    code: str  # "request", "model", "drafter", "template", "context" or "engine"
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question command."""

    request_id: int
    value: TokenCount | ModelFacts | MemoryEstimate | RenderedPrompt


Question = CountTokens | Inspect | EstimateMemory | PreviewTemplate
Command = LoadModel | Submit | Cancel | RememberReplies | ForgetConversation | Question | Shutdown
Event = ModelLoaded | Progress | Delta | Notice | Finished | Failed | Answer
