"""A repository's name for people: mlx-community/Qwen3-8B-4bit is Qwen3 8B, 4-bit."""

from __future__ import annotations

import re

from app.library.catalogue import known_names

_BITS = re.compile(r"[-_.](\d)[-_]?bits?(?=$|[-_.])", re.IGNORECASE)
_TYPES = re.compile(r"[-_.](bf16|fp16|fp8|f16|mxfp\d|nvfp4|q\d[\w]*)(?=$|[-_.])", re.IGNORECASE)
_NOISE = re.compile(r"[-_.](mlx|gguf|instruct|it|hf|chat)(?=$|[-_.])", re.IGNORECASE)


def name_parts(repo_id: str) -> tuple[str, str]:
    """Name and quantisation, "" where the name has none; as the catalogue has them where it has."""
    return known_names().get(repo_id) or _read(repo_id)


def _read(repo_id: str) -> tuple[str, str]:
    name = repo_id.rpartition("/")[2]
    quantisation = ""
    if bits := _BITS.search(name):
        quantisation = f"{bits[1]}-bit"
        name = name[: bits.start()] + name[bits.end() :]
    elif kind := _TYPES.search(name):
        quantisation = kind[1]
        name = name[: kind.start()] + name[kind.end() :]
    shorter = _NOISE.sub("", name)
    words = re.sub(r"[-_]+", " ", shorter).strip() or name
    return words[:1].upper() + words[1:], quantisation
