"""The models that are on the disk on the tour, as files without content, and what the scripted engine says of them."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from engine.messages import (
    STARTER,
    DrafterFacts,
    EstimateMemory,
    InspectDrafter,
    MemoryEstimate,
    ModelFacts,
    Sampling,
)
from tests.app.fake_engine import facts_of

LIMIT_BYTES = 27_000_000_000
LLAMA_MISFIT = "Its vocabulary has 128,256 entries; this model has 151,936."
STARTER_MISFIT = "Its vocabulary has 49,152 entries; this model has 151,936."
GEMMA_MISFIT = "It reads layers of width 2,560; this model has 4,096."
NO_KIND = "Q5_K_M is not supported; Q4_0, Q4_1 and Q8_0 are."


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A model; `kv_bytes` are of one token."""

    gigabytes: float
    num_layers: int = 0
    context_length: int = 0
    kv_bytes: int = 0
    licence: str = "apache-2.0"
    kind: str = "model"  # as DrafterFacts has it
    refusal: str = ""  # beside Qwen3 8B


IN_CACHE = {
    "mlx-community/Qwen3-8B-4bit": OnDisk(4.6, 36, 40_960, 147_456),
    "mlx-community/Qwen3-32B-4bit": OnDisk(18.6, 64, 40_960, 262_144),
    "mlx-community/Qwen3-235B-A22B-4bit": OnDisk(132.3, 94, 40_960, 192_512),
    "mlx-community/Qwen3-0.6B-4bit": OnDisk(0.4, 28, 40_960, 114_688),
    "mlx-community/Qwen3-1.7B-4bit": OnDisk(1.1, 28, 40_960, 114_688),
    "z-lab/Qwen3-8B-DFlash-b16": OnDisk(0.8, kind="dflash"),
    "AngelSlim/Qwen3-8B_eagle3": OnDisk(0.5, kind="eagle3"),
    "google/gemma-4-E4B-it-assistant": OnDisk(0.3, kind="assistant", refusal=GEMMA_MISFIT),
}
IN_LM_STUDIO = {
    "mlx-community/Llama-3.2-1B-Instruct-4bit": OnDisk(0.7, 16, 131_072, 32_768, "llama3.2", refusal=LLAMA_MISFIT),
    "mlx-community/Mistral-Small-24B-Instruct-2501-4bit": OnDisk(13.3, 40, 32_768, 163_840, refusal=LLAMA_MISFIT),
}
UNREADABLE = "Qwen/Qwen2.5-7B-Instruct-GGUF/qwen2.5-7b-instruct-q5_k_m.gguf"
KNOWN = {name.rsplit("/", 1)[-1]: model for name, model in (IN_CACHE | IN_LM_STUDIO).items()}
QWEN, BIG, HUGE, DFLASH, EAGLE, SMALL, SMALLEST = (
    *("Qwen3-8B-4bit", "Qwen3-32B-4bit", "Qwen3-235B-A22B-4bit", "Qwen3-8B-DFlash-b16", "Qwen3-8B_eagle3"),
    *("Qwen3-1.7B-4bit", "Qwen3-0.6B-4bit"),
)


def name_of(path: str) -> str:
    """Of a folder, or of an entry of the shared cache."""
    return path.rstrip("/").rsplit("/", 1)[-1].rsplit("--", 1)[-1]


def fill(home: Path) -> None:
    for name, model in IN_CACHE.items():
        entry = home / ".cache" / "huggingface" / "hub" / f"models--{name.replace('/', '--')}"
        make_folder(entry / "snapshots" / "main", model)
        (entry / "refs").mkdir()
        (entry / "refs" / "main").write_text("main")
    lm_studio = home / ".lmstudio" / "models"
    for name, model in IN_LM_STUDIO.items():
        make_folder(lm_studio / name, model)
    (lm_studio / UNREADABLE).parent.mkdir(parents=True)
    make_file(lm_studio / UNREADABLE, 5.4)


def make_folder(folder: Path, model: OnDisk) -> None:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    make_file(folder / "model.safetensors", model.gigabytes)


def make_file(path: Path, gigabytes: float) -> None:
    """As long as that, with nothing in it."""
    path.touch()
    os.truncate(path, int(gigabytes * 1e9))


def entry_of(name: str) -> str:
    """The path of one in the shared cache."""
    whole = next(one for one in IN_CACHE if one.endswith(name))
    return str(Path.home() / ".cache" / "huggingface" / "hub" / f"models--{whole.replace('/', '--')}")


def refusal_of(target: str) -> str:
    """Why something is no model of its own."""
    model = KNOWN.get(name_of(target))
    if target.endswith(".gguf"):
        return NO_KIND
    return "It drafts, and does nothing else." if model is not None and model.kind != "model" else ""


def facts(target: str) -> ModelFacts:
    known = KNOWN.get(name_of(target))
    made = facts_of(target)
    if known is None:
        weights, kv = (98_000_000, 46_080) if target == STARTER else (4_600_000_000, 131_072)
        return replace(made, weight_bytes=weights, kv_bytes_per_token=kv, licence="apache-2.0")
    return replace(
        made,
        name=name_of(target).removesuffix("-4bit").replace("-", " "),
        context_length=known.context_length,
        num_layers=known.num_layers,
        weight_bytes=int(known.gigabytes * 1e9),
        kv_bytes_per_token=known.kv_bytes,
        licence=known.licence,
        sampling=Sampling(temperature=0.6, top_p=0.95, top_k=20),
    )


def drafter(question: InspectDrafter) -> DrafterFacts:
    path, name = question.path, name_of(question.path)
    known = KNOWN.get(name)
    if known is None:
        return DrafterFacts("", "model", path, path, refusal=STARTER_MISFIT, is_model=True)
    refusal = "" if name_of(question.target or "") == QWEN or not question.target else LLAMA_MISFIT
    return DrafterFacts(
        f"{known.kind}:{path}",
        known.kind,
        path,
        name,
        refusal=known.refusal if name_of(question.target or "") == QWEN else refusal,
        block_size=8 if known.kind == "dflash" else 0,
        quantisation="4-bit",
        weight_bytes=int(known.gigabytes * 1e9),
        is_model=known.kind == "model",
    )


def estimate(question: EstimateMemory) -> MemoryEstimate:
    model, drafter_name = facts(question.target), name_of(question.drafter)
    drafts = KNOWN.get(drafter_name)
    tokens = question.context_length * question.num_rows
    return MemoryEstimate(
        weight_bytes=model.weight_bytes,
        drafter_bytes=int(drafts.gigabytes * 1e9) if drafts else 0,
        kv_bytes=tokens * model.kv_bytes_per_token * (question.kv.bits or 16) // 16,
        available_bytes=LIMIT_BYTES,
        working_bytes=min(1_100_000_000, model.weight_bytes // 4),
        limit_bytes=LIMIT_BYTES,
    )
