"""Phi: one LayerNorm before parallel attention and an MLP without a gate, biases of all products, a partial rope."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import around, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 32, "intermediate_size": 26, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 512, "layer_norm_eps": 1e-5, "qk_layernorm": True,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0, "partial_rotary_factor": 0.75},
}
# The variances that every norm divides by are between the square of 2e-4 and a hundred times that, so that an epsilon of
# 1e-5 changes all of them.
SMALL = ((r"embed_tokens\.weight$", fan_in(5e-3)), (r"lm_head\.weight$", fan_in(12.0)), (r"(dense|fc2)\.weight$", fan_in(2e-3)),
         (r"(dense|fc2)\.bias$", around(0.0, 5e-4)), (r"(q|k)_proj\.weight$", fan_in(1e-3)), (r"(q|k)_proj\.bias$", around(0.0, 5e-4)))


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2)
    return [
        Variant("base", base, "A norm of q or k taken after the rope, without its bias or over all heads, a rope of whole heads, an MLP after "
                "attention or with a gate, or the bias of the head forgotten", STANDARD, spelling="new"),
        Variant("options", {**two, "qk_layernorm": False, "head_dim": 10, "tie_word_embeddings": True, "hidden_act": "silu",
                            "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0, "partial_rotary_factor": 0.4}},
                "A head_dim that is not hidden / heads, a tied head without its bias", ("batch",), spelling="old", dtype="bfloat16"),
        Variant("defaults", {**two, "num_key_value_heads": 4, "qk_layernorm": False, "max_position_embeddings": 2048,
                             "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}},
                "An epsilon, activation, rope or number of KV heads that config.json leaves to the published default", spelling="old",
                dtype="bfloat16",
                omits=("hidden_act", "layer_norm_eps", "max_position_embeddings", "num_key_value_heads", "partial_rotary_factor",
                       "qk_layernorm", "rope_scaling", "rope_theta", "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    share = pick(rng, (1.0, 4 / (base["hidden_size"] // base["num_attention_heads"])))
    config = {**base, "qk_layernorm": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2)),
              "rope_parameters": {**base["rope_parameters"], "partial_rotary_factor": share}}
    if share == 1.0 and rng.integers(2):
        config["rope_parameters"] = {**config["rope_parameters"], "rope_type": "linear", "factor": 4.0}
    return Variant("", config, "A misread Phi")


def quantizable(variant: Variant) -> Variant:
    """mlx-lm's class has no norms of q and k, and a head of its own."""
    return replace(variant, config={**variant.config, "qk_layernorm": False, "tie_word_embeddings": False})


FAMILY = Family(
    name="phi", config_class="PhiConfig", model_class="PhiForCausalLM",
    draw_dims=partial(attention_dims, explicit_head_dim=False), base=BASE, variants=variants, random=random, old_spelling=flat_old_rope,
    quantizable=quantizable,
    saved=("base", "options"),
    published={
        "microsoft/phi-2": ("options", {"": {"transformers_version": "4.37.0", "attention_dropout": 0.0, "embd_pdrop": 0.0, "resid_pdrop": 0.1}}),
    },
)
