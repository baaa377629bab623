"""Commands: what app/ asks of the engine."""

from __future__ import annotations

from dataclasses import dataclass

from engine.messages.request import UNQUANTISED, KvScheme, Sampling, Turn

STARTER = "starter"  # the target that stands for the packaged starter model
CACHE_OFF = 1  # byte: the budget of a prompt cache that keeps nothing on disk


@dataclass(frozen=True, slots=True)
class LoadModel:
    """Load a target before it is needed; answered by Progress events, then ModelLoaded, Failed or, cancelled, Finished.

    `target` is STARTER or a path: an mlx-lm model folder, a Hugging Face cache entry or a GGUF file. It waits until
    targets that UnloadModel named before are gone, with Progress of the phase "waiting".
    """

    request_id: int
    target: str


@dataclass(frozen=True, slots=True)
class UnloadModel:
    """Let go of a target and its drafters once no reply uses it; answered by ModelUnloaded.

    A request that names it later loads it again; a LoadModel of it that is not done ends as cancelled. A LoadModel that
    comes while a reply still uses it, and nothing else waits for it to leave, has it stay: no ModelUnloaded comes then.
    """

    target: str


@dataclass(frozen=True, slots=True)
class StartEngine:
    """Start again after the engine stopped, which Failed with the request id 0 told; answered by EngineStarted."""


@dataclass(frozen=True, slots=True)
class Submit:
    """Start one reply; answered by Delta events, then exactly one Finished or Failed.

    Where the last turn is the assistant's, the reply continues it: its tokens are read, not sent again, and positions
    for sampling count from its first token. `drafter` is "none", "ngram", "suffix" or "KIND:PATH", a path as `target`;
    the kind is "model", one of those that read the target, or "auto", which finds out.
    `began_at` is when the conversation began, in Unix seconds; 0.0 is now. A date that a template writes is of that
    time, so that it stays the same from turn to turn.
    """

    request_id: int
    conversation_id: str
    target: str
    drafter: str
    turns: tuple[Turn, ...]
    sampling: Sampling
    kv: KvScheme = UNQUANTISED
    began_at: float = 0.0
    switches: tuple[tuple[str, str], ...] = ()  # names and values of the template's TemplateSwitches
    template: str = ""  # a chat template in place of the model's own; "" is its own
    context_length: int = 0  # tokens that prompt and reply may have together; 0 is as many as the model can
    is_trial: bool = False  # a measurement: nothing is cached, remembered or learnt of it, and no cache is read


@dataclass(frozen=True, slots=True)
class Cancel:
    """End a request and keep what it delivered; does nothing for an unknown or finished one.

    A count that is not made yet is dropped without an answer; other questions are answered all the same.
    """

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
    """Take everything of a conversation out of what drafters learn from, replies that still run too. No answer.

    What the prompt cache saved of it stays, for the time in which a deletion can be undone.
    """

    conversation_id: str


@dataclass(frozen=True, slots=True)
class DeleteConversation:
    """Forget a conversation and remove what the prompt cache saved of it; answered by ConversationDeleted.

    A reply of it that still runs saves nothing any more.
    """

    conversation_id: str


@dataclass(frozen=True, slots=True)
class KeepConversations:
    """Name every conversation of the window, once its database has opened undamaged. No answer.

    What the prompt cache saved for a window's conversation that is not among them goes after 7 days unseen.
    """

    conversation_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DescribeCache:
    """Ask what the prompt cache holds; answered by Answer(CacheReport)."""

    request_id: int


@dataclass(frozen=True, slots=True)
class SetCacheLimits:
    """Choose the prompt cache's limits, 0 for the default; what is beyond them goes at once. No answer."""

    budget_bytes: int = 0  # on disk; CACHE_OFF keeps nothing there
    daily_bytes: int = 0  # written between midnight and midnight, UTC
    memory_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ClearCache:
    """Remove all that the prompt cache saved; answered by Answer(CacheReport) once it is gone."""

    request_id: int


@dataclass(frozen=True, slots=True)
class RemoveCached:
    """Remove what the prompt cache saved for one conversation alone; answered by Answer(CacheReport) once it is gone.

    The conversation stays: what it has from then on is saved again.
    """

    request_id: int
    conversation_id: str


@dataclass(frozen=True, slots=True)
class CountTokens:
    """Ask how many tokens the prompt of these turns has; answered by Answer(TokenCount) or Failed.

    `began_at`, `switches`, `template` and `context_length` are as in Submit: with the same turns both count alike.
    """

    request_id: int
    target: str
    turns: tuple[Turn, ...]
    began_at: float = 0.0
    switches: tuple[tuple[str, str], ...] = ()
    template: str = ""
    context_length: int = 0


@dataclass(frozen=True, slots=True)
class Inspect:
    """Ask what lies at a path without loading it; answered by Answer(ModelFacts) or Failed.

    The switches are those of `template`, of the model's own where that is empty.
    """

    request_id: int
    target: str
    template: str = ""


@dataclass(frozen=True, slots=True)
class InspectDrafter:
    """Ask what drafter lies at a path without loading it; answered by Answer(DrafterFacts) or Failed.

    With a `target`, a path as in LoadModel, the answer says whether the two fit; "" asks for no target.
    """

    request_id: int
    path: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class EstimateMemory:
    """Ask what a target needs; answered by Answer(MemoryEstimate) or Failed."""

    request_id: int
    target: str
    drafter: str
    context_length: int  # tokens of each row
    num_rows: int
    kv: KvScheme = UNQUANTISED


@dataclass(frozen=True, slots=True)
class DescribeMemory:
    """Ask what the engine holds in memory; answered by Answer(MemoryReport)."""

    request_id: int


@dataclass(frozen=True, slots=True)
class ReadTemplate:
    """Ask for a model's own chat template; answered by Answer(ChatTemplate) or Failed."""

    request_id: int
    target: str


@dataclass(frozen=True, slots=True)
class PreviewTemplate:
    """Ask how turns look in a chat template, the model's own where `template` is empty.

    Answered within a second by Answer(RenderedPrompt) or, with the line of the fault, Failed.
    """

    request_id: int
    target: str
    template: str
    turns: tuple[Turn, ...]
    switches: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Shutdown:
    """End every request as cancelled and end the engine."""


Question = CountTokens | Inspect | InspectDrafter | EstimateMemory | ReadTemplate | PreviewTemplate
CacheCommand = DeleteConversation | KeepConversations | DescribeCache | SetCacheLimits | ClearCache | RemoveCached
Command = (
    LoadModel
    | UnloadModel
    | StartEngine
    | Submit
    | Cancel
    | RememberReplies
    | ForgetConversation
    | CacheCommand
    | DescribeMemory
    | Question
    | Shutdown
)
