"""Where mlx-lm's models keep what drafters read: layers, final hidden state, embedding, head."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine.models.drafting.spec import EMBEDDING, HEAD, HIDDEN, TAPS

_INNER = ("model", "backbone", "transformer")  # names of what ends with the final norm
_EMBEDDINGS = ("embed_tokens", "embeddings", "wte", "tok_embeddings")
_HEADS = ("lm_head", "output")
_HEAD_INSIDE = frozenset(("gpt_neox",))  # models whose inner one ends with logits

Head = Callable[[mx.array], mx.array]


class Structure:
    """One model of mlx-lm by its parts; `ports` says which of them it has."""

    def __init__(self, model: nn.Module, model_type: str) -> None:
        self.model = model
        self._language: Any = getattr(model, "language_model", model)
        self._inner_name = next(
            (name for name in _INNER if isinstance(getattr(self._language, name, None), nn.Module)), ""
        )
        self.inner: Any = getattr(self._language, self._inner_name, self._language)
        self.layers: list[nn.Module] = list(model.layers)
        self._embedding_name = next((name for name in _EMBEDDINGS if hasattr(self.inner, name)), "")
        self._model_type = model_type
        self.embed_scale = self._find_scale()

    @property
    def ports(self) -> frozenset[str]:
        has_hidden = bool(self._inner_name) and self._model_type not in _HEAD_INSIDE
        found = {TAPS: bool(self.layers), HIDDEN: has_hidden, HEAD: has_hidden, EMBEDDING: bool(self._embedding_name)}
        return frozenset(port for port, is_there in found.items() if is_there)

    @property
    def hidden_size(self) -> int:
        """Of the embedding, which is the residual stream's; 0 where none is found."""
        return int(self.embed(mx.zeros((1,), dtype=mx.int32)).shape[-1]) if self._embedding_name else 0

    def embed(self, token_ids: mx.array) -> mx.array:
        """The embedding's rows for ids, [..., hidden], unscaled."""
        rows: mx.array = getattr(self.inner, self._embedding_name)(token_ids)
        return rows

    def head(self, hidden: mx.array) -> mx.array:
        """Logits for hidden states after the final norm, [rows, width, hidden]: the model's own code, soft caps too."""
        return self._apply_head(hidden, {}, {})

    def head_rows(self, token_ids: mx.array) -> tuple[Head, int]:
        """As `head`, for these ids alone, and the bytes of their rows of the matrix, which are copied."""
        outer = {name: HeadRows(getattr(self._language, name), token_ids) for name in _HEADS if name in self._language}
        inner = {} if outer else {self._embedding_name: HeadRows(getattr(self.inner, self._embedding_name), token_ids)}
        num_bytes = sum(rows.num_bytes for rows in (*outer.values(), *inner.values()))
        return lambda hidden: self._apply_head(hidden, outer, inner), num_bytes

    def _apply_head(self, hidden: mx.array, outer: dict[str, Any], inner: dict[str, Any]) -> mx.array:
        """Run the model's outermost code with a stand-in for the inner model that ends with `hidden`."""
        body = _StandIn(self.inner, inner, hidden)
        stand_in = _StandIn(self._language, {**outer, self._inner_name: body})
        token_ids = mx.zeros(hidden.shape[:-1], dtype=mx.int32)
        logits: mx.array = type(self._language).__call__(stand_in, token_ids)
        return logits

    def _find_scale(self) -> float:
        """By where the models keep it; falcon_h1's is part of its weights."""
        inner, arguments = self.inner, getattr(self._language, "args", None)
        scales = (
            getattr(inner, "embed_scale", None),
            getattr(inner, "embedding_multiplier", None),
            getattr(arguments, "scale_emb", None),
        )
        stated = next((float(scale) for scale in scales if isinstance(scale, int | float)), None)
        usual = self.hidden_size**0.5 if self._model_type.startswith("gemma") else 1.0
        return usual if stated is None else stated


class HeadRows:
    """Some rows of a head or of an embedding that serves as one."""

    def __init__(self, module: nn.Module, token_ids: mx.array) -> None:
        self._module = module
        self._parts = {
            name: mx.take(array, token_ids, axis=0) for name, array in module.items() if isinstance(array, mx.array)
        }
        mx.eval(self._parts)

    @property
    def weight(self) -> mx.array:
        return self._parts["weight"]

    @property
    def num_bytes(self) -> int:
        return sum(part.nbytes for part in self._parts.values())

    def __call__(self, hidden: mx.array) -> mx.array:
        if "scales" in self._parts:
            logits = mx.quantized_matmul(
                hidden,
                self.weight,
                self._parts["scales"],
                self._parts.get("biases"),
                transpose=True,
                group_size=self._module.group_size,
                bits=self._module.bits,
                mode=self._module.mode,
            )
        else:
            logits = hidden @ self.weight.T
        return logits + self._parts["bias"] if "bias" in self._parts else logits

    as_linear = __call__


class _StandIn:
    """A module of which some attributes are others, and whose call ends with what is given."""

    def __init__(self, module: nn.Module, others: dict[str, Any], output: mx.array | None = None) -> None:
        self._module = module
        self._others = others
        self._output = output

    def __getattr__(self, name: str) -> Any:
        return self._others[name] if name in self._others else getattr(self._module, name)

    def __call__(self, *arguments: Any, **named: Any) -> mx.array | None:
        return self._output
