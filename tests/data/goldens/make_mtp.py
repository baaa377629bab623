"""Make the goldens of native MTP heads: what published implementations compute with tiny random heads.

Run with torch 2.14.1, transformers 5.24.0 and mlx-vlm 0.7.10 (which brings mlx 0.32.4) on a CPU:
`python tests/data/goldens/make_mtp.py FOLDER` writes one mtp_*.safetensors for each family. A file holds the head's
tensors as they are published, `input.embeddings` [1, pairs + 1, hidden] and `input.hidden` [1, pairs, hidden], the
outputs after the head's own norm as `output`, and as `chained` [1, 1, hidden] the one of a further pair that reads the
last output as its hidden state. The config is in the file's metadata.

GLM and DeepSeek heads come from transformers' MtpModel, Qwen heads from transformers' decoder layers with the
arithmetic of speculators' MTP in front of them (mlx-vlm has to agree), GLM-5's from mlx-vlm.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import mlx.core as mx
import numpy as np
import torch
from mtp_shapes import DELTA, EXPERTS, FLAT, HIDDEN, LATENT, MLX_ONLY, PAIRS, ROUTED, SHAPE, VOCABULARY
from safetensors.torch import load_file, save_file


def fill(module: torch.nn.Module, generator: torch.Generator, zero_centred: bool = False) -> None:
    """Give every parameter and buffer of a head a value that matters."""
    for name, tensor in module.state_dict().items():
        if "inv_freq" in name:
            continue
        noise = torch.randn(tensor.shape, generator=generator)
        if "norm" in name and tensor.dim() == 1:
            tensor.copy_(0.2 * noise + (0 if zero_centred or name.endswith("bias") else 1))
        else:
            tensor.copy_(0.3 * noise)


def save(path: Path, config: dict, tensors: dict, embeddings, hidden, output, chained) -> None:
    inputs = {"input.embeddings": embeddings, "input.hidden": hidden, "output": output, "chained": chained}
    kept = {name: torch.as_tensor(value).float().contiguous() for name, value in {**tensors, **inputs}.items()}
    save_file(kept, str(path), {"format": "pt", "config": json.dumps(config)})
    print(path.name, path.stat().st_size)


def chain(read, embeddings, hidden):
    """Outputs of `read` over all pairs but the last, and of the last, which reads the output before it."""
    output = read(embeddings[:, :-1], hidden)
    whole = read(embeddings, torch.cat([hidden, output[:, -1:]], dim=1))
    return output, whole[:, -1:]


def with_head(folder: Path, model_class, config, generator: torch.Generator) -> dict:
    """Save a tiny model with one layer more than it has, as such models are published; returns the head's tensors."""
    model = model_class(config).eval().float()
    with torch.no_grad():
        fill(model, generator)
    model.save_pretrained(folder)
    tensors = load_file(folder / "model.safetensors")
    prefix, last = f"model.layers.{config.num_hidden_layers}.", "model.layers.1."
    shapes = {name.removeprefix(last): value.shape for name, value in tensors.items() if name.startswith(last)}
    shapes |= {f"{name}.weight": (HIDDEN,) for name in ("enorm", "hnorm", "shared_head.norm")}
    shapes["eh_proj.weight"] = (HIDDEN, 2 * HIDDEN)
    head = {}
    for name, shape in shapes.items():
        noise = torch.randn(shape, generator=generator)
        head[prefix + name] = 0.2 * noise + 1 if "norm" in name else 0.3 * noise
    save_file({**tensors, **head}, folder / "model.safetensors", {"format": "pt"})
    return head


def nextn(path: Path, model_type: str, config_class, model_class, **changes) -> None:
    """A head that is the layer after the last, through transformers' MtpModel."""
    from transformers.cache_utils import MtpCache
    from transformers.modeling_layers import MtpModel

    generator = torch.Generator().manual_seed(3)
    config = config_class(**{**SHAPE, **EXPERTS, **changes})
    config._attn_implementation = "eager"
    model_class._keys_to_ignore_on_load_unexpected = [rf"model\.layers\.{config.num_hidden_layers}\..*"]
    with tempfile.TemporaryDirectory() as folder:
        head = with_head(Path(folder), model_class, config, generator)
        model = model_class.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
        model.config.num_mtp_layers, model.config.mtp_mlp_layer_types = 1, ["sparse"]  # some configs do not say it
        mtp = MtpModel.from_pretrained(model, device_map={"": "cpu"}).eval()

    def read(embeddings, hidden):
        cache = MtpCache(config=model.config.get_mtp_config())
        cache.activate_past_recording()
        positions = torch.arange(embeddings.shape[1])[None]
        return mtp.forward_layer(0, hidden, positions, cache, inputs_embeds=embeddings)

    with torch.no_grad():
        token_ids = torch.randint(0, VOCABULARY, (1, PAIRS + 1), generator=generator)
        hidden = model(token_ids, output_hidden_states=True).hidden_states[-1][:, :PAIRS]
        embeddings = model.get_input_embeddings()(token_ids.flip(1))
        output, chained = chain(read, embeddings, hidden)
    told = {**SHAPE, **EXPERTS, **MLX_ONLY, **changes, "model_type": model_type, "rope_scaling": None}
    save(path, told, head, embeddings, hidden, output, chained)


