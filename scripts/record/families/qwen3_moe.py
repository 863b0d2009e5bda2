"""Qwen3 with experts: sparse and dense layers, two layouts of the expert weights."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, grouped, pick
from ..variants.large import MASSIVE, router
from ..variants.variant import STANDARD, Config, Family, Groups, Variant, lengths, small
from ..variants.weights import fan_in
from .qwen3 import without_bias

BASE: Config = {
    "vocab_size": 102, "hidden_size": 28, "intermediate_size": 45, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 10,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "tie_word_embeddings": False,
    "num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 15,
    "norm_topk_prob": True, "decoder_sparse_step": 1, "mlp_only_layers": [],
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
}


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    taken = {dims["hidden_size"], dims["intermediate_size"]}
    width = pick(rng, [n for n in range(9, 23) if n not in taken and 2 * n not in taken])
    return {**dims, "moe_intermediate_size": width, "num_experts": pick(rng, (5, 6, 7)),
            "num_experts_per_tok": pick(rng, (2, 3))}


def old_spelling(config: Config) -> Config:
    config = flat_old_rope(config)
    if "num_local_experts" in config:
        config["num_experts"] = config.pop("num_local_experts")
    return config


def variants(base: Config) -> list[Variant]:
    mixed = {**base, "norm_topk_prob": False, "num_hidden_layers": 4, "decoder_sparse_step": 2}
    return [
        Variant("base", base, "Experts chosen or weighed wrongly, gate and up swapped, or "
                "norm_topk_prob ignored", (*STANDARD, "narrow"), experts="split",
                spelling="old"),
        Variant("fused", base, "Fused experts read transposed, or up taken before gate",
                ("single", "batch"), dtype="bfloat16"),
        Variant("unnormalised", {**base, "norm_topk_prob": False}, "Weights of chosen experts "
                "renormalised although norm_topk_prob is false", ("single", "narrow"),
                experts="split", dtype="float16"),
        Variant("large-router", small(base), "A softmax of a router without its maximum: its scores are above 88 and below -88",
                ("single", "batch"), dtype="bfloat16", experts="split", spelling="old", weight_rules=router(fan_in(4.0), alike=True), typical=True, typical_layers=True),
        Variant("large-activations", small(base), "A sum, a square or a product of experts in float16: activations are 60,000",
                dtype="bfloat16", experts="split", spelling="old", weight_rules=MASSIVE, typical=True, typical_layers=True),
        Variant("sparse-step", mixed, "decoder_sparse_step counted from the wrong layer",
                ("single", "batch"), experts="split", dtype="bfloat16", spelling="old"),
        Variant("mlp-only", {**base, "num_hidden_layers": 4, "mlp_only_layers": [0, 2]},
                "mlp_only_layers given experts", dtype="bfloat16", n_shards=2),
        Variant("said-twice", small(base, num_hidden_layers=2, mlp_only_layers=[1, 7]),
                "A layer of mlp_only_layers that there is not, both names of the number of experts, or "
                "max_window_layers, which has no effect, refused", dtype="bfloat16",
                writes={"num_experts": base["num_experts"], "max_window_layers": 1}),
        Variant("window", {**base, "use_sliding_window": True, "sliding_window": 6,
                           "attention_bias": True}, "A window that should hold on every layer, or "
                "an attention bias forgotten", ("window",), dtype="bfloat16", experts="split",
                spelling="old"),
        Variant("window-old", small(base, use_sliding_window=True, sliding_window=6),
                "A window that should hold on every layer", ("window",), dtype="bfloat16",
                experts="split", spelling="old"),
        Variant("yarn-old", small(base, rope_parameters={
            "rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0,
            "original_max_position_embeddings": 64}), "rope_scaling of type yarn ignored",
            dtype="bfloat16", experts="split", spelling="old"),
        Variant("fused-old", small(base), "Fused experts refused beside a "
                "config in the older spelling", ("single", "greedy"), dtype="bfloat16",
                spelling="old"),
        Variant("defaults", small(base, norm_topk_prob=False, max_position_embeddings=32768,
                                  rope_parameters={"rope_type": "default",
                                                   "rope_theta": 10000.0}),
                "Shares renormalised, or an epsilon, activation, rope or first sparse layer wrong "
                "that config.json leaves to the published default", ("single",), dtype="bfloat16",
                experts="split", spelling="old",
                omits=("attention_bias", "decoder_sparse_step", "hidden_act",
                       "max_position_embeddings", "mlp_only_layers", "norm_topk_prob", "rms_norm_eps",
                       "rope_scaling", "rope_theta", "tie_word_embeddings", "use_sliding_window")),
        Variant("transposed", small(base), "Fused experts that are stored [in, out] read as "
                "[out, in], or their gate and up split along the wrong axis", ("single", "narrow"),
                dtype="bfloat16", experts="transposed"),
        lengths(small(base, num_hidden_layers=2), experts="split", spelling="old"),
        Variant("mlx-6bit", grouped(base, 64, 160, 4, 2, 8, vocab_size=61, num_hidden_layers=2,
                                    moe_intermediate_size=32, num_experts=4,
                                    mlp_only_layers=[1]),
                "The groups of another expert of a stack read, or a code of six bits that begins "
                "in one word and ends in the next misread", ("single", "batch", "narrow"),
                experts="split",
                spelling="old", dtype="bfloat16", groups=Groups(6, 32)),
        Variant("mlx-4bit-mixed", grouped(base, 64, 160, 4, 2, 8, vocab_size=61,
                                          num_hidden_layers=1, moe_intermediate_size=32),
                "One stack of experts read in another's width, or a stack that is not quantised",
                ("single", "narrow"), experts="split", spelling="old", groups=Groups(4, 32, (
                    (r"switch_mlp\.down_proj", {"group_size": 32, "bits": 8}),
                    (r"switch_mlp\.up_proj", None)))),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    n_layers = base["num_hidden_layers"]
    config = {**base, "norm_topk_prob": bool(rng.integers(2)),
              "attention_bias": bool(rng.integers(2)),
              "tie_word_embeddings": bool(rng.integers(2)),
              "decoder_sparse_step": pick(rng, (1, 1, 2)),
              "mlp_only_layers": [i for i in range(n_layers) if rng.integers(4) == 0]}
    if rng.integers(3) == 0:
        config |= {"use_sliding_window": True, "sliding_window": int(rng.integers(3, 9))}
    return Variant("", config, "A misread Qwen3 with experts",
                   experts=pick(rng, ("fused", "split")))


FAMILY = Family(
    name="qwen3_moe", config_class="Qwen3MoeConfig", model_class="Qwen3MoeForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    quantizable=lambda variant: replace(without_bias(variant), experts="split"),
    saved=("base", "fused-old"),
    published={
        "Qwen/Qwen3-30B-A3B": ("fused-old", {"": {
        "transformers_version": "4.51.0", "max_window_layers": 48, "rope_scaling": None, "sliding_window": None, "use_sliding_window": False,
        "output_router_logits": False, "router_aux_loss_coef": 0.001}}),
    },
)
