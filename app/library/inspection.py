"""Asks the engine what a candidate is, once for each state of its files, and keeps the answers for later starts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.asking import RefusedError, ask
from app.bridge import EngineBridge
from app.kept_file import read_kept, write_kept
from app.library.found import Candidate
from app.library.found_model import FoundModel, begin, drafter_fields_of, fields_of
from app.settings.preferences import decode
from engine.messages import DrafterFacts, Inspect, InspectDrafter, ModelFacts

FILE_NAME = "library.json"
NO_HEADS = ("", "unknown", "model")  # kinds of what is no drafter of its own


@dataclass(frozen=True, slots=True)
class Kept:
    models: tuple[FoundModel, ...] = ()


class Inspection:
    """What was refused is asked again with each start: another version of the engine may read it."""

    def __init__(self, bridge: EngineBridge, data_dir: Path) -> None:
        self._bridge = bridge
        self._path = data_dir / FILE_NAME
        self._known: dict[str, FoundModel] = {}  # by target
        self._written: Kept | None = None

    def read(self) -> None:
        """What earlier starts found; touches the disk."""
        if self._written is None:
            self._written = read_kept(self._path, lambda found: decode(Kept, found), Kept())
            self._known = {model.target: model for model in self._written.models}

    def write(self) -> None:
        """Keep what is known of models that are still there; touches the disk."""
        kept = Kept(tuple(model for model in self._known.values() if not model.refusal))
        if kept != self._written:
            self._written = kept
            write_kept(self._path, kept)

    def keep_only(self, targets: set[str]) -> None:
        self._known = {target: model for target, model in self._known.items() if target in targets}

    def known(self, candidate: Candidate) -> FoundModel | None:
        """None where its files are others than those that were asked about."""
        model = self._known.get(candidate.target)
        if model is None or model.stamp != candidate.stamp:
            return None
        fresh = begin(candidate)
        return replace(
            model, place=fresh.place, kind=fresh.kind, folder=fresh.folder, name=fresh.name, imported=fresh.imported
        )

    async def ask(self, candidate: Candidate) -> FoundModel:
        """Raises RefusedError only where the engine itself does not answer."""
        model = begin(candidate)
        try:
            facts = await ask(self._bridge, lambda number: Inspect(number, candidate.target), ModelFacts)
            model = _with(model, fields_of(facts, model.quantisation))
            model = replace(model, num_bytes=model.num_bytes or facts.weight_bytes)
        except RefusedError as refused:
            if refused.code == "engine":
                raise
            model = await self._ask_drafter(candidate, replace(model, refusal=str(refused)))
        self._known[candidate.target] = model
        return model

    async def _ask_drafter(self, candidate: Candidate, refused: FoundModel) -> FoundModel:
        if candidate.is_gguf or not candidate.folder:
            return refused
        try:
            facts = await ask(self._bridge, lambda number: InspectDrafter(number, candidate.target), DrafterFacts)
        except RefusedError as error:
            if error.code == "engine":
                raise
            return refused
        if facts.kind in NO_HEADS or facts.is_model or not facts.drafter:
            return refused
        return _with(refused, drafter_fields_of(facts, refused.quantisation))


def _with(model: FoundModel, fields: dict[str, Any]) -> FoundModel:
    return replace(model, **fields)
