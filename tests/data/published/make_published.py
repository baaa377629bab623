"""Describe published drafters: a config.json and the names, types and shapes of their tensors, without any weights.

Sizes and fields are those of the model cards and of the code that loads these checkpoints; where no copy of a file was
at hand, names follow from the modules' definitions. `{0-4}` in a name of tensors.json stands for each number from 0 to
4. Standard library only: `python tests/data/published/make_published.py` writes the folders beside this file.
"""

from __future__ import annotations

import json
from pathlib import Path

from published_configs import (
    DSPARK,
    GEMMA4_12B,
    GEMMA4_E2B,
    GLM_4_5_AIR,
    GLM_4_7_FLASH,
    GLM_5_2,
    GPT_OSS_20B,
    LFM2_DSPARK,
    QWEN3_4B,
    QWEN3_5_4B,
    QWEN3_8_27B,
    QWEN3_8B,
    Config,
)
from published_tensors import (
    Tensors,
    assistant_layers,
    attention,
    block,
    feed_forward,
    gated_layer,
    latent_attention,
    markov,
    norms,
    own_vocabulary,
    pair_layer,
    prefixed,
)


def main() -> None:
    assistant()
    dflash()
    dspark()
    eagle3()
    speculators()
    qwen3_5()
    glm()
    glm_sidecar()


def assistant() -> None:
    shapes = {"head_dim": 256, "global_head_dim": 512}
    text = GEMMA4_12B | shapes | {"hidden_size": 1024, "intermediate_size": 8192, "final_logit_softcapping": None}
    text |= {"num_hidden_layers": 4, "num_kv_shared_layers": 4, "model_type": "gemma4_unified_text"}
    text["layer_types"] = ["sliding_attention"] * 3 + ["full_attention"]
    config = {
        "architectures": ["Gemma4UnifiedAssistantForCausalLM"],
        "model_type": "gemma4_unified_assistant",
        "backbone_hidden_size": 3840,
        "use_ordered_embeddings": False,
        "num_centroids": 2048,
        "centroid_intermediate_top_k": 32,
        "tie_word_embeddings": True,
        "text_config": text,
    }
    write("gemma-4-12B-it-assistant", config, assistant_layers(text, 3840))
    text = text | GEMMA4_E2B | {"hidden_size": 256, "intermediate_size": 2048, "model_type": "gemma4_text"}
    config |= {"model_type": "gemma4_assistant", "architectures": ["Gemma4AssistantForCausalLM"]}
    config |= {"backbone_hidden_size": 1536, "use_ordered_embeddings": True, "text_config": text}
    centroids = {"masked_embedding.centroids.weight": (2048, 256), "masked_embedding.token_ordering": (262144,)}
    write("gemma-4-E2B-it-assistant", config, assistant_layers(text, 1536) | centroids)


def dflash() -> None:
    config = QWEN3_4B | {
        "architectures": ["DFlashDraftModel"],
        "auto_map": {"AutoModel": "dflash.DFlashDraftModel"},
        "block_size": 16,
        "dflash_config": {"mask_token_id": 151669, "target_layer_ids": [1, 9, 17, 25, 33]},
        "num_hidden_layers": 5,
        "num_target_layers": 36,
        "layer_types": ["full_attention"] * 5,
    }
    write("Qwen3-4B-DFlash-b16", config, block(config, 5, 5))
    newer = {key: value for key, value in config.items() if key not in ("auto_map", "block_size", "rope_theta")}
    newer |= {
        "dflash_config": {
            "block_size": 16,
            "mask_token_id": 248070,
            "target_layer_ids": [1, 5, 9, 13, 17, 21, 25, 29],
        },
        "num_hidden_layers": 6,
        "num_target_layers": 32,
        "layer_types": ["sliding_attention"] * 5 + ["full_attention"],
        "sliding_window": 4096,
        "vocab_size": 248320,
        "max_position_embeddings": 262144,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000000},
    }
    write("Qwen3.5-4B-DFlash", newer, block(newer, 6, 8))
    write("gpt-oss-20b-DFlash", GPT_OSS_20B, block(GPT_OSS_20B, 8, 5))


