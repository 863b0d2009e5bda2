"""OLMo 3: OLMo 2 with a window in all but every fourth layer, and a rope for each kind of layer."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, layer_pattern, lengths, small
from ..variants.weights import Rule, around, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 32, "intermediate_size": 27, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "sliding_window": 6, "layer_types": layer_pattern(3, 2),
    "rope_parameters": {"full_attention": {"rope_type": "yarn", "rope_theta": 5000.0, "factor": 4.0, "original_max_position_embeddings": 64},
                        "sliding_attention": {"rope_type": "default", "rope_theta": 500000.0}},
}
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that. The gate makes up for the product of two
# small numbers.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(8e-3)), (r"post_\w+_layernorm\.weight$", around(0.0, 2e-3)), (r"gate_proj\.weight$", fan_in(600.0)),
    (r"lm_head\.weight$", fan_in(4.0)))


def old_spelling(config: Config) -> Config:
    """rope_theta and rope_scaling, which are those of full attention; sliding layers keep the published default."""
    config = dict(config)
    full = dict(config.pop("rope_parameters")["full_attention"])
    theta = full.pop("rope_theta")
    return config | {"rope_theta": theta, "rope_scaling": None if full["rope_type"] == "default" else full}


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng, explicit_head_dim=False)
    n = dims["num_hidden_layers"]
    return {**dims, "layer_types": ["full_attention" if i % 2 else "sliding_attention" for i in range(n)], "sliding_window": int(rng.integers(3, 9))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, vocab_size=31, layer_types=layer_pattern(2, 2))
    plain = {"full_attention": {"rope_type": "default", "rope_theta": 500000.0}, "sliding_attention": {"rope_type": "default", "rope_theta": 500000.0}}
    return [
        Variant("base", base, "The rope of full attention in sliding layers, a norm of q or k taken per head, or a window off by one", (*STANDARD, "window"), spelling="old"),
        Variant("options", {**two, "attention_bias": True, "tie_word_embeddings": True, "layer_types": ["full_attention", "sliding_attention"],
                            "rope_parameters": {**plain, "sliding_attention": {"rope_type": "default", "rope_theta": 300.0}}},
                "layer_types ignored, a bias forgotten, or the theta of sliding layers", ("batch", "window"), dtype="bfloat16"),
        Variant("defaults", {**two, "num_hidden_layers": 4, "layer_types": ["sliding_attention"] * 3 + ["full_attention"], "rms_norm_eps": 1e-5, "hidden_size": 16,
                             "num_key_value_heads": 4, "max_position_embeddings": 2048, "rope_parameters": plain},
                "A rope, an epsilon, an activation, a layer type or a number of KV heads that config.json leaves to the published default", ("window",), dtype="bfloat16",
                spelling="old", omits=("attention_bias", "hidden_act", "layer_types", "max_position_embeddings", "num_key_value_heads", "rms_norm_eps",
                                       "rope_scaling", "rope_theta", "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "sliding_window": 70}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    return Variant("", {**base, "attention_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2))}, "A misread OLMo 3",
                   spelling=pick(rng, ("old", "new")))


FAMILY = Family(
    name="olmo3", config_class="Olmo3Config", model_class="Olmo3ForCausalLM", draw_dims=draw_dims, base=BASE, variants=variants, random=random,
    old_spelling=old_spelling, saved=("base", "options"),
    published={"allenai/Olmo-3-1025-7B": ("base", {"": {"transformers_version": "4.57.0", "attention_dropout": 0.0}})},
)
