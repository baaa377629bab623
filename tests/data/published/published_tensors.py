"""Names and shapes of published drafters' tensors by their configs, for `make_published.py`; standard library only."""

from __future__ import annotations

from published_configs import Config

Tensors = dict[str, tuple[int, ...]]


def assistant_layers(text: Config, target_hidden: int) -> Tensors:
    """A Gemma 4 assistant: three sliding layers and a full one, without keys."""
    hidden, heads = text["hidden_size"], text["num_attention_heads"]
    tensors: Tensors = {
        "model.embed_tokens.weight": (text["vocab_size"], hidden),
        "model.norm.weight": (hidden,),
        "pre_projection.weight": (hidden, 2 * target_hidden),
        "post_projection.weight": (target_hidden, hidden),
    }
    for layer, size in (("{0-2}", text["head_dim"]), ("3", text["global_head_dim"])):
        start = f"model.layers.{layer}."
        tensors |= prefixed(start, feed_forward(hidden, text["intermediate_size"]) | norms(hidden, sandwich=True))
        tensors |= {f"{start}layer_scalar": (1,), f"{start}self_attn.q_norm.weight": (size,)}
        tensors |= {
            f"{start}self_attn.q_proj.weight": (heads * size, hidden),
            f"{start}self_attn.o_proj.weight": (hidden, heads * size),
        }
    return tensors


def block(config: Config, num_layers: int, num_taps: int) -> Tensors:
    """The layers of a DFlash or DSpark drafter and what leads into them."""
    hidden, is_gemma = config["hidden_size"], "global_head_dim" in config
    layer = attention(config, hidden, head_norms=True) | norms(hidden, sandwich=is_gemma)
    layer |= feed_forward(hidden, config["intermediate_size"])
    if is_gemma:
        layer["layer_scalar"] = (1,)
    if config.get("attention_bias"):  # Qwen 3's layers have it behind the output too
        layer["self_attn.o_proj.bias"] = (hidden,)
    tensors: Tensors = {"fc.weight": (hidden, num_taps * hidden), "hidden_norm.weight": (hidden,)}
    return tensors | {"norm.weight": (hidden,)} | prefixed(f"layers.{{0-{num_layers - 1}}}.", layer)


def pair_layer(config: Config) -> Tensors:
    """The layer of an EAGLE-3 head, which reads tokens beside hidden states."""
    hidden = config["hidden_size"]
    layer = attention(config, 2 * hidden, head_norms=True) | feed_forward(hidden, config["intermediate_size"])
    return layer | norms(hidden) | {"hidden_norm.weight": (hidden,)}


def gated_layer(config: Config) -> Tensors:
    """A full layer of Qwen3.5, whose queries come with gates."""
    hidden = config["hidden_size"]
    doubled = attention(config, hidden, head_norms=True)
    rows, columns = doubled["self_attn.q_proj.weight"]
    return doubled | {"self_attn.q_proj.weight": (2 * rows, columns)} | feed_forward(hidden, 9216) | norms(hidden)


def attention(config: Config, num_inputs: int, *, head_norms: bool = False) -> Tensors:
    shares_values = bool(config.get("attention_k_eq_v"))
    size = config["global_head_dim" if "global_head_dim" in config else "head_dim"]
    queries = config["num_attention_heads"] * size
    keys = config["num_global_key_value_heads" if shares_values else "num_key_value_heads"] * size
    shapes: Tensors = {"q_proj": (queries, num_inputs), "k_proj": (keys, num_inputs)}
    shapes |= {} if shares_values else {"v_proj": (keys, num_inputs)}
    biases: Tensors = {f"self_attn.{name}.bias": shape[:1] for name, shape in shapes.items()}
    shapes["o_proj"] = (config["hidden_size"], queries)
    tensors: Tensors = {f"self_attn.{name}.weight": shape for name, shape in shapes.items()}
    tensors |= biases if config.get("attention_bias") else {}
    return tensors | (
        dict.fromkeys(("self_attn.q_norm.weight", "self_attn.k_norm.weight"), (size,)) if head_norms else {}
    )


def latent_attention(config: Config, *, split: bool = False) -> Tensors:
    """`split`: what makes keys and values of latents apart, a matrix for each head."""
    hidden, heads, latent = config["hidden_size"], config["num_attention_heads"], config["kv_lora_rank"]
    queries, turned, plain = config["q_lora_rank"], config["qk_rope_head_dim"], config["qk_nope_head_dim"]
    values = config["v_head_dim"]
    tensors: Tensors = {
        "q_a_proj.weight": (queries, hidden),
        "q_a_layernorm.weight": (queries,),
        "q_b_proj.weight": (heads * (turned + plain), queries),
        "kv_a_proj_with_mqa.weight": (latent + turned, hidden),
        "kv_a_layernorm.weight": (latent,),
        "o_proj.weight": (hidden, heads * values),
    }
    if split:
        tensors |= {"embed_q.weight": (heads, latent, plain), "unembed_out.weight": (heads, values, latent)}
    else:
        tensors["kv_b_proj.weight"] = (heads * (plain + values), latent)
    return prefixed("self_attn.", tensors | (indexer(config) if "index_head_dim" in config else {}))


def indexer(config: Config) -> Tensors:
    size = config["index_head_dim"]
    return {
        "indexer.wq_b.weight": (config["index_n_heads"] * size, config["q_lora_rank"]),
        "indexer.wk.weight": (size, config["hidden_size"]),
        "indexer.k_norm.weight": (size,),
        "indexer.k_norm.bias": (size,),
        "indexer.weights_proj.weight": (config["index_n_heads"], config["hidden_size"]),
    }


def feed_forward(hidden: int, size: int, place: str = "mlp.") -> Tensors:
    up, down = (size, hidden), (hidden, size)
    return {f"{place}gate_proj.weight": up, f"{place}up_proj.weight": up, f"{place}down_proj.weight": down}


def norms(hidden: int, *, sandwich: bool = False) -> Tensors:
    names = ["input_layernorm", "post_attention_layernorm"]
    names += ["pre_feedforward_layernorm", "post_feedforward_layernorm"] if sandwich else []
    return {f"{name}.weight": (hidden,) for name in names}


def own_vocabulary(tokens: int, hidden: int) -> Tensors:
    return {"embed_tokens.weight": (tokens, hidden), "lm_head.weight": (tokens, hidden)}


def markov(tokens: int, hidden: int) -> Tensors:
    tensors: Tensors = {f"markov_head.markov_w{side}.weight": (tokens, 256) for side in (1, 2)}
    return tensors | {"confidence_head.proj.weight": (1, hidden + 256), "confidence_head.proj.bias": (1,)}


def prefixed(prefix: str, tensors: Tensors) -> Tensors:
    return {prefix + name: shape for name, shape in tensors.items()}
