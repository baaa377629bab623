"""The forward of a native MTP head: the token that follows and what the target made of the one before it.

Source: DeepSeek-V3, arXiv:2412.19437, section 2.2. The embedding comes first, and what is read and handed on is the
hidden state after the final norm, as in DeepSeek's, transformers' and vLLM's code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.base import create_attention_mask
from mlx_lm.models.cache import CacheList, KVCache

from engine.drafters.mtp.families import open_caches, open_layers
from engine.kv.nested import Nested
from engine.models.architecture import find_number
from engine.models.drafting.mtp import MtpSpec


class MtpModel(nn.Module):
    """A head without embedding and logits, which are its target's."""

    def __init__(self, spec: MtpSpec) -> None:
        super().__init__()
        self._spec = spec
        size, epsilon = spec.hidden_size, float(spec.config.get("rms_norm_eps", 1e-6))
        self.enorm = nn.RMSNorm(size, epsilon)
        self.hnorm = nn.RMSNorm(size, epsilon)
        self.eh_proj = nn.Linear(2 * size, size, bias=False)
        self.layers = open_layers(spec)
        self.norm = nn.RMSNorm(size, epsilon)
        self._wants_array = bool(find_number(spec.config, "kv_lora_rank"))  # latent attention adds the mask itself

    def make_cache(self) -> list[KVCache | CacheList]:
        """Empty caches of its layers, by which rows choose their layout."""
        return open_caches(self._spec)

    def __call__(self, embedded: mx.array, hidden: mx.array, cache: Sequence[Any] | None = None) -> mx.array:
        """Read pairs behind those in `cache`, both [rows, width, hidden]; returns the output after the norm.

        That is what the target's head takes, and what the next pair reads as its hidden state.
        """
        caches = cache or [None] * len(self.layers)
        x = self.eh_proj(mx.concatenate([self.enorm(embedded), self.hnorm(hidden)], axis=-1))
        first = caches[0][0] if isinstance(caches[0], Nested | CacheList) else caches[0]
        mask = create_attention_mask(x, first, return_array=self._wants_array)
        for layer, layer_cache in zip(self.layers, caches, strict=True):
            x = layer(x, mask, layer_cache)
        return self.norm(x)
