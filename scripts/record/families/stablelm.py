"""StableLM: LayerNorms, an MLP in parallel to attention or after it, a partial rope."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import around, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 32, "intermediate_size": 26, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 512, "layer_norm_eps": 1e-5, "use_qkv_bias": True,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0, "partial_rotary_factor": 0.75},
}
WEIGHT_RULES = ((r"_layernorm\.norms\.\d+\.weight$", around(1.0, 0.25)),)
# The variances that every norm divides by are between the square of 2e-4 and a hundred times that, so that an epsilon of
# 1e-5 changes all of them.
SMALL = ((r"embed_tokens\.weight$", fan_in(5e-3)), (r"lm_head\.weight$", fan_in(12.0)), (r"(o|down)_proj\.weight$", fan_in(2e-3)))


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2)
    return [
        Variant("base", base, "An RMSNorm, a bias of a norm or of q, k or v forgotten, or a rope of whole heads", STANDARD, spelling="new"),
        Variant("options", {**two, "use_parallel_residual": True, "qk_layernorm": True, "tie_word_embeddings": True, "hidden_act": "gelu",
                            "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0, "partial_rotary_factor": 0.5}},
                "A norm of q or k with the weights of another head, an MLP after attention, or a head that is tied", ("batch",), spelling="old", dtype="bfloat16"),
        Variant("defaults", {**two, "use_qkv_bias": False, "max_position_embeddings": 4096,
                             "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25}},
                "An epsilon, activation or rope that config.json leaves to the published default", spelling="old", dtype="bfloat16",
                omits=("hidden_act", "layer_norm_eps", "max_position_embeddings", "partial_rotary_factor", "qk_layernorm", "rope_scaling",
                       "rope_theta", "tie_word_embeddings", "use_parallel_residual", "use_qkv_bias")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    share = pick(rng, (1.0, 4 / (base["hidden_size"] // base["num_attention_heads"])))
    config = {**base, "use_qkv_bias": bool(rng.integers(2)), "use_parallel_residual": bool(rng.integers(2)), "qk_layernorm": bool(rng.integers(2)),
              "tie_word_embeddings": bool(rng.integers(2)),
              "rope_parameters": {**base["rope_parameters"], "partial_rotary_factor": share}}
    if share == 1.0 and rng.integers(2):
        config["rope_parameters"] = {**config["rope_parameters"], "rope_type": "linear", "factor": 4.0}
    return Variant("", config, "A misread StableLM")


def quantizable(variant: Variant) -> Variant:
    """mlx-lm's class has a head of its own."""
    return replace(variant, config={**variant.config, "tie_word_embeddings": False})


FAMILY = Family(
    name="stablelm", config_class="StableLmConfig", model_class="StableLmForCausalLM",
    draw_dims=partial(attention_dims, explicit_head_dim=False), base=BASE, variants=variants, random=random, old_spelling=flat_old_rope,
    weight_rules=WEIGHT_RULES, quantizable=quantizable,
    saved=("base", "options"),
    published={
        "stabilityai/stablelm-2-1_6b": ("options", {"": {"transformers_version": "4.38.2", "attention_dropout": 0.0, "hidden_dropout": 0.0}}),
    },
)