def qwen(path: Path, config, layer_class, norm_class, rotary_class, told: dict) -> None:
    """A head of Qwen's layout: transformers' decoder layer, and what stands before and after it."""
    generator = torch.Generator().manual_seed(len(told["model_type"]))
    config._attn_implementation = "eager"
    layer = layer_class(config, 3).eval().float()
    norms = {name: norm_class(HIDDEN, eps=config.rms_norm_eps) for name in ("embedding", "hidden", "out")}
    projection = torch.nn.Linear(2 * HIDDEN, HIDDEN, bias=False)
    rotary = rotary_class(config)
    with torch.no_grad():
        for module in (layer, projection):
            fill(module, generator, zero_centred=True)
        for norm in norms.values():
            norm.weight.copy_(0.2 * torch.randn(HIDDEN, generator=generator))
    embeddings = torch.randn(1, PAIRS + 1, HIDDEN, generator=generator)
    hidden = 1.5 * torch.randn(1, PAIRS, HIDDEN, generator=generator)

    def read(embeddings, hidden):
        width = embeddings.shape[1]
        positions = torch.arange(width)[None]
        x = projection(torch.cat([norms["embedding"](embeddings), norms["hidden"](hidden)], -1))
        mask = torch.full((width, width), -1e9).triu(1)[None, None]
        out = layer(x, position_embeddings=rotary(x, positions), attention_mask=mask, position_ids=positions)
        return norms["out"](out[0] if isinstance(out, tuple) else out)

    with torch.no_grad():
        output, chained = chain(read, embeddings, hidden)
    tensors = {
        "mtp.fc.weight": projection.weight.detach(),
        "mtp.pre_fc_norm_embedding.weight": norms["embedding"].weight.detach(),
        "mtp.pre_fc_norm_hidden.weight": norms["hidden"].weight.detach(),
        "mtp.norm.weight": norms["out"].weight.detach(),
        **{f"mtp.layers.0.{name}": value for name, value in layer.state_dict().items()},
    }
    agree_with_mlx_vlm(told, tensors, embeddings[:, :-1], hidden, output)
    if told["model_type"] == "qwen3_next":
        tensors = one_an_expert(tensors)
    save(path, told, tensors, embeddings, hidden, output, chained)


def agree_with_mlx_vlm(told: dict, tensors: dict, embeddings, hidden, output) -> None:
    from mlx_vlm.speculative.drafters.qwen3_5_mtp.config import Qwen3_5MTPConfig
    from mlx_vlm.speculative.drafters.qwen3_5_mtp.qwen3_5_mtp import Qwen3_5MTPDraftModel

    rope = {**told["rope_parameters"], "mrope_section": [1, 1, 0], "mrope_interleaved": True}
    text = {**told, "rope_parameters": rope, "model_type": "qwen3_5_text"}
    model = Qwen3_5MTPDraftModel(Qwen3_5MTPConfig.from_dict({"model_type": "qwen3_5_mtp", "text_config": text}))
    model.load_weights(list(model.sanitize({name: mx.array(v.numpy()) for name, v in tensors.items()}).items()))
    positions = mx.arange(embeddings.shape[1])[None]
    theirs = model._forward_hidden(mx.array(embeddings.numpy()), mx.array(hidden.numpy()), None, positions)
    difference = np.abs(np.array(theirs) - output.numpy()).max()
    print("difference to mlx-vlm", difference)
    assert difference < 1e-4


def one_an_expert(tensors: dict) -> dict:
    """As Qwen3-Next is published: experts are not joined, unlike Qwen3.5's."""
    tensors = dict(tensors)
    prefix = "mtp.layers.0.mlp.experts."
    joined, down = tensors.pop(f"{prefix}gate_up_proj"), tensors.pop(f"{prefix}down_proj")
    for expert, (pair, matrix) in enumerate(zip(joined, down, strict=True)):
        gate, up = pair.chunk(2)
        for name, value in (("gate", gate), ("up", up), ("down", matrix)):
            tensors[f"{prefix}{expert}.{name}_proj.weight"] = value
    return tensors