def dspark() -> None:
    qwen = QWEN3_4B | DSPARK | {"architectures": ["Qwen3DSparkModel"], "mask_token_id": 151669}
    qwen |= {"target_layer_ids": [1, 9, 17, 25, 33], "num_target_layers": 36}
    qwen["target_model_name_or_path"] = "Qwen/Qwen3-4B"
    write("dspark_qwen3_4b_block7", qwen, block(qwen, 5, 5) | own_vocabulary(151936, 2560) | markov(151936, 2560))
    plain = qwen | {"markov_rank": 0, "enable_confidence_head": False, "confidence_head_with_markov": False}
    write("dflash_qwen3_4b_block7", plain, block(plain, 5, 5) | own_vocabulary(151936, 2560))
    gemma = GEMMA4_12B | DSPARK | {"architectures": ["Gemma4DSparkModel"], "model_type": "gemma4_unified_text"}
    gemma |= {"mask_token_id": 4, "target_layer_ids": [1, 12, 23, 34, 45], "num_target_layers": 48}
    gemma |= {"target_model_type": "gemma4_unified", "target_model_name_or_path": "google/gemma-4-12B-it"}
    for name, own in (("LFM2-8B-A1B-DSpark", LFM2_DSPARK), ("Qwen3.8-27B-DSpark", QWEN3_8_27B)):
        write(name, own, block(own, 5, 5) | markov(own["vocab_size"], own["hidden_size"]))
    write("dspark_gemma4_12b_block7", gemma, block(gemma, 5, 5) | own_vocabulary(262144, 3840) | markov(262144, 3840))


def eagle3() -> None:
    config = QWEN3_4B | {
        "architectures": ["Qwen3Eagle3Model"],
        "num_hidden_layers": 1,
        "draft_num_hidden_layers": 1,
        "layer_types": ["full_attention"],
        "target_layer_ids": [1, 9, 17, 25, 33],
        "num_target_layers": 36,
        "ttt_length": 7,
        "step_loss_decay": 1.0,
        "target_model_name_or_path": "Qwen/Qwen3-4B",
    }
    tensors = {"fc.weight": (2560, 5 * 2560), "norm.weight": (2560,)} | own_vocabulary(151936, 2560)
    write("eagle3_qwen3_4b_ttt7", config, tensors | prefixed("layers.0.", pair_layer(config)))
    gemma = GEMMA4_12B | {key: config[key] for key in ("num_hidden_layers", "layer_types", "ttt_length")}
    gemma |= {"architectures": ["Gemma4Eagle3Model"], "model_type": "gemma4_unified_text", "num_target_layers": 48}
    gemma |= {"target_layer_ids": [1, 12, 23, 34, 45], "target_model_name_or_path": "google/gemma-4-12B-it"}
    tensors = {"fc.weight": (3840, 5 * 3840), "norm.weight": (3840,)} | own_vocabulary(262144, 3840)
    layer = pair_layer(gemma) | norms(3840, sandwich=True) | {"layer_scalar": (1,)}
    write("eagle3_gemma4_12b_ttt7", gemma, tensors | prefixed("layers.0.", layer))
    layers = {
        key: GPT_OSS_20B[key] for key in ("hidden_size", "intermediate_size", "head_dim", "rope_theta", "vocab_size")
    }
    layers |= {key: GPT_OSS_20B[key] for key in ("num_attention_heads", "num_key_value_heads", "rope_scaling")}
    layers |= {"architectures": ["LlamaForCausalLMEagle3"], "model_type": "llama", "num_hidden_layers": 1}
    layers |= {"draft_vocab_size": 32000, "max_position_embeddings": 131072, "rms_norm_eps": 1e-5}
    tensors = {"fc.weight": (2880, 3 * 2880), "norm.weight": (2880,), "lm_head.weight": (32000, 2880)}
    tensors |= {"d2t": (32000,), "t2d": (201088,)}
    layer = {name: shape for name, shape in pair_layer(layers).items() if "q_norm" not in name and "k_norm" not in name}
    write("EAGLE3-gpt-oss-20b", layers, tensors | prefixed("midlayer.", layer))


