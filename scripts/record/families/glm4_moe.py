"""GLM-4.5: a rope over half of each head, and after the first layer experts in groups, chosen by sigmoids with a bias, beside shared ones."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import Rule, around, fan_in

BASE: Config = {
    "vocab_size": 41, "hidden_size": 20, "intermediate_size": 27, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 8, "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "attention_bias": True, "use_qk_norm": True,
    "first_k_dense_replace": 1, "moe_intermediate_size": 11, "n_routed_experts": 6, "n_shared_experts": 2, "num_experts_per_tok": 2,
    "n_group": 3, "topk_group": 2, "norm_topk_prob": True, "routed_scaling_factor": 2.5, "tie_word_embeddings": False,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5},
}
RULES: tuple[tuple[str, Rule], ...] = ((r"e_score_correction_bias$", around(0.0, 0.25)),)
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(2.4e-3)), (r"lm_head\.weight$", fan_in(5.0)), (r"(q|k)_proj\.(weight|bias)$", fan_in(2e-3)),
    (r"o_proj\.weight$", fan_in(2e-3)), (r"down_proj(\.weight)?$", fan_in(2e-3)),
)


def old_spelling(config: Config) -> Config:
    """The published spelling, with members that the class does not read."""
    config = dict(config)
    rope = config.pop("rope_parameters")
    return config | {"rope_theta": rope["rope_theta"], "partial_rotary_factor": rope["partial_rotary_factor"], "rope_scaling": None,
                     "num_nextn_predict_layers": 1}


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    groups, size = pick(rng, (1, 2, 3)), pick(rng, (3, 4))
    return {**dims, "head_dim": pick(rng, (8, 16)), "moe_intermediate_size": int(rng.integers(9, 23)),
            "n_group": groups, "topk_group": max(1, groups - 1), "n_routed_experts": groups * size}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, vocab_size=31)
    return [
        Variant("base", base, "Groups scored by one expert, shares with their biases, a shared expert that is scaled, norms of q and k left out or after "
                "the rope, or the other half of a head turned", STANDARD, experts="split", spelling="old"),
        Variant("options", {**two, "use_qk_norm": False, "attention_bias": False, "norm_topk_prob": False, "n_group": 1, "topk_group": 1, "tie_word_embeddings": True,
                            "first_k_dense_replace": 0, "n_shared_experts": 1, "rope_parameters": {**base["rope_parameters"], "partial_rotary_factor": 0.75}},
                "Norms that the model does not have, shares divided although norm_topk_prob is false, or a part of a head that config.json states", ("batch", "narrow"),
                dtype="bfloat16"),
        Variant("defaults", {**two, "use_qk_norm": False, "attention_bias": False, "n_group": 1, "topk_group": 1, "routed_scaling_factor": 1.0, "n_shared_experts": 1,
                             "max_position_embeddings": 131072},
                "A rope, an epsilon, an activation, a first expert layer or a factor that config.json leaves to the published default", ("single",), dtype="bfloat16",
                experts="split", spelling="old",
                omits=("attention_bias", "first_k_dense_replace", "hidden_act", "max_position_embeddings", "n_group", "n_shared_experts", "norm_topk_prob",
                       "partial_rotary_factor", "rms_norm_eps", "rope_scaling", "rope_theta", "routed_scaling_factor", "tie_word_embeddings", "topk_group",
                       "use_qk_norm")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE, experts="split"),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    return Variant("", {**base, "attention_bias": bool(rng.integers(2)), "use_qk_norm": bool(rng.integers(2)), "norm_topk_prob": bool(rng.integers(2)),
                        "tie_word_embeddings": bool(rng.integers(2)), "first_k_dense_replace": pick(rng, (0, 1)),
                        "routed_scaling_factor": pick(rng, (1.0, 1.7))}, "A misread GLM-4.5", experts=pick(rng, ("fused", "split")))


FAMILY = Family(
    name="glm4_moe", config_class="Glm4MoeConfig", model_class="Glm4MoeForCausalLM", draw_dims=draw_dims, base=BASE, variants=variants, random=random,
    old_spelling=old_spelling, weight_rules=RULES, saved=("base", "options"),
    published={"zai-org/GLM-4.5": ("base", {"": {"transformers_version": "4.54.0", "attention_dropout": 0.0}})},
)
