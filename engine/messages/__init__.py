"""The whole interface between app/ and engine/: commands go in, events come out.

Standard library only. Every value is immutable and made of plain Python types, so that any thread may hold it.
A `request_id` is chosen by the sender, is greater than 0 and is never used twice; 0 stands for the engine itself.
"""

from engine.messages.answers import (
    MemoryEstimate,
    ModelFacts,
    RenderedPrompt,
    TokenCount,
)
from engine.messages.commands import (
    STARTER,
    Cancel,
    Command,
    CountTokens,
    EstimateMemory,
    ForgetConversation,
    Inspect,
    LoadModel,
    PreviewTemplate,
    Question,
    RememberReplies,
    Shutdown,
    Submit,
)
from engine.messages.events import (
    Answer,
    Delta,
    Event,
    Failed,
    Finished,
    ModelLoaded,
    Notice,
    Progress,
    TokenLogprob,
)
from engine.messages.request import (
    UNQUANTISED,
    Grammar,
    KvScheme,
    Sampling,
    Turn,
)
from engine.messages.statistics import (
    GroupStatistics,
    Statistics,
)

__all__ = [
    "STARTER",
    "UNQUANTISED",
    "Answer",
    "Cancel",
    "Command",
    "CountTokens",
    "Delta",
    "EstimateMemory",
    "Event",
    "Failed",
    "Finished",
    "ForgetConversation",
    "Grammar",
    "GroupStatistics",
    "Inspect",
    "KvScheme",
    "LoadModel",
    "MemoryEstimate",
    "ModelFacts",
    "ModelLoaded",
    "Notice",
    "PreviewTemplate",
    "Progress",
    "Question",
    "RememberReplies",
    "RenderedPrompt",
    "Sampling",
    "Shutdown",
    "Statistics",
    "Submit",
    "TokenCount",
    "TokenLogprob",
    "Turn",
]