def speculators() -> None:
    verifier = {"name_or_path": "Qwen/Qwen3-8B", "architectures": ["Qwen3ForCausalLM"]}

    def methods(count: int) -> list[Config]:
        return [{"proposal_type": "greedy", "speculative_tokens": count}]

    llama = QWEN3_8B | {"model_type": "llama", "num_hidden_layers": 1}
    head = {
        "architectures": ["Eagle3Speculator"],
        "speculators_model_type": "eagle3",
        "speculators_config": {"algorithm": "eagle3", "proposal_methods": methods(3), "verifier": verifier},
        "draft_vocab_size": 32000,
        "norm_before_residual": True,
        "eagle_aux_hidden_state_layer_ids": [2, 18, 33],
        "transformer_layer_config": llama,
    }
    layer = {name: shape for name, shape in pair_layer(llama).items() if "q_norm" not in name and "k_norm" not in name}
    tensors: Tensors = {"fc.weight": (4096, 3 * 4096), "norm.weight": (4096,), "embed_tokens.weight": (151936, 4096)}
    tensors |= {"lm_head.weight": (32000, 4096), "d2t": (32000,), "t2d": (151936,)}
    write("Qwen3-8B-speculator.eagle3", head, tensors | prefixed("layers.0.", layer))
    inner = QWEN3_8B | {"num_hidden_layers": 5, "layer_types": ["full_attention"] * 5}
    config = {
        "architectures": ["DFlashSpeculator"],
        "speculators_model_type": "dflash",
        "speculators_config": {"algorithm": "dflash", "proposal_methods": methods(7), "verifier": verifier},
        "block_size": 8,
        "draft_vocab_size": 32000,
        "aux_hidden_state_layer_ids": [2, 10, 18, 26, 34],
        "mask_token_id": 151669,
        "transformer_layer_config": inner,
    }
    shared = {name: shape for name, shape in tensors.items() if name not in ("fc.weight", "norm.weight")}
    write("Qwen3-8B-speculator.dflash", config, block(inner, 5, 5) | shared)


def qwen3_5() -> None:
    source = {"architectures": ["Qwen3_5ForConditionalGeneration"], "model_type": "qwen3_5", "text_config": QWEN3_5_4B}
    layer = gated_layer(QWEN3_5_4B)
    head: Tensors = {"fc.weight": (2560, 5120), "norm.weight": (2560,)}
    head |= {"pre_fc_norm_embedding.weight": (2560,), "pre_fc_norm_hidden.weight": (2560,)}
    head |= prefixed("layers.0.", layer)
    feeding = feed_forward(2560, 9216) | norms(2560)
    body: Tensors = {"embed_tokens.weight": (248320, 2560), "norm.weight": (2560,)}
    body |= prefixed("layers.{0-31}.", feeding)
    body |= prefixed("layers.3.", {name: shape for name, shape in layer.items() if name not in feeding})
    body["layers.{0-2}.linear_attn.conv1d.weight"] = (8192, 1, 4)
    write("Qwen3.5-4B", source, prefixed("model.language_model.", body) | prefixed("mtp.", head))
    quantised = source | {"quantization": {"group_size": 64, "bits": 4}}
    body["layers.{0-2}.linear_attn.conv1d.weight"] = (8192, 4, 1)
    write("Qwen3.5-4B-4bit", quantised, prefixed("language_model.model.", body), packed=True)
    sidecar = {"model_type": "qwen3_5_mtp", "block_size": 3, "text_config": QWEN3_5_4B}
    write("Qwen3.5-4B-MTP-4bit", sidecar | {"quantization": {"group_size": 64, "bits": 4}}, head, packed=True)


