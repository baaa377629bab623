"""What a course of training is made of, as the user asked for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from engine.training.collecting import Collecting

KINDS = ("eagle3",)


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Everything that decides what comes out; what a folder was begun with, it goes on with alone."""

    kind: str
    num_questions: int = 24_000  # that the target asks itself
    num_passages: int = 3_600  # that it writes to be asked about
    num_draft_tokens: int = 16_384
    num_steps: int = 6_000
    batch_tokens: int = 16_384  # of one step, padding included
    num_anchors: int = 96  # of each row
    rate: float = 1.5e-3
    bits: int = 4  # of the drafter that is written; 0 for bf16
    seed: int = 0
    collecting: Collecting = field(default_factory=Collecting)

    @property
    def of_gathering(self) -> dict[str, object]:
        """What the replies depend on."""
        values = asdict(self)
        return {name: values[name] for name in ("num_questions", "num_passages", "seed", "collecting")}

    @property
    def of_teaching(self) -> dict[str, object]:
        """What the drafter depends on beside the replies."""
        return {name: value for name, value in asdict(self).items() if name not in self.of_gathering or name == "seed"}