def glm_moe_dsa(path: Path) -> None:
    """GLM-5's head, whose attention reads the few tokens that an indexer picks."""
    from mlx_vlm.models.glm_moe_dsa.config import ModelConfig
    from mlx_vlm.models.glm_moe_dsa.language import GlmMoeDsaMTP

    told = {
        **SHAPE,
        **EXPERTS,
        **LATENT,
        **MLX_ONLY,
        "model_type": "glm_moe_dsa",
        "index_head_dim": 16,
        "index_n_heads": 2,
        "index_topk": 5,
        "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"},
    }
    head = GlmMoeDsaMTP(ModelConfig.from_dict(told))
    generator = torch.Generator().manual_seed(5)
    from mlx.utils import tree_flatten

    weights = {}
    for name, value in tree_flatten(head.parameters()):
        noise = torch.randn(tuple(value.shape), generator=generator)
        is_norm = "norm" in name and not name.endswith("bias")
        weights[name] = (0.2 * noise + 1 if is_norm else 0.3 * noise).numpy()
    head.load_weights([(name, mx.array(value)) for name, value in weights.items()])
    embeddings = torch.randn(1, PAIRS + 1, HIDDEN, generator=generator)
    hidden = torch.randn(1, PAIRS, HIDDEN, generator=generator)

    def read(embeddings, hidden):
        from mlx_lm.models.base import create_causal_mask

        mask = create_causal_mask(embeddings.shape[1])
        return torch.tensor(np.array(head(mx.array(hidden.numpy()), mx.array(embeddings.numpy()), mask, None)))

    output, chained = chain(read, embeddings, hidden)
    save(path, told, published(weights), embeddings, hidden, output, chained)


def published(weights: dict) -> dict:
    """The names and shapes of a checkpoint: one tensor an expert, one for both halves of the latent projection."""
    prefix = "model.layers.2."
    tensors = {}
    for name, value in weights.items():
        if ".switch_mlp." in name:
            for expert, matrix in enumerate(value):
                tensors[prefix + name.replace("switch_mlp", f"experts.{expert}")] = matrix
        elif name == "shared_head_norm.weight":
            tensors[f"{prefix}shared_head.norm.weight"] = value
        elif "embed_q" not in name and "unembed_out" not in name:
            tensors[prefix + name] = value
    keys = weights["self_attn.embed_q.weight"].swapaxes(1, 2)
    joined = np.concatenate([keys, weights["self_attn.unembed_out.weight"]], axis=1)
    tensors[f"{prefix}self_attn.kv_b_proj.weight"] = joined.reshape(-1, joined.shape[-1])
    return tensors


def make_next(folder: Path) -> None:
    from transformers import DeepseekV3Config, Glm4MoeConfig, Glm4MoeLiteConfig
    from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3ForCausalLM
    from transformers.models.glm4_moe.modeling_glm4_moe import Glm4MoeForCausalLM
    from transformers.models.glm4_moe_lite.modeling_glm4_moe_lite import Glm4MoeLiteForCausalLM

    heads = {"head_dim": 8, "use_qk_norm": True, "partial_rotary_factor": 0.5}
    for name, config_class, model_class, changes in (
        ("glm4_moe", Glm4MoeConfig, Glm4MoeForCausalLM, heads),
        ("glm4_moe_lite", Glm4MoeLiteConfig, Glm4MoeLiteForCausalLM, LATENT),
        ("deepseek_v3", DeepseekV3Config, DeepseekV3ForCausalLM, LATENT),
    ):
        nextn(folder / f"mtp_{name}.safetensors", name, config_class, model_class, **changes)


def make_qwen(folder: Path) -> None:
    from transformers import Qwen3NextConfig
    from transformers.models.qwen3_5 import modeling_qwen3_5 as dense
    from transformers.models.qwen3_5.configuration_qwen3_5 import Qwen3_5TextConfig
    from transformers.models.qwen3_5_moe import modeling_qwen3_5_moe as moe
    from transformers.models.qwen3_5_moe.configuration_qwen3_5_moe import Qwen3_5MoeTextConfig
    from transformers.models.qwen3_next import modeling_qwen3_next as following

    dense_parts = (dense.Qwen3_5DecoderLayer, dense.Qwen3_5RMSNorm, dense.Qwen3_5TextRotaryEmbedding)
    moe_parts = (moe.Qwen3_5MoeDecoderLayer, moe.Qwen3_5MoeRMSNorm, moe.Qwen3_5MoeTextRotaryEmbedding)
    next_parts = (following.Qwen3NextDecoderLayer, following.Qwen3NextRMSNorm, following.Qwen3NextRotaryEmbedding)
    for name, config_class, parts, extra in (
        ("qwen3_5", Qwen3_5TextConfig, dense_parts, {}),
        ("qwen3_5_moe", Qwen3_5MoeTextConfig, moe_parts, ROUTED),
        ("qwen3_next", Qwen3NextConfig, next_parts, ROUTED),
    ):
        config = {**SHAPE, **DELTA, **extra}
        told = {**config, **FLAT, "rope_parameters": {**DELTA["rope_parameters"], "type": "default"}}
        qwen(folder / f"mtp_{name}.safetensors", config_class(**config), *parts, {**told, "model_type": name})


if __name__ == "__main__":
    mx.set_default_device(mx.cpu)
    make_next(Path(sys.argv[1]))
    make_qwen(Path(sys.argv[1]))
    glm_moe_dsa(Path(sys.argv[1]) / "mtp_glm_moe_dsa.safetensors")
