"""Brings in what a plan names: models, tokenizers, prompts, and everybody who answers them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

from engine.bench.measure import OURS, THEIRS, Contender, Contest, warm_up
from engine.bench.mlx_lm_side import MlxLmSide, can_speculate, floating_types, load_mlx_lm_tokenizer
from engine.bench.our_side import OurSide
from engine.bench.plan import Plan
from engine.bench.prompts import Chat, choose, read_chats
from engine.bench.report import count
from engine.bench.setting import Setting, blas_name, machine_name, num_cores, software_versions
from engine.bench.tasks import Task, TaskMaker, full_batches
from engine.command_line import BadInputError
from engine.drafters.name import split_name
from engine.drafters.table import is_whole_model
from engine.messages import ModelFacts
from engine.models.bring import bring_model
from engine.models.errors import ModelError
from engine.models.load import LoadedModel
from engine.models.pairing import check_pair
from engine.target import Target
from engine.text.tokenizer import load_tokenizer

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Session:
    """What is to be run, warmed up."""

    setting: Setting
    contests: tuple[Contest, ...]
    notes: tuple[str, ...]


def open_session(plan: Plan, data_dir: Path, tell: Tell) -> Session:
    """Load everything once and let everybody answer once; raises BadInputError or EngineFailedError."""
    try:
        return _open(plan, data_dir, tell)
    except ModelError as error:
        raise BadInputError(str(error)) from error


def _open(plan: Plan, data_dir: Path, tell: Tell) -> Session:
    chats = choose(read_chats(plan.prompts), plan.limit, plan.seed)
    tell("loading")
    loaded = bring(plan.model, data_dir)
    tokenizer = load_tokenizer(Path(loaded.facts.folder))
    theirs = MlxLmSide(
        loaded.model,
        load_mlx_lm_tokenizer(Path(loaded.facts.folder), tokenizer.end_ids),
        tokenizer.end_ids,
        plan.max_tokens,
    )
    tell("reading the prompts, and letting mlx-lm answer the earlier questions of each chat")
    maker = TaskMaker(tokenizer, loaded.facts, plan.max_tokens, lambda task: theirs.stream([task]).replies[0])
    tasks = [task for chat in chats for task in maker.make(chat)]
    contests, notes = _arrange(plan, tasks, loaded, theirs, data_dir, tell)
    tell("warming up")
    warm_up(contests)
    return Session(_setting(plan, loaded, chats, len(tasks)), contests, notes)


def bring(name: str, data_dir: Path, check: Callable[[ModelFacts], None] = lambda facts: None) -> LoadedModel:
    """Load a model in one go."""
    steps = bring_model(name, data_dir, check)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            loaded: LoadedModel = end.value
            return loaded


def _arrange(
    plan: Plan, tasks: Sequence[Task], loaded: LoadedModel, theirs: MlxLmSide, data_dir: Path, tell: Tell
) -> tuple[tuple[Contest, ...], tuple[str, ...]]:
    """Everybody in batches of each size, and what a reader of the figures has to know of them."""
    target = Target(loaded.model, loaded.facts)
    ours = [
        Contender(OURS, drafter, OurSide(target, drafter, plan.max_tokens, data_dir, tell).run, drafter)
        for drafter in plan.drafters
    ]
    speculative, notes = _speculative(plan, loaded, theirs, data_dir)
    contests = []
    for size in plan.batch_sizes:
        batches = full_batches(tasks, size)
        if not batches:
            raise BadInputError(f"{count(len(tasks), 'prompt')}: too few for a batch of {size}; give more of them")
        if left_out := len(tasks) % size:
            notes.append(f"Batch {size}: left out, since they do not fill a batch: {left_out} of {len(tasks)} prompts.")
        alone = [Contender(THEIRS, "stream_generate", theirs.stream), *speculative]
        together = [Contender(THEIRS, "BatchGenerator", theirs.batch)]
        contests.append(Contest(size, batches, [*(alone if size == 1 else together), *ours]))
    return tuple(contests), tuple(notes)


def _speculative(
    plan: Plan, loaded: LoadedModel, theirs: MlxLmSide, data_dir: Path
) -> tuple[list[Contender], list[str]]:
    """mlx-lm's own speculation with each draft model of the plan, where it is measured and can be."""
    if 1 not in plan.batch_sizes:
        return [], []
    names = [name for name in plan.drafters if is_whole_model(name, loaded.facts, data_dir)]
    if names and not can_speculate(loaded.model):
        return [], ["mlx-lm's speculative_generate_step cannot rewind this model's cache and is left out."]
    drafts = {name: bring(split_name(name)[1], data_dir, partial(check_pair, loaded.facts)).model for name in names}
    return [_speculating(theirs, name, draft) for name, draft in drafts.items()], []


def _speculating(theirs: MlxLmSide, name: str, draft: nn.Module) -> Contender:
    return Contender(THEIRS, f"speculative {name}", partial(theirs.stream, draft_model=draft), name)


def _setting(plan: Plan, loaded: LoadedModel, chats: Sequence[Chat], num_tasks: int) -> Setting:
    is_cpu = mx.default_device() == mx.Device(mx.cpu)
    return Setting(
        command=plan.command,
        measured_at=datetime.now().astimezone().isoformat(timespec="seconds"),
        model=loaded.facts.name,
        quantisation=loaded.facts.quantisation,
        floating_types=floating_types(loaded.model),
        device=str(mx.device_info().get("device_name", mx.default_device())),
        blas=blas_name(is_cpu),
        machine=machine_name(),
        num_cores=num_cores(),
        load_average=os.getloadavg()[0],
        versions=software_versions(),
        prompts=plan.prompts,
        num_chats=len(chats),
        num_prompts=num_tasks,
        max_tokens=plan.max_tokens,
        repeats=plan.repeats,
        seed=plan.seed,
    )