def glm() -> None:
    for name, config in (("GLM-4.5-Air", GLM_4_5_AIR), ("GLM-5.2", GLM_5_2)):
        hidden, size, last = config["hidden_size"], config["moe_intermediate_size"], config["num_hidden_layers"]
        experts = config["n_routed_experts"]
        layer = norms(hidden) | (latent_attention(config) if "q_lora_rank" in config else attention(config, hidden))
        layer |= {"mlp.gate.weight": (experts, hidden), "mlp.gate.e_score_correction_bias": (experts,)}
        layer |= prefixed(f"mlp.experts.{{0-{experts - 1}}}.", feed_forward(hidden, size, ""))
        layer |= prefixed("mlp.shared_experts.", feed_forward(hidden, size, ""))
        layer |= {"enorm.weight": (hidden,), "hnorm.weight": (hidden,), "shared_head.norm.weight": (hidden,)}
        layer["eh_proj.weight"] = (hidden, 2 * hidden)
        if name == "GLM-4.5-Air":  # whose layer repeats what is the model's own
            copies = ("embed_tokens.weight", "shared_head.head.weight")
            layer |= dict.fromkeys(copies, (config["vocab_size"], hidden))
        tensors: Tensors = {"model.embed_tokens.weight": (config["vocab_size"], hidden), "model.norm.weight": (hidden,)}
        tensors |= {"lm_head.weight": (config["vocab_size"], hidden)}
        tensors |= prefixed("model.layers.0.", norms(hidden) | feed_forward(hidden, config["intermediate_size"]))
        write(name, config, tensors | prefixed(f"model.layers.{last}.", layer))


def glm_sidecar() -> None:
    """A head that mlx-vlm cut out and packed, with copies of its model's embedding and head."""
    config, hidden = GLM_4_7_FLASH, GLM_4_7_FLASH["hidden_size"]
    experts, size = config["n_routed_experts"], config["moe_intermediate_size"]
    layer = norms(hidden) | latent_attention(config, split=True)
    layer |= {"mlp.gate.weight": (experts, hidden), "mlp.gate.e_score_correction_bias": (experts,)}
    stacked = feed_forward(hidden, size, "mlp.switch_mlp.")
    layer |= {key: (experts, *shape) for key, shape in stacked.items()}
    layer |= feed_forward(hidden, size, "mlp.shared_experts.")
    tensors: Tensors = {"model.eh_proj.weight": (hidden, 2 * hidden)}
    tensors |= {f"model.{name}.weight": (hidden,) for name in ("enorm", "hnorm", "shared_head_norm")}
    tensors |= dict.fromkeys(("model.embed_tokens.weight", "lm_head.weight"), (config["vocab_size"], hidden))
    whole = {"model_type": "glm4_moe_lite_mtp", "block_size": 2, "text_config": config, "tie_word_embeddings": False}
    whole |= {key: {"group_size": 64, "bits": 4, "mode": "affine"} for key in ("quantization", "quantization_config")}
    write("GLM-4.7-Flash-MTP-4bit", whole, tensors | prefixed("model.mtp_block.", layer), packed=True)


def write(name: str, config: Config, tensors: Tensors, *, packed: bool = False) -> None:
    """One folder; matrices of a packed one are of 4 bits in groups of 64."""
    kinds = {"d2t": "I64", "t2d": "BOOL", "masked_embedding.token_ordering": "I64"}
    described: dict[str, tuple[str, tuple[int, ...]]] = {}
    for key, shape in tensors.items():
        if packed and len(shape) > 1 and "conv1d" not in key and "mlp.gate." not in key:
            *outer, inner = shape
            described[key] = ("U32", (*outer, inner // 8))
            for part in ("scales", "biases"):
                described[key.removesuffix("weight") + part] = ("BF16", (*outer, inner // 64))
        else:
            described[key] = (kinds.get(key, "BF16"), shape)
    folder = Path(__file__).parent / name
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="utf-8")
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in described.items()]
    (folder / "tensors.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
