"""From a target and prompts to a drafter in its folder: gathers, teaches, judges; each part is resumed, not redone."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mlx.core as mx

from engine.command_line import BadInputError
from engine.models.drafting.eagle3 import read_spec
from engine.models.drafting.files import read_files
from engine.models.drafting.spec import OFFSETS, TAPS
from engine.models.drafting.target import target_shape
from engine.structure import Structure
from engine.target import Target
from engine.text.tokenizer import Tokenizer
from engine.training.batches import Batches
from engine.training.chat_format import ChatFormat
from engine.training.corpus import Corpus, Sample
from engine.training.drafter_folder import Packed, write_drafter, write_text
from engine.training.eagle3 import Eagle3Student
from engine.training.eagle3_files import HeadShape, first_weights, head_config, offsets, published, usual_taps
from engine.training.evaluation import Judged, judge
from engine.training.gathering import REPLIES, Gathering, GoesOn, StoppedError
from engine.training.plan import TrainingPlan
from engine.training.prompts import TrainingPrompt
from engine.training.teacher import Teacher
from engine.training.trainer import Course, Trainer

HELD_OUT_PART = 0.01  # of the greedy replies, which nothing is learned from
MOST_HELD_OUT = 200
SECONDS_BETWEEN_SAVES = 60.0
_GATHERING, _TEACHING, _DRAFTER = "gathering.json", "teaching.json", "drafter"


@dataclass(frozen=True, slots=True)
class Trained:
    """A drafter that was written, and how it did on replies that were held out."""

    folder: Path
    judged: Judged
    last_loss: float
    num_steps: int


class TrainingSession:
    """One folder of training; interrupted at any place, it goes on there."""

    def __init__(self, target: Target, tokenizer: Tokenizer, folder: Path, plan: TrainingPlan, goes_on: GoesOn) -> None:
        """Raises BadInputError where the target cannot be taught from."""
        if TAPS not in target.view.ports:
            raise BadInputError(
                f"{target.facts.name!r} shows no layers that a drafter could read; choose another model to train for"
            )
        self._target = target
        self._chat = ChatFormat(tokenizer)
        self._folder = folder
        self._plan = plan
        self._goes_on = goes_on
        self._began = time.monotonic()

    def gather(self, given: Sequence[TrainingPrompt], held_out: Sequence[str]) -> Corpus:
        """Collect prompts and replies; raises StoppedError, OSError where the disk refuses, and BadInputError where the
        folder was begun with other settings."""
        self._begin(_GATHERING, self._plan.of_gathering)
        gathering = Gathering(self._target, self._chat, self._folder, self._plan, held_out, self._goes_on)
        return gathering.gather(given)

    def corpus(self) -> Corpus:
        """The replies that were collected so far; raises BadInputError where there are none."""
        return Corpus.open(self._folder / REPLIES)

    def train(self, corpus: Corpus) -> Trained:
        """Teach a drafter with a corpus and write it; raises StoppedError once its state is saved, and BadInputError
        where the folder was begun with other settings."""
        self._begin(_TEACHING, self._plan.of_teaching)
        samples = list(corpus.samples())
        kept_out, samples = _hold_out(samples, self._plan.seed)
        draft_ids = choose_tokens(samples, self._plan.num_draft_tokens, self._target.facts.vocab_size)
        student = self._open_student(draft_ids)
        course = Course(self._plan.num_steps, rate=self._plan.rate)
        trainer = Trainer(student, course, self._dtype)
        trainer.resume(self._folder)
        loss = self._teach(trainer, samples)
        trainer.release()
        packed = Packed(self._plan.bits) if self._plan.bits else None
        folder = self._folder / _DRAFTER
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        write_drafter(folder, config, published(student.module, draft_ids), packed)
        judged = judge(student, kept_out, self._plan_depth, draft_ids, self._target.facts.vocab_size)
        return Trained(folder, judged, loss, trainer.num_done)

    @property
    def _plan_depth(self) -> int:
        return 7

    @property
    def _dtype(self) -> mx.Dtype:
        """What forwards of the drafter run in."""
        return mx.float32 if mx.default_device() == mx.Device(mx.cpu) else mx.bfloat16

    def _teach(self, trainer: Trainer, samples: Sequence[Sample]) -> float:
        batches = Batches(samples, self._plan.batch_tokens, self._plan.num_anchors, self._plan.seed)
        loss, saved = mx.array(0.0), time.monotonic()
        while trainer.num_done < trainer.course.num_steps:
            if not self._goes_on("training", trainer.num_done, trainer.course.num_steps):
                trainer.save(self._folder)
                raise StoppedError
            loss = trainer.step(batches[trainer.num_done])
            if trainer.num_done % 50 == 0:
                self._log(trainer.num_done, read_number(loss))
            if time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
                trainer.save(self._folder)
                saved = time.monotonic()
        return read_number(loss)

    def _log(self, step: int, loss: float) -> None:
        with (self._folder / "losses.jsonl").open("a", encoding="utf-8") as file:
            file.write(
                json.dumps({"step": step, "loss": round(loss, 4), "seconds": round(time.monotonic() - self._began, 1)})
                + "\n"
            )

    def _open_student(self, draft_ids: Sequence[int]) -> Eagle3Student:
        """A new head in the session's folder, and its teacher; the same one whenever it is opened."""
        target = target_shape(self._target.facts)
        shape = self._shape(target.config, target.num_layers, len(draft_ids))
        config = head_config(shape, {**target.config, "num_hidden_layers": target.num_layers})
        rows = Structure(self._target.model, target.model_type).embed(mx.array(list(draft_ids)))
        weights = first_weights(config, rows, mx.random.key(self._plan.seed))
        folder = self._folder / _DRAFTER
        write_drafter(folder, config, weights | {OFFSETS: offsets(draft_ids)})
        spec = read_spec(read_files(folder), target)
        student = Eagle3Student(spec, Teacher(self._target, spec.tap_layers, draft_ids))
        student.module.load_weights(list(weights.items()), strict=True)
        return student

    def _shape(self, config: dict[str, object], num_layers: int, num_draft_tokens: int) -> HeadShape:
        """Attention and feed-forward as wide as the target's own."""
        heads = int(str(config["num_attention_heads"]))
        size = config.get("head_dim") or int(str(config["hidden_size"])) // heads
        return HeadShape(
            usual_taps(num_layers),
            num_draft_tokens,
            heads,
            int(str(config.get("num_key_value_heads") or heads)),
            int(str(size)),
            int(str(config["intermediate_size"])),
        )

    def _begin(self, name: str, settings: dict[str, object]) -> None:
        """Keep what a part of the work is made with, so that it is gone on with in the same way."""
        self._folder.mkdir(parents=True, exist_ok=True)
        path, wanted = self._folder / name, json.dumps(settings, indent=1, sort_keys=True)
        if not path.exists():
            write_text(path, wanted)
        elif path.read_text(encoding="utf-8") != wanted:
            raise BadInputError(
                f"{str(self._folder)!r} was begun with other settings; give those again to go on, or another folder"
            )


def read_number(array: mx.array) -> float:
    """Wait for one number."""
    value: float = array.item()  # type: ignore[assignment]
    return value


def choose_tokens(samples: Sequence[Sample], count: int, vocab_size: int) -> list[int]:
    """The `count` ids that replies have most often, ascending; those of low ids fill up, which are frequent in text."""
    if count >= vocab_size:
        return list(range(vocab_size))
    counts = Counter(token_id for sample in samples for token_id in sample.token_ids[sample.num_prompt :])
    ranked = [token_id for token_id, _ in counts.most_common(count)]
    rest = (token_id for token_id in range(vocab_size) if token_id not in counts)
    return sorted([*ranked, *(token_id for token_id, _ in zip(rest, range(count - len(ranked)), strict=False))])


def _hold_out(samples: Sequence[Sample], seed: int) -> tuple[list[Sample], list[Sample]]:
    """Some samples to judge by, and the others."""
    mixed = random.Random(seed).sample(list(samples), len(samples))
    count = min(MOST_HELD_OUT, max(1, round(HELD_OUT_PART * len(mixed))))
    return mixed[:count], mixed[count:]
