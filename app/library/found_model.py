"""FoundModel: a model or drafter on this computer, as lists and pickers show it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.library.found import Candidate
from app.library.naming import name_parts
from app.models.names import STARTER_NAME
from engine.messages import STARTER, DrafterFacts, ModelFacts

_CACHE_ENTRY = "models--"


@dataclass(frozen=True, slots=True)
class FoundModel:
    target: str  # as LoadModel has it
    name: str
    quantisation: str
    place: str  # "Hugging Face cache"
    kind: str  # of the place
    folder: str  # where its files are; "" for the starter
    num_bytes: int  # on the disk
    model_type: str = ""
    context_length: int = 0  # tokens
    num_layers: int = 0
    licence: str = ""
    refusal: str = ""  # why it cannot be used, a sentence
    drafter: str = ""  # of what drafts and does nothing else: the name to choose it by
    stamp: str = ""  # of its files
    imported: str = ""  # folder that the engine made of its GGUF file
    is_gone: bool = False  # its files are not there any more

    @property
    def repo_id(self) -> str:
        """ "org/name" of an entry of the shared cache, else ""."""
        return repository_of(self.target)

    @property
    def is_gguf(self) -> bool:
        return self.target.lower().endswith(".gguf")

    @property
    def facts(self) -> str:
        """ "4-bit, 64 layers, 40,960 context, apache-2.0": what is known of it."""
        layers = f"{self.num_layers:,} layers" if self.num_layers else ""
        context = f"{self.context_length:,} context" if self.context_length else ""
        return ", ".join(part for part in (self.quantisation, layers, context, self.licence) if part)


def repository_of(target: str) -> str:
    """The repository whose entry of the shared cache a path is, or lies in; "" for other paths."""
    for part in reversed(Path(target).parts):
        if part.startswith(_CACHE_ENTRY):
            return part.removeprefix(_CACHE_ENTRY).replace("--", "/", 1)
    return ""


def begin(candidate: Candidate) -> FoundModel:
    """What is known before anything was read: it goes by its path."""
    name, quantisation = names_of(candidate.target)
    return FoundModel(
        target=candidate.target,
        name=name,
        quantisation=quantisation,
        place=candidate.place.name,
        kind=candidate.place.kind.value,
        folder=candidate.folder,
        num_bytes=candidate.num_bytes,
        stamp=candidate.stamp,
        imported=candidate.imported,
    )


def names_of(target: str) -> tuple[str, str]:
    """Name and quantisation by a path alone."""
    if target == STARTER:
        return STARTER_NAME, ""
    path, repo_id = Path(target), repository_of(target)
    is_gguf = path.suffix.lower() == ".gguf"
    if repo_id and not is_gguf:
        return name_parts(repo_id)
    own = path.stem if is_gguf else path.name
    name, quantisation = name_parts(own)
    name = own[:1] + name[1:] if own[:1].upper() == name[:1] else name  # a user's own letters stay
    return name, f"GGUF {quantisation}".strip() if is_gguf else quantisation


def fields_of(facts: ModelFacts, quantisation: str) -> dict[str, str | int]:
    """What the engine read of a model, for a FoundModel; a GGUF file's name says more of its quantisation."""
    return {
        "quantisation": quantisation if quantisation.startswith("GGUF") else facts.quantisation or quantisation,
        "model_type": facts.model_type,
        "context_length": facts.context_length,
        "num_layers": facts.num_layers,
        "licence": facts.licence,
    }


def drafter_fields_of(facts: DrafterFacts, quantisation: str) -> dict[str, str | int]:
    return {
        "quantisation": facts.quantisation or quantisation,
        "model_type": facts.model_type,
        "context_length": facts.context_length,
        "drafter": facts.drafter,
        "refusal": facts.refusal,
    }
