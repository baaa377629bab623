"""What a config.json says about a model's shape, and whether mlx-lm has its architecture; imports no MLX."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engine.models.errors import ModelError

_CONTEXT_KEYS = ("max_position_embeddings", "n_positions", "max_seq_len", "max_sequence_length", "seq_length", "n_ctx")
_DEFAULT_CONTEXT = 4096  # where neither config nor tokenizer says
_LARGEST_NUMBER = 2**48  # beyond every size of a model; what is computed of damaged ones would overflow
_LARGEST_FACTOR = 2**16


def text_config(config: dict[str, Any]) -> dict[str, Any]:
    """The config of the language model: what `text_config` holds goes before the outer values."""
    inner = config.get("text_config")
    return config | inner if isinstance(inner, dict) else config


def language_config(config: dict[str, Any]) -> dict[str, Any]:
    """The same with the whole model's type, by which mlx-lm chooses its class."""
    return text_config(config) | {"model_type": config.get("model_type")}


def find_number(config: dict[str, Any], *names: str, default: int = 0) -> int:
    """The first of some names that is a whole number above 0, and not beyond all sizes."""
    for name in names:
        value = config.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LARGEST_NUMBER:
            return value
    return default


def find_section(config: dict[str, Any], *names: str) -> dict[str, Any]:
    """The first of some names that is an object and not empty; else an empty one."""
    return next((config[name] for name in names if isinstance(config.get(name), dict) and config[name]), {})


def num_layers(config: dict[str, Any]) -> int:
    """Decoder layers."""
    return find_number(config, "num_hidden_layers", "num_layers", "n_layers", "n_layer")


def context_length(config: dict[str, Any], tokenizer_config: dict[str, Any]) -> int:
    """Tokens that the model was made for; YaRN's factor counts where the config states the length before it."""
    length = find_number(config, *_CONTEXT_KEYS)
    scaling = find_section(config, "rope_scaling", "rope_parameters")
    if "yarn" in str(scaling.get("rope_type") or scaling.get("type")):
        original = find_number(scaling, "original_max_position_embeddings")
        factor = scaling.get("factor")
        if isinstance(factor, int | float) and 0 < factor <= _LARGEST_FACTOR:
            length = max(length, int(original * factor))
    stated = find_number(tokenizer_config, "model_max_length")
    return length or (stated if stated < 10**8 else 0) or _DEFAULT_CONTEXT


def head_size(config: dict[str, Any]) -> int:
    """Numbers in one attention head's key."""
    hidden = find_number(config, "hidden_size", "n_embd", "d_model", default=1)
    return find_number(config, "head_dim", default=hidden // num_heads(config))


def num_heads(config: dict[str, Any]) -> int:
    """Attention heads of a layer."""
    return find_number(config, "num_attention_heads", "n_head", "n_heads", default=1)


def check_architecture(model_type: Any) -> str:
    """The model type, if mlx-lm has a module for it; else ModelError."""
    if not isinstance(model_type, str) or not model_type:
        raise ModelError("config.json names no model_type; download the model again, in MLX format")
    remapped = _remapping().get(model_type, model_type)
    module = _mlx_lm_folder() / "models" / f"{remapped}.py"
    is_name = re.fullmatch(r"[\w-]+", remapped)
    if not is_name or not module.is_file() or "\nclass Model(" not in module.read_text(encoding="utf-8"):
        raise ModelError(
            f"model type {model_type!r} is not known to the installed mlx-lm; update Slipstream or choose another model"
        )
    return model_type


def _mlx_lm_folder() -> Path:
    spec = find_spec("mlx_lm")
    if spec is None or not spec.submodule_search_locations:
        raise ModelError("mlx-lm is not installed; install Slipstream again")
    return Path(spec.submodule_search_locations[0])


@lru_cache(maxsize=1)
def _remapping() -> dict[str, str]:
    """mlx-lm's own table, read as text since importing it would load MLX."""
    tree = ast.parse((_mlx_lm_folder() / "utils.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(getattr(name, "id", "") == "MODEL_REMAPPING" for name in node.targets):
            return dict(ast.literal_eval(node.value))
    return {}
