"""GLM-4.5V: the tower of GLM-4.1V, and a language model with dense layers first, then experts in groups, chosen by sigmoids with
a bias, beside shared ones; M-RoPE in chunks over half of each head."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..variants.dims import attention_dims, pick
from ..variants.large import leading, router
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import LONG_TEXT, sections, tower_dims
from ..variants.weights import Rule, around, fan_in
from . import glm4v

BASE: Config = {
    "vocab_size": 61, "hidden_size": 28, "intermediate_size": 43, "num_hidden_layers": 2,
    "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 16, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5, "attention_bias": True, "first_k_dense_replace": 1, "moe_intermediate_size": 15,
    "n_routed_experts": 12, "n_shared_experts": 2, "num_experts_per_tok": 3, "n_group": 4, "topk_group": 2,
    "norm_topk_prob": True, "routed_scaling_factor": 2.5,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5,
                        "mrope_section": [1, 2, 1]},
    "vision": {"depth": 2, "hidden_size": 16, "num_heads": 2, "intermediate_size": 45, "in_channels": 3,
               "image_size": 22, "patch_size": 4, "temporal_patch_size": 2, "spatial_merge_size": 2,
               "rms_norm_eps": 1e-5},
}

BIAS = r"e_score_correction_bias$"
RULES: tuple[tuple[str, Rule], ...] = (*glm4v.RULES, (BIAS, around(0.0, 0.25)))

# The first element of every hidden state is large, and gives all scores of about -46: the sums of their sigmoids are about
# 1e-20, which the class adds to them. Biases alone choose.
SMALL_SUM_RULES: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", leading(fan_in(2.0), 3.0)),
    (r"layernorm\.weight$", around(1.0, 0.02)),
    (r"mlp\.gate\.weight$", leading(fan_in(1.0), -11.8)),
    (r"(o_proj|layers\.0\.mlp\.down_proj)\.weight$", fan_in(0.3)),
)

made = glm4v.made
PUBLISHED: dict[str, Any] = {"spelling": "old", "experts": "split", "dtype": "bfloat16"}
MLX: Config = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 64,
               "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16, "n_routed_experts": 6, "n_group": 3,
               "n_shared_experts": 1, "num_experts_per_tok": 2, "moe_intermediate_size": 32}


def old_spelling(config: Config) -> Config:
    """The published spelling: rope_theta, partial_rotary_factor and rope_scaling, a tower with the model's type, and members
    that the class does not read."""
    text, tower = dict(config["text_config"]), dict(config["vision_config"])
    rope = dict(text.pop("rope_parameters"))
    text |= {"rope_theta": rope["rope_theta"], "partial_rotary_factor": rope["partial_rotary_factor"],
             "rope_scaling": {"type": "default", "mrope_section": rope["mrope_section"]}, "use_qk_norm": False}
    del tower["rope_parameters"]
    return {**config, "text_config": text, "vision_config": {**tower, "model_type": config["model_type"]}}


CASES = tuple(name for name in glm4v.CASES if name not in ("images", "images-decode"))


def variants(base: Config) -> list[Variant]:
    less = {"vocab_size": 47}
    once = {"depth": 1}
    slim = {**once, "hidden_size": 8, "num_heads": 1, "intermediate_size": 21}
    half = base["head_dim"] // 2
    return [
        made(base, "base", "Groups chosen by one expert, a bias that also weighs, shares that are not divided by their sum "
             "or not multiplied, a dense layer taken for one of experts, or a pair of M-RoPE",
             ("single", "batch", *CASES), proves=("activations",), **PUBLISHED),
        made(base, "defaults", "A default misread, or a tied head missed", ("image-narrow",),
             {**less, "routed_scaling_factor": 1.0, "n_group": 1, "topk_group": 1, "n_shared_experts": 1}, slim, glm4v.TIED,
             dtype="bfloat16", omits=("attention_bias", "first_k_dense_replace", "hidden_act", "n_group", "n_shared_experts",
                                      "norm_topk_prob", "rms_norm_eps", "routed_scaling_factor", "topk_group")),
        made(base, "unnormalised", "Shares divided by their sum although norm_topk_prob is false, or an expert of a group that is "
             "not chosen preferred to one whose share and bias are below 0", ("single",),
             {**less, "norm_topk_prob": False, "routed_scaling_factor": 1.5, "attention_bias": False,
              "first_k_dense_replace": 0, "num_hidden_layers": 1}, slim,
             weight_rules=((BIAS, around(-1.0, 0.2)),), **PUBLISHED),
        made(base, "small-sum", "Shares divided by their sum without the 1e-20 that the class adds to it", ("single",), less, slim,
             weight_rules=SMALL_SUM_RULES, **PUBLISHED),
        made(base, "large-router", "A sigmoid of a router by exponentials that overflow: its scores are above 88 and below -88",
             ("single",), less, slim, weight_rules=(*router(fan_in(1.0), alike=False), (BIAS, around(0.0, 0.25))), typical=True, typical_layers=True, **PUBLISHED),
        made(base, "epsilons", "An epsilon of any norm, or the merger's taken from the config", ("images",),
             {**less, "rms_norm_eps": 1e-6}, {**once, "rms_norm_eps": 1e-6}, weight_rules=glm4v.FAINT_RULES, proves=("epsilons",),
             **PUBLISHED),
        made(base, "merge-3", "A size of the tower that is taken for a constant, biases of the tower forgotten, or a "
             "whole head that rotates", ("images",),
             {**less, "first_k_dense_replace": 2, "rope_parameters": {
                 **base["rope_parameters"], "partial_rotary_factor": 1.0, "mrope_section": [2, 3, half - 5]}},
             {**once, "spatial_merge_size": 3, "temporal_patch_size": 1, "in_channels": 2, "patch_size": 5,
              "image_size": 33, "num_heads": 1, "hidden_act": "gelu", "attention_bias": True}, dtype="bfloat16", experts="split"),
        made(base, "mlx-4bit", "A tower in groups, experts of one stack read as those of another, or a router in groups",
             ("images-decode", "images-generate", "image-narrow"), MLX, {**glm4v.MLX_TOWER, "intermediate_size": 64}, **PUBLISHED,
             groups=Groups(4, 32, ((r"qkv|switch_mlp\.up", {"bits": 8, "group_size": 32}),), towers=True)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS,
             {**LONG_TEXT, "intermediate_size": 51, "n_routed_experts": 6, "n_group": 3, "num_experts_per_tok": 2}, slim,
             weight_rules=((r"embed_tokens\.weight$", fan_in(0.3)),), **PUBLISHED),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    while True:
        dims = attention_dims(rng)
        share = pick(rng, (0.5, 1.0))
        half = int(dims["head_dim"] * share) // 2
        if dims["head_dim"] * share == 2 * half and half >= 3:
            break
    taken = {dims["hidden_size"], dims["intermediate_size"]}
    width = pick(rng, [n for n in range(9, 23) if not {n, 2 * n} & taken])
    n_groups, size = pick(rng, (2, 3, 4)), pick(rng, (2, 3, 4))
    active = int(rng.integers(1, n_groups + 1))
    return {**dims, "vision": {**BASE["vision"], **tower_dims(rng, taken)}, "moe_intermediate_size": width,
            "n_routed_experts": n_groups * size, "n_group": n_groups, "topk_group": active,
            "num_experts_per_tok": int(rng.integers(1, min(3, active * size) + 1)),
            "rope_parameters": {**BASE["rope_parameters"], "partial_rotary_factor": share,
                                "mrope_section": sections(rng, half)}}


def random(make: Any, rng: np.random.Generator, base: Config) -> Variant:
    tied = {"tie_word_embeddings": bool(rng.integers(2))}
    text = {"norm_topk_prob": bool(rng.integers(2)), "routed_scaling_factor": pick(rng, (1.0, 1.8)),
            "first_k_dense_replace": int(rng.integers(base["num_hidden_layers"])), "n_shared_experts": pick(rng, (1, 2)),
            "attention_bias": bool(rng.integers(2)), **tied}
    return make(base, "", "Misread experts or a misread tower", (), text, {"attention_bias": bool(rng.integers(2))}, tied,
                experts=pick(rng, ("fused", "split")))


FAMILY: Family = replace(
    glm4v.FAMILY, name="glm4v_moe", config_class="Glm4vMoeTextConfig", model_class="Glm4vMoeForConditionalGeneration",
    draw_dims=draw_dims, base=BASE, variants=variants, random=partial(random, made), old_spelling=old_spelling,
    weight_rules=RULES, multimodal_config_class="Glm4vMoeConfig",
    multimodal_model_class="Glm4vMoeForConditionalGeneration",
    saved=("base", "merge-3"),
    published={
        "zai-org/GLM-4.5V": ("base", {"": {"transformers_version": "4.57.1"}, "text_config": {
        "num_nextn_predict_layers": 1, "scoring_func": "sigmoid", "topk_method": "noaux_tc", "use_qk_norm": False}}),
    },
)
