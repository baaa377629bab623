"""What a repository of the hub holds, and which of its files a model needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Types of tensors that the engine imports from GGUF without rounding them anew.
READABLE_GGUF = ("F32", "F16", "Q8_0", "Q4_1", "Q4_0")
_GGUF_KIND = re.compile(r"[-._]((?:I?Q\d\w*)|BF16|F16|F32|MXFP4\w*)\.gguf$", re.IGNORECASE)
_SHARD = re.compile(r"-(\d{5})-of-(\d{5})\.\w+$")
_NOT_MODELS = ("mmproj", "consolidated", "training_args", "optimizer")
_TEXTS = frozenset(("merges.txt", "vocab.txt", "readme.md", "notice", "notice.txt"))
_TOKENIZERS = (".tiktoken", ".model", ".jinja")


@dataclass(frozen=True, slots=True)
class RepoFile:
    """`etag` is the name of its blob in the cache: its sha256 where it is large, else git's sha1 of it."""

    path: str
    size: int  # bytes
    etag: str
    is_large: bool = False

    @property
    def is_weights(self) -> bool:
        return self.path.endswith((".safetensors", ".gguf"))


@dataclass(frozen=True, slots=True)
class Repository:
    repo_id: str
    revision: str  # the commit that the files are of
    files: tuple[RepoFile, ...]
    licence: str = ""
    is_gated: bool = False


@dataclass(frozen=True, slots=True)
class Variant:
    """One quantisation of a repository that holds several GGUF files."""

    name: str  # "Q4_0"
    size: int  # bytes
    path: str


def size_of(files: Iterable[RepoFile]) -> int:
    return sum(file.size for file in files)


def needed_files(files: Sequence[RepoFile], variant: str = "") -> tuple[RepoFile, ...]:
    """What is downloaded: weights, configuration, tokenizer, template and licence; small files first.

    `variant` names the quantisation of a GGUF repository; "" takes its first where it holds nothing else.
    Code and pickled weights are never among them.
    """
    chosen = [one for one in variants(files) if one.name == variant or not variant][:1]
    if not _has_safetensors(files) or variant:
        kept = [file for file in files if file.path in {one.path for one in chosen} or _is_licence(file.path)]
    else:
        kept = [file for file in files if _is_needed(file.path)]
    return tuple(sorted(kept, key=lambda file: (file.is_weights, file.path)))


def variants(files: Iterable[RepoFile]) -> tuple[Variant, ...]:
    """Whole GGUF files of types that the engine reads, the smallest first."""
    found = []
    for file in files:
        kind = _GGUF_KIND.search(file.path)
        is_model = not file.path.rpartition("/")[2].lower().startswith(_NOT_MODELS)
        if kind and is_model and kind[1].upper() in READABLE_GGUF:
            found.append(Variant(kind[1].upper(), file.size, file.path))
    return tuple(sorted(found, key=lambda one: one.size))


def shard_of(path: str) -> tuple[int, int] | None:
    """(2, 4) for the second shard of four; None for a file that is none."""
    match = _SHARD.search(path)
    return (int(match[1]), int(match[2])) if match else None


def _has_safetensors(files: Iterable[RepoFile]) -> bool:
    return any(file.path.endswith(".safetensors") and _is_needed(file.path) for file in files)


def _is_needed(path: str) -> bool:
    """Only files beside config.json: folders hold the same weights for other programs."""
    name = path.lower()
    if "/" in name or name.startswith((".", *_NOT_MODELS)):
        return False
    return name.endswith((".safetensors", ".json", *_TOKENIZERS)) or name in _TEXTS or _is_licence(path)


def _is_licence(path: str) -> bool:
    return "/" not in path and path.lower().startswith(("license", "licence", "readme.md", "use_policy"))
