"""What the hub's search answers, on a worker: pages of models that the engine can run, and their sizes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from app.library.client import get, is_repository, licence_of, read_repository, told_as_problems
from app.library.hub import Access
from app.library.repository import Variant, needed_files, size_of, variants

PAGE_SIZE = 20
GGUF_ARCHITECTURES = frozenset(("llama",))  # that the engine imports
_FIELDS = ("downloads", "gated", "lastModified", "pipeline_tag", "tags", "gguf")
_TEXT_TASKS = frozenset((None, "text-generation", "image-text-to-text", "any-to-any", "text2text-generation"))
_DRAFTER_WORDS = ("dflash", "dspark", "eagle3", "assistant", "mtp")
_DRAFTER = re.compile(r"dflash|dspark|eagle-?3|assistant|speculator|[-_.]mtp(?![a-z])", re.IGNORECASE)
_FOREIGN = frozenset(("gguf", "onnx", "gptq", "awq", "exl2", "openvino"))  # weights that the engine does not read


class Source(StrEnum):
    """Which part of the hub is searched; the value is the word for it."""

    MLX = "MLX"
    GGUF = "GGUF"
    DRAFTERS = "Drafters"


@dataclass(frozen=True, slots=True)
class HubModel:
    repo_id: str
    downloads: int = 0  # of the last thirty days
    licence: str = ""
    is_gated: bool = False
    changed_at: float = 0.0  # Unix seconds; 0.0 where the hub does not say
    size_bytes: int = 0  # of what is downloaded; 0 before the hub was asked
    variants: tuple[Variant, ...] = ()  # of a repository with several GGUF files


@dataclass(frozen=True, slots=True)
class Page:
    models: tuple[HubModel, ...]
    next_url: str = ""


def first_page(access: Access, words: str, source: Source) -> Page:
    """The most downloaded first; raises HubError."""
    url = f"{access.endpoint}/api/models"
    if source is Source.DRAFTERS:
        return _drafters(access, url, words)
    answer = _ask(access, url, _query(words) | {"filter": source.value.lower()})
    return Page(tuple(model for model in answer.models if not is_drafter(model.repo_id)), answer.next_url)


def next_page(access: Access, url: str) -> Page:
    return _ask(access, url, None)


def measure(access: Access, model: HubModel) -> HubModel:
    """With the size of its files, which a search does not tell; raises HubError."""
    repository = read_repository(access, model.repo_id)
    choices = variants(repository.files)
    size = size_of(needed_files(repository.files))
    licence = model.licence or repository.licence
    return replace(model, size_bytes=size, variants=choices, licence=licence, is_gated=repository.is_gated)


def is_drafter(repo_id: str) -> bool:
    """By its name: drafters of most kinds say so nowhere else."""
    return bool(_DRAFTER.search(repo_id.rpartition("/")[2]))


def _drafters(access: Access, url: str, words: str) -> Page:
    """One question for each kind, as the hub knows no word for all of them."""
    found: dict[str, HubModel] = {}
    for kind in _DRAFTER_WORDS:
        for model in _ask(access, url, _query(f"{words} {kind}".strip())).models:
            if is_drafter(model.repo_id):
                found.setdefault(model.repo_id, model)
    return Page(tuple(sorted(found.values(), key=lambda model: -model.downloads)))


def _query(words: str) -> dict[str, Any]:
    return {"search": words, "sort": "downloads", "limit": PAGE_SIZE, "expand": list(_FIELDS)}


def _ask(access: Access, url: str, params: dict[str, Any] | None) -> Page:
    answer = get(access, url, params)
    with told_as_problems(access):
        models = [_model(fields) for fields in answer.value]
        return Page(tuple(model for model in models if model is not None), _within(access, answer.next_url))


def _within(access: Access, next_url: str) -> str:
    """The next page at the hub's own address: the token goes to no other, whatever an answer or a mirror says."""
    query = urlsplit(next_url).query
    return f"{access.endpoint}/api/models?{query}" if query else ""


def _model(fields: dict[str, Any]) -> HubModel | None:
    """None for one that the engine cannot run; raises ValueError or TypeError for what is no model."""
    from huggingface_hub import ModelInfo

    info = ModelInfo(**fields)
    if not isinstance(info.downloads, (int, type(None))):
        raise ValueError(f"{info.downloads!r} is no number of downloads")
    tags = set(info.tags or ())
    is_gguf = "gguf" in tags and "mlx" not in tags
    known = (info.gguf or {}).get("architecture") in GGUF_ARCHITECTURES if is_gguf else not tags & _FOREIGN
    if not is_repository(info.id) or not known or (info.pipeline_tag not in _TEXT_TASKS and not is_drafter(info.id)):
        return None
    return HubModel(
        repo_id=info.id,
        downloads=info.downloads or 0,
        licence=licence_of(info),
        is_gated=bool(info.gated),
        changed_at=info.last_modified.timestamp() if isinstance(info.last_modified, datetime) else 0.0,
    )
