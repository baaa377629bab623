"""Answers to questions about models and prompts."""

from __future__ import annotations

from dataclasses import dataclass

from engine.messages.reasoning import ReasoningTags
from engine.messages.request import GREEDY, Sampling


@dataclass(frozen=True, slots=True)
class TemplateSwitch:
    """A variable of the chat template that changes whether, or how long, the model thinks before it answers."""

    name: str  # "enable_thinking", "reasoning_effort", …
    values: tuple[str, ...]  # "on" and "off" for a boolean, else what it may be, in order
    default: str = ""  # what the template does where it is not given; "" where that is unknown


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
    switches: tuple[TemplateSwitch, ...] = ()
    reasoning: tuple[ReasoningTags, ...] = ()  # tags that its tokenizer has tokens for or names
    sampling: Sampling = GREEDY  # what its generation config asks for; greedy where it has none
    licence: str = ""  # that its files name, such as "apache-2.0"


@dataclass(frozen=True, slots=True)
class DrafterFacts:
    """What is known of a folder that may draft, from its files alone; 0, "" and () stand for what they do not say."""

    drafter: str  # the name to choose it by, such as "dspark:PATH"; "" where nothing in the folder drafts
    kind: str  # "assistant", "dflash", "dspark", "mtp", "eagle3", "model" for one that drafts by itself, or "unknown"
    folder: str
    name: str
    refusal: str = ""  # why it cannot draft, for the target where one was given, as a sentence; "" where it can
    model_type: str = ""
    made_for: str = ""  # the target that its config names
    hidden_size: int = 0  # of its target
    num_target_layers: int = 0
    vocab_size: int = 0  # of its target
    draft_vocab_size: int = 0  # tokens that it can propose, where these are not all
    tap_layers: tuple[int, ...] = ()  # of the target, by their outputs: -1 its embeddings, as many as it has its last
    block_size: int = 0  # that it was trained with
    depth: int = 0  # most tokens that it proposes at once
    context_length: int = 0  # tokens
    quantisation: str = ""  # "4-bit", "bf16", …
    weight_bytes: int = 0  # in memory; beside the target, where one was given
    kv_bytes_per_token: int = 0  # of one row, likewise
    thinks: bool | None = None  # whether it was trained on replies that think first; None where nothing says so
    is_model: bool = False  # whether the folder holds a whole model
    has_mtp: bool = False  # whether that model carries the tensors of an MTP head of its own
    notes: tuple[str, ...] = ()  # what else a user should know, sentences


@dataclass(frozen=True, slots=True)
class TokenCount:
    """What a prompt comes to; one of `context_length` tokens or more leaves no room for a reply and is refused."""

    num_tokens: int
    context_length: int
    num_cached: int | None = None  # tokens whose state the prompt cache holds; None where the model is not loaded
    num_left_out: int = 0  # where it is too long: turns to leave out from the oldest on, so that it fits; 0: none help


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    weight_bytes: int
    drafter_bytes: int  # its weights and its own rows
    kv_bytes: int
    available_bytes: int  # memory of this machine that the process may still take
    working_bytes: int = 0  # of a forward that reads a prompt, at its largest
    limit_bytes: int = 0  # what this process may take in all, that which it holds included


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """What the engine holds in memory, in bytes; 0 where it holds nothing of the kind."""

    weight_bytes: int = 0
    drafter_bytes: int = 0  # weights
    kv_bytes: int = 0  # of the rows that run
    drafter_kv_bytes: int = 0
    cache_bytes: int = 0  # the prompt cache in memory
    limit_bytes: int = 0  # what all of it together may take
    num_rows: int = 0  # that run
    device: str = ""  # what MLX computes on: "Metal, Apple M3", "CUDA, …" or "CPU"


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """A model's own chat template; `text` is the one that stands in for it where it has none."""

    text: str
    is_own: bool = True


@dataclass(frozen=True, slots=True)
class PromptSpan:
    """A part of a rendered prompt, in characters, half open: a turn's text by its role, or a control token."""

    start: int
    end: int
    kind: str  # "system", "user", "assistant" or "control"


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    text: str
    num_tokens: int
    render_seconds: float
    spans: tuple[PromptSpan, ...] = ()  # in order, apart from each other
    notices: tuple[str, ...] = ()  # what had to be changed for the template to take the turns, sentences


@dataclass(frozen=True, slots=True)
class CachedConversation:
    """What the prompt cache holds of one conversation; what several share counts for each of them."""

    conversation_id: str
    num_bytes: int  # on disk
    num_tokens: int  # of its longest saved prefix
    drafter_bytes: int = 0  # of these, state of drafters
    drafters: tuple[str, ...] = ()  # names of the models whose state that is


@dataclass(frozen=True, slots=True)
class CacheReport:
    """What the prompt cache holds, and the limits that it keeps; the defaults are those of no cache at all."""

    folder: str = ""
    memory_bytes: int = 0
    memory_limit_bytes: int = 0  # together with the caches of running replies
    disk_bytes: int = 0  # unfinished files too
    drafter_bytes: int = 0  # of these, state of drafters
    budget_bytes: int = 0  # the most that the folder may hold
    default_budget_bytes: int = 0  # the same where no limit is chosen; 0 before the folder is open
    written_today_bytes: int = 0
    daily_limit_bytes: int = 0
    is_read_only: bool = False  # another process writes: nothing is saved or removed here
    problem: str = ""  # why nothing is saved at present, for the user; "" where all is well
    conversations: tuple[CachedConversation, ...] = ()
    max_storage_wait_seconds: float = 0.0  # the longest time that the engine spent inside a call to storage
