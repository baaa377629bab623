"""A fake engine that knows what lies at some paths, and a library that found them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from engine.messages import (
    Answer,
    Command,
    Delta,
    DrafterFacts,
    EstimateMemory,
    Failed,
    Finished,
    Inspect,
    InspectDrafter,
    MemoryEstimate,
    Statistics,
    Submit,
)
from tests.app.fake_engine import FakeEngine, facts_of

TARGET = "/models/Qwen3-8B"
VOCABULARY = "Its vocabulary has 128,256 entries; this model has 151,936."
PLAIN_RATE = 41.0


def head(kind: str, path: str, **facts: object) -> DrafterFacts:
    """Facts of a drafter that fits."""
    name = path.rsplit("/", 1)[-1]
    made = DrafterFacts(f"{kind}:{path}", kind, path, name, block_size=8 if kind == "dflash" else 0)
    return replace(made, **{"weight_bytes": 800_000_000, **facts})  # type: ignore[arg-type]


KNOWN = {
    TARGET: DrafterFacts("", "model", TARGET, "Qwen3-8B", "It is the model itself.", is_model=True),
    "/m/dflash": head("dflash", "/m/dflash"),
    "/m/eagle3": head("eagle3", "/m/eagle3", weight_bytes=500_000_000),
    "/m/Qwen3-0.6B": head("model", "/m/Qwen3-0.6B", quantisation="4-bit", weight_bytes=400_000_000),
    "/m/Llama-3.2-1B": head("model", "/m/Llama-3.2-1B", refusal=VOCABULARY),
}
SPEEDS = {"none": 1.0, "ngram": 1.2, "suffix": 1.3, "dflash:/m/dflash": 2.1, "eagle3:/m/eagle3": 0.9}


@dataclass(frozen=True, slots=True)
class OnDisk:
    target: str
    name: str
    num_bytes: int
    quantisation: str = ""


class TestLibrary(QObject):
    __test__ = False
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.models = [OnDisk(TARGET, "Qwen3 8B", 1000, "4-bit")]
        self.models += [OnDisk(path, path.rsplit("/", 1)[-1], 500) for path in ("/m/Qwen3-0.6B", "/m/Llama-3.2-1B")]
        self.drafters = [OnDisk(path, path.rsplit("/", 1)[-1], 500) for path in ("/m/dflash", "/m/eagle3")]


class KnowingEngine(FakeEngine):
    """Answers what the table knows; a trial's replies are as fast as SPEEDS says."""

    def __init__(self) -> None:
        super().__init__()
        self.known = dict(KNOWN)
        self.speeds = dict(SPEEDS)
        self.limit_bytes = 20_000_000_000
        self.asked: list[Command] = []
        self.gone: set[str] = set()  # targets that nothing is known of
        self.holds_trials = False  # they run until they are cancelled

    @property
    def trials(self) -> list[Submit]:
        return [one for one in self.submits if one.is_trial]

    def send(self, *commands: Command) -> None:
        at_once = sum(isinstance(one, Submit) and one.is_trial for one in commands)
        for command in commands:
            if isinstance(command, Submit) and command.is_trial:
                self.commands.append(command)
                if not self.holds_trials:
                    self._run_trial(command, at_once)
            elif isinstance(command, Inspect | InspectDrafter | EstimateMemory):
                self.asked.append(command)
                self.emit(self._answer(command))
            else:
                super().send(command)

    def _run_trial(self, submit: Submit, num_rows: int) -> None:
        rate = PLAIN_RATE * self.speeds.get(submit.drafter, 1.0)
        for num_tokens in (2, submit.sampling.max_tokens):
            statistics = Statistics(num_tokens=num_tokens, tokens_per_second=rate, num_rows=num_rows)
            self.emit(Delta(submit.request_id, "x", (1,), 0, statistics))
        self.emit(Finished(submit.request_id, "length"))

    def _answer(self, question: Inspect | InspectDrafter | EstimateMemory) -> Answer | Failed:
        if isinstance(question, Inspect) and question.target in self.gone:
            return Failed(question.request_id, "model", f"Nothing found at {question.target!r}.")
        if isinstance(question, Inspect):
            facts = replace(facts_of(question.target), weight_bytes=4_600_000_000, name="Qwen3 8B")
            return Answer(question.request_id, facts)
        if isinstance(question, EstimateMemory):
            memory = MemoryEstimate(4_600_000_000, 800_000_000, 0, 0, limit_bytes=self.limit_bytes)
            return Answer(question.request_id, memory)
        if question.path not in self.known:
            return Failed(question.request_id, "model", f"Nothing found at {question.path!r}.")
        return Answer(question.request_id, self.known[question.path])
