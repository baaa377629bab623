"""Teaches a drafter step by step; what it has come to can be written at any step and taken up again."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.optimizers as optim
from mlx.utils import tree_flatten, tree_map, tree_unflatten

from engine.training.batches import Batch
from engine.training.chain import Student, distillation_loss

STATE = "training.safetensors"
_PARAMETERS, _FIRST, _SECOND = "parameters", "first", "second"


@dataclass(frozen=True, slots=True)
class Course:
    """How a drafter is taught; the same course, samples and seed end in the same weights on the same machine."""

    num_steps: int
    rate: float = 1.5e-3
    warm_up: float = 0.04  # part of the steps
    last_rate: float = 0.01  # of `rate`, at the end of the cosine
    num_chained: int = 5  # tokens drafted from each anchor
    decay: float = 0.85  # of each further one's weight
    largest_gradient: float = 1.0

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        rising = max(1, round(self.warm_up * self.num_steps))
        if step < rising:
            return self.rate * (step + 1) / rising
        done = (step - rising) / max(1, self.num_steps - rising)
        return self.rate * (self.last_rate + (1 - self.last_rate) * (1 + math.cos(math.pi * done)) / 2)


class Trainer:
    """Owns the weights that are learned, in fp32, and the optimiser's memory of them; forwards run in `dtype`."""

    def __init__(self, student: Student, course: Course, dtype: mx.Dtype) -> None:
        self.course = course
        self.num_done = 0
        self._student = student
        self._dtype = dtype
        self._optimiser = optim.AdamW(
            learning_rate=course.rate, betas=[0.9, 0.95], weight_decay=0.0, bias_correction=True
        )
        parameters = tree_map(lambda array: array.astype(mx.float32), student.module.trainable_parameters())
        self._optimiser.init(parameters)
        self._state: dict[str, Any] = {"parameters": parameters, "optimiser": self._optimiser.state}

    def step(self, batch: Batch) -> mx.array:
        """Learn from one batch; returns its loss, which runs already and is not waited for."""
        rate = mx.array(self.course.rate_at(self.num_done))
        loss = self._step(rate, batch)
        self.num_done += 1
        mx.async_eval(loss, self._state)
        return loss

    def release(self) -> None:
        """Put the weights that were learned into the student's module, in fp32."""
        mx.eval(self._state)
        self._student.module.update(self._state["parameters"])

    def save(self, folder: Path) -> None:
        """Write all that a resumed course needs, whole or not at all; raises OSError where the disk refuses."""
        mx.eval(self._state)
        arrays = dict(tree_flatten(self._state))
        temporary = folder / f"part-{STATE}"
        try:
            mx.save_safetensors(str(temporary), arrays, {"num_done": str(self.num_done), **self._words})
            temporary.replace(folder / STATE)
        finally:
            temporary.unlink(missing_ok=True)

    def resume(self, folder: Path) -> bool:
        """Take up what was saved; False where nothing was, or for another course."""
        if not (folder / STATE).exists():
            return False
        loaded: Any = mx.load(str(folder / STATE), return_metadata=True)
        arrays, words = loaded
        if any(words.get(name) != value for name, value in self._words.items()):
            return False
        kept: Any = tree_unflatten(list(arrays.items()))
        self._state["parameters"] = kept["parameters"]
        self._optimiser.state = kept["optimiser"]
        self._state["optimiser"] = self._optimiser.state
        self.num_done = int(words["num_done"])
        return True

    @property
    def _words(self) -> dict[str, str]:
        return {name: str(value) for name, value in asdict(self.course).items()}

    def _step(self, rate: mx.array, batch: Batch) -> mx.array:
        """Not compiled: MLX's CUDA backend took over a minute for the fused kernels of one shape of batch, and a step
        of 16,384 tokens takes 0.1 s as it is."""
        self._optimiser.learning_rate = rate
        loss, gradients = mx.value_and_grad(self._loss)(self._state["parameters"], batch)
        gradients, _ = optim.clip_grad_norm(gradients, self.course.largest_gradient)
        self._state["parameters"] = self._optimiser.apply_gradients(gradients, self._state["parameters"])
        self._state["optimiser"] = self._optimiser.state
        return loss

    def _loss(self, parameters: Any, batch: Batch) -> mx.array:
        self._student.module.update(tree_map(lambda array: array.astype(self._dtype), parameters))
        return distillation_loss(self._student, batch, self.course.num_chained, self.course.decay)
