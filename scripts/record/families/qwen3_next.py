"""Qwen3-Next: Qwen3.5 with experts, without M-RoPE, and with rows of two products in groups by key head."""

from __future__ import annotations

import numpy as np

from ..variants.dims import pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from . import qwen3_5 as dense
from . import qwen3_5_moe as moe

ROPE: Config = {"rope_type": "default", "rope_theta": 10000000.0, "partial_rotary_factor": 0.5}
BASE: Config = {
    **moe.BASE, "vocab_size": 31, "hidden_size": 20, "intermediate_size": 23, "num_hidden_layers": 2, "layer_types": dense.hybrid(2, 2),
    "head_dim": 8, "rope_parameters": ROPE, "num_experts": 4, "moe_intermediate_size": 9, "shared_expert_intermediate_size": 11,
}


def old_spelling(config: Config) -> Config:
    """The published spelling: rope_theta and partial_rotary_factor beside rope_scaling, and full_attention_interval."""
    found = dense.flat(config)
    found["rope_scaling"] = None if found["rope_scaling"]["type"] == "default" else found["rope_scaling"]
    return found


def draw_dims(rng: np.random.Generator) -> Config:
    dims = moe.draw_dims(rng)
    rope = {**ROPE, "partial_rotary_factor": dense.rotary_share(dims["head_dim"])}
    taken = {dims["hidden_size"], dims["moe_intermediate_size"], dims["shared_expert_intermediate_size"]}
    return {**dims, "rope_parameters": rope, "intermediate_size": pick(rng, [n for n in range(26, 50) if n not in taken])}


def variants(base: Config) -> list[Variant]:
    return [
        Variant("base", base, "Rows of in_proj_qkvz or in_proj_ba taken in the order of all heads, a shared expert left out, or its gate forgotten", STANDARD,
                spelling="old", experts="split"),
        Variant("options", {**small(base, num_hidden_layers=3, layer_types=["full_attention", "linear_attention", "linear_attention"]), "mlp_only_layers": [1],
                            "norm_topk_prob": False, "attention_bias": True, "tie_word_embeddings": True, "linear_num_key_heads": 1, "linear_num_value_heads": 3},
                "layer_types or mlp_only_layers ignored, shares that are not divided by their sum divided, or a group of one key head misread", ("batch", "narrow"),
                dtype="bfloat16"),
        Variant("defaults", {**{k: v for k, v in small(base, num_hidden_layers=4).items() if k not in ("rope_parameters", "layer_types")},
                             "head_dim": 16, "max_position_embeddings": 32768},
                "An epsilon, activation, rope, rotary share, or kind of layer that config.json leaves to the published default", ("single",), dtype="bfloat16",
                omits=("attention_bias", "hidden_act", "layer_types", "max_position_embeddings", "rms_norm_eps", "rope_parameters", "tie_word_embeddings")),
        Variant("small-variance", base, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=dense.SMALL),
        lengths({**base, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2)), "norm_topk_prob": bool(rng.integers(2)),
              "mlp_only_layers": [i for i in range(base["num_hidden_layers"]) if rng.integers(4) == 0]}
    return Variant("", config, "A misread Qwen3-Next", spelling=pick(rng, ("new", "old")), experts=pick(rng, ("fused", "split")))


FAMILY = Family(
    name="qwen3_next", config_class="Qwen3NextConfig", model_class="Qwen3NextForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling, weight_rules=dense.WEIGHT_RULES,
    saved=("base", "options"),
    published={
        "Qwen/Qwen3-Next-80B-A3B-Instruct": ("base", {"": {"transformers_version": "4.57.0.dev0", "attention_dropout": 0.0, "output_router_logits": False,
                                                           "router_aux_loss_coef": 0.001, "use_sliding_window": False, "decoder_sparse_step": 1}}),
    },
)
