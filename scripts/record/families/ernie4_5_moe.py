"""ERNIE 4.5 with experts in a range of layers, chosen with a bias, and an MLP beside them."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import Rule, around, fan_in
from . import ernie4_5 as dense

BASE: Config = {
    **{name: value for name, value in dense.BASE.items() if name != "head_dim"},
    "vocab_size": 31, "hidden_size": 24, "num_hidden_layers": 2, "moe_num_experts": 5, "moe_k": 2, "moe_intermediate_size": 11, "moe_num_shared_experts": 2,
}
WEIGHT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"e_score_correction_bias$", around(0.0, 0.2)), (r"mlp\.gate\.weight$", fan_in(2.0)),
)


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng, explicit_head_dim=False)
    taken = {dims["hidden_size"]}
    width = pick(rng, [n for n in range(9, 23) if n not in taken and 2 * n not in taken])
    return {**dims, "moe_intermediate_size": width, "moe_num_experts": pick(rng, (5, 6, 7)), "moe_k": pick(rng, (2, 3))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2)
    return [
        Variant("base", base, "A bias that also weighs or does not choose, the first layer with experts, an MLP beside them left out, or pairs of the rope that "
                "are half a head apart", STANDARD, spelling="old", experts="split"),
        Variant("options", {**two, "num_hidden_layers": 4, "moe_layer_start_index": 0, "moe_layer_end_index": 2, "moe_layer_interval": 2, "moe_norm_min": 0.7,
                            "moe_num_shared_experts": 0, "tie_word_embeddings": False, "head_dim": 8},
                "Another layer given experts, shares divided by their sum although it is smaller than moe_norm_min, or fused experts not found", ("batch",),
                dtype="bfloat16"),
        Variant("bias", {**two, "vocab_size": 19, "use_bias": True, "tie_word_embeddings": False}, "A bias of a product or of lm_head forgotten", ("single",), dtype="bfloat16"),
        Variant("defaults", {**two, "moe_k": 6, "moe_num_experts": 64, "hidden_size": 8, "num_attention_heads": 2, "num_key_value_heads": 1,
                             "moe_intermediate_size": 3, "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}, "max_position_embeddings": 131072},
                "A number of experts, the layers that have them, an epsilon, activation or rope that config.json leaves to the published default", ("single",),
                dtype="bfloat16",
                omits=("hidden_act", "max_position_embeddings", "moe_k", "moe_layer_end_index", "moe_layer_interval", "moe_layer_start_index",
                       "moe_norm_min", "moe_num_experts", "moe_num_shared_experts", "rms_norm_eps", "rope_parameters", "tie_word_embeddings", "use_bias")),
        Variant("small-variance", {**two, "vocab_size": 19, "tie_word_embeddings": False}, "An epsilon that is too large, too small or added to the root", ("single",),
                weight_rules=dense.SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "use_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2)), "moe_num_shared_experts": int(rng.integers(3)),
              "moe_layer_start_index": int(rng.integers(2)), "moe_layer_interval": pick(rng, (1, 1, 2))}
    config["tie_word_embeddings"] &= not config["use_bias"]
    return Variant("", config, "A misread ERNIE 4.5 with experts", spelling=pick(rng, ("new", "old")), experts=pick(rng, ("fused", "split")))


FAMILY = Family(
    name="ernie4_5_moe", config_class="Ernie4_5_MoeConfig", model_class="Ernie4_5_MoeForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=flat_old_rope, weight_rules=WEIGHT_RULES,
    saved=("base", "options"),
    published={
        "baidu/ERNIE-4.5-21B-A3B-PT": ("base", {"": {"transformers_version": "4.54.0.dev0", "moe_capacity": [64, 64, 64], "moe_gate": "topk",
                                                     "moe_use_aux_free": True, "num_nextn_predict_layers": 1}}),
    },
)
