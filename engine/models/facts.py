"""What is known of a model folder from its files alone: nothing is loaded, executed or fetched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.messages import KvScheme, ModelFacts
from engine.models.architecture import (
    check_architecture,
    context_length,
    find_number,
    find_section,
    language_config,
    num_layers,
)
from engine.models.device import runs_on_cuda
from engine.models.errors import ModelError
from engine.models.generation import read_sampling
from engine.models.licence import read_licence
from engine.models.locate import model_name
from engine.models.precision import kv_element_bytes
from engine.models.proven import batch_refusal, why_unquantised
from engine.models.state_size import state_size
from engine.models.tokenizer_files import (
    added_tokens,
    check_tokenizer,
    has_template,
    listed_tokens,
    read_json,
    tokenizer_identity,
)
from engine.models.weights import Weights, read_weights
from engine.text.reasoning import find_tags, named_tags
from engine.text.switches import find_switches
from engine.text.tokenizer_settings import read_special_tokens, read_template

# quantized_matmul of MLX 0.32.4 has no kernel for most shapes of attention there, and compiles others in vain
NO_CUDA_KERNELS = "The KV cache cannot be quantised: MLX's CUDA backend has no kernels for it. It is kept unquantised."


def read_facts(target: str, folder: Path) -> ModelFacts:
    """Read and check a model folder; ModelError names the file that is missing, damaged or refused."""
    try:
        return _read_facts(target, folder)
    except OSError as error:
        raise ModelError(f"the model in {str(folder)!r} cannot be read: {error}") from error


def _read_facts(target: str, folder: Path) -> ModelFacts:
    config = read_config(folder)
    language = language_config(config)
    check_tokenizer(folder)
    tokenizer_config = _tokenizer_config(folder)
    weights = read_weights(folder, config)
    tokenizer_id = tokenizer_identity(folder)
    tokens = (*added_tokens(folder, tokenizer_id), *listed_tokens(tokenizer_config))
    return ModelFacts(
        target=target,
        folder=str(folder),
        name=model_name(folder),
        model_type=check_architecture(config.get("model_type")),
        context_length=context_length(language, tokenizer_config),
        vocab_size=find_number(language, "vocab_size"),
        num_layers=num_layers(language),
        quantisation=_quantisation(config, weights),
        weight_bytes=weights.num_bytes,
        kv_bytes_per_token=state_size(language).per_new_token * kv_element_bytes(weights),
        tokenizer_id=tokenizer_id,
        has_template=has_template(folder, tokenizer_config),
        batch_refusal=batch_refusal(language),
        switches=find_switches(read_template(folder), tuple(read_special_tokens(folder).items())),
        reasoning=find_tags(tokens, named_tags(tokenizer_config)),
        sampling=read_sampling(folder),
        licence=read_licence(folder, config),
    )


def under_template(facts: ModelFacts, template: str) -> ModelFacts:
    """Facts with the switches of a template that is used in place of the model's own."""
    if not template:
        return facts
    return replace(facts, switches=find_switches(template, tuple(read_special_tokens(Path(facts.folder)).items())))


def kv_refusal(facts: ModelFacts, kv: KvScheme) -> str:
    """Why a model's keys and values cannot be kept so, as a sentence; "" where they can."""
    if not kv.bits:
        return ""
    if runs_on_cuda():
        return NO_CUDA_KERNELS
    return why_unquantised(language_config(read_config(Path(facts.folder))), kv.group_size)


def read_config(folder: Path) -> dict[str, Any]:
    """config.json, refused where the model wants to run code of its own."""
    config = read_json(folder / "config.json")
    _refuse_code(folder / "config.json", config, ("model_file", "auto_map"))
    _refuse_code(folder / "config.json", find_section(config, "text_config"), ("model_file", "auto_map"))
    return config


def _tokenizer_config(folder: Path) -> dict[str, Any]:
    path = folder / "tokenizer_config.json"
    if not path.exists() and not path.is_symlink():
        return {}
    config = read_json(path)
    _refuse_code(path, config, ("auto_map",))
    return config


def _refuse_code(path: Path, config: dict[str, Any], keys: tuple[str, ...]) -> None:
    for key in keys:
        if config.get(key):
            raise ModelError(
                f"{path.name} in {str(path.parent)!r} asks to run the model's own Python code "
                f"({key} = {config[key]!r}), which is never done; "
                "choose a conversion of the model that mlx-lm loads without it"
            )


def _quantisation(config: dict[str, Any], weights: Weights) -> str:
    settings = find_section(config, "quantization")
    if "bits" in settings:
        mode = settings.get("mode", "affine")
        return f"{settings['bits']}-bit" if mode == "affine" else str(mode)
    foreign = find_section(config, "quantization_config")
    if foreign.get("quant_method"):
        bits = foreign.get("bits")
        return str(foreign["quant_method"]) + (f" {bits}-bit" if bits else "")
    return weights.float_name
