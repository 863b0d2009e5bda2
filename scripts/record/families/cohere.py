"""Cohere: one LayerNorm without a bias before parallel attention and MLP."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 24, "intermediate_size": 26, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "logit_scale": 0.4, "max_position_embeddings": 512, "layer_norm_eps": 1e-5,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0},
}
LINEAR: Config = {"rope_type": "linear", "factor": 4.0, "rope_theta": 5000.0}
# The variances that every norm divides by are between the square of 2e-4 and a hundred times that, so that an epsilon of
# 1e-5 changes all of them.
SMALL = ((r"embed_tokens\.weight$", fan_in(5e-3)), (r"lm_head\.weight$", fan_in(12.0)), (r"(o|down)_proj\.weight$", fan_in(2e-3)))


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2)
    return [
        Variant("base", base, "An RMSNorm, an MLP after attention, a rope of pairs i, i + d/2, or a logit_scale left out", STANDARD, spelling="new"),
        Variant("options", {**two, "rope_parameters": LINEAR, "attention_bias": True, "use_qk_norm": True, "head_dim": 10, "tie_word_embeddings": False},
                "A norm of q or k with the weights of another head, a head_dim that is not hidden / heads, a bias forgotten, a head that is not tied, rope_scaling ignored",
                ("batch",), spelling="old", dtype="bfloat16", writes={"model_max_length": 131072}),
        Variant("defaults", {**two, "num_key_value_heads": 4, "logit_scale": 0.0625, "max_position_embeddings": 8192,
                             "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}},
                "A factor, epsilon, activation, rope or number of KV heads that config.json leaves to the published default",
                spelling="old", dtype="bfloat16",
                omits=("attention_bias", "hidden_act", "layer_norm_eps", "logit_scale", "max_position_embeddings", "num_key_value_heads",
                       "rope_scaling", "rope_theta", "tie_word_embeddings", "use_qk_norm")),
        Variant("small-variance", {**two, "tie_word_embeddings": False, "logit_scale": 1.5}, "An epsilon that is too large, too small or added to the root",
                ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)), "use_qk_norm": bool(rng.integers(2)), "logit_scale": pick(rng, (0.0625, 0.25, 1.0)),
              "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = LINEAR
    return Variant("", config, "A misread Cohere")


def quantizable(variant: Variant) -> Variant:
    """mlx-lm's class has no other head than the embedding."""
    return replace(variant, config={**variant.config, "tie_word_embeddings": True})


FAMILY = Family(
    name="cohere", config_class="CohereConfig", model_class="CohereForCausalLM",
    draw_dims=partial(attention_dims, explicit_head_dim=False), base=BASE, variants=variants, random=random, old_spelling=flat_old_rope,
    quantizable=quantizable,
    saved=("base", "options"),
    published={
        "CohereForAI/c4ai-command-r-v01": ("options", {"": {"transformers_version": "4.38.2", "attention_dropout": 0.0}}),
    },
)
