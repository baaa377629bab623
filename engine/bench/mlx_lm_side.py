"""mlx-lm's own generators on the weights that our engine uses, greedy and with our end tokens."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten
from mlx_lm.generate import BatchGenerator, stream_generate
from mlx_lm.models.cache import can_trim_prompt_cache, make_prompt_cache
from mlx_lm.tokenizer_utils import TokenizerWrapper, load

from engine.bench.tasks import Task
from engine.bench.timing import Delivery, Run
from engine.command_line import BadInputError

DRAFT_TOKENS = 3  # a round, as mlx_lm.generate and mlx_lm.server draft unless told otherwise


@dataclass(frozen=True, slots=True)
class MlxLmSide:
    """Holds what mlx-lm generates with; a run reads its prompts from the start."""

    model: nn.Module
    tokenizer: TokenizerWrapper
    end_ids: Collection[int]
    max_tokens: int

    def stream(self, tasks: Sequence[Task], draft_model: nn.Module | None = None) -> Run:
        """Answer one prompt by `stream_generate`, which calls `speculative_generate_step` where a draft is given."""
        (task,) = tasks
        options = {"num_draft_tokens": DRAFT_TOKENS} if draft_model is not None else {}
        started = time.perf_counter()
        responses = stream_generate(
            self.model, self.tokenizer, list(task.prompt_ids), self.max_tokens, draft_model, **options
        )
        with closing(responses):
            tokens = [(0, response.token, time.perf_counter() - started) for response in responses]
        return self._run(1, tokens, time.perf_counter() - started)

    def batch(self, tasks: Sequence[Task]) -> Run:
        """Answer prompts together by `BatchGenerator`, which leaves turning ids into text to its caller."""
        started = time.perf_counter()
        generator = BatchGenerator(
            self.model, max_tokens=self.max_tokens, stop_tokens=[(end_id,) for end_id in self.end_ids]
        )
        tokens: list[tuple[int, int, float]] = []
        with closing(generator):
            rows = {uid: row for row, uid in enumerate(generator.insert([list(task.prompt_ids) for task in tasks]))}
            while responses := generator.next_generated():
                at_seconds = time.perf_counter() - started
                tokens += [(rows[response.uid], response.token, at_seconds) for response in responses]
        return self._run(len(tasks), tokens, time.perf_counter() - started)

    def _run(self, num_rows: int, tokens: Sequence[tuple[int, int, float]], seconds: float) -> Run:
        replies = tuple(
            tuple(token for of_row, token, _ in tokens if of_row == row and token not in self.end_ids)
            for row in range(num_rows)
        )
        return Run(replies, tuple(Delivery(row, 1, at_seconds) for row, _, at_seconds in tokens), seconds)


def load_mlx_lm_tokenizer(folder: Path, end_ids: Collection[int]) -> TokenizerWrapper:
    """mlx-lm's tokenizer of a model folder, which `stream_generate` turns ids into text with; raises BadInputError."""
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        return load(folder, options, sorted(end_ids))
    except Exception as error:  # transformers raises whatever its readers of foreign files raise
        raise BadInputError(
            f"mlx-lm cannot load the tokenizer in {str(folder)!r} ({error}), so there is nothing to compare with; "
            "choose another model"
        ) from error


def can_speculate(model: nn.Module) -> bool:
    """Whether `speculative_generate_step` takes the model: it must be able to drop tokens from its cache."""
    return bool(can_trim_prompt_cache(make_prompt_cache(model)))


def floating_types(model: nn.Module) -> str:
    """The floating types of a model's arrays, as a reader of numbers wants to know them."""
    types = {
        array.dtype
        for array in dict(tree_flatten(model.parameters())).values()
        if mx.issubdtype(array.dtype, mx.floating)
    }
    return ", ".join(sorted(str(dtype).removeprefix("mlx.core.") for dtype in types))
