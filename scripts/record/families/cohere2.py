"""Cohere 2: one LayerNorm without a bias before parallel attention and MLP; layers without a window have no rope."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, layer_pattern, lengths, small
from ..variants.weights import fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 24, "intermediate_size": 26, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "logit_scale": 0.4, "sliding_window": 6, "layer_types": layer_pattern(3, 2),
    "max_position_embeddings": 512, "layer_norm_eps": 1e-5, "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0},
}
LINEAR: Config = {"rope_type": "linear", "factor": 4.0, "rope_theta": 5000.0}
# The variances that every norm divides by are between the square of 2e-4 and a hundred times that, so that an epsilon of
# 1e-5 changes all of them.
SMALL = ((r"embed_tokens\.weight$", fan_in(5e-3)), (r"lm_head\.weight$", fan_in(12.0)), (r"(o|down)_proj\.weight$", fan_in(2e-3)))


def old_spelling(config: Config) -> Config:
    """The published spelling: a number for the pattern of layers, and members that the class does not read."""
    config = dict(config)
    for every in (2, 4):
        if config.get("layer_types") == ["sliding_attention" if (i + 1) % every else "full_attention" for i in range(config["num_hidden_layers"])]:
            config["sliding_window_pattern"] = every
            del config["layer_types"]
    return {**flat_old_rope(config), "layer_switch": 4, "order_of_interleaved_layers": "local_attn_first", "position_embedding_type": "rope_gptj",
            "rotary_pct": 1.0, "use_embedding_sharing": True, "use_gated_activation": True, "use_parallel_block": True, "use_parallel_embedding": True}


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng, explicit_head_dim=False)
    n = dims["num_hidden_layers"]
    return {**dims, "layer_types": ["full_attention" if i % 2 else "sliding_attention" for i in range(n)],
            "sliding_window": int(rng.integers(3, 9))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2))
    return [
        Variant("base", base, "An RMSNorm, an MLP after attention, a rope in layers without a window or of pairs i, i + d/2, or a logit_scale "
                "left out", (*STANDARD, "window"), spelling="new"),
        Variant("options", {**two, "rope_parameters": LINEAR, "attention_bias": True, "head_dim": 10, "tie_word_embeddings": False},
                "A head_dim that is not hidden / heads, a bias forgotten, a head that is not tied, rope_scaling ignored", ("batch",),
                spelling="old", dtype="bfloat16"),
        Variant("defaults", {**two, "layer_types": ["sliding_attention"] * 2, "num_key_value_heads": 4, "logit_scale": 0.0625, "sliding_window": 4096,
                             "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}, "max_position_embeddings": 8192},
                "A factor, epsilon, activation, layer type, rope or number of KV heads that config.json leaves to the published default",
                spelling="old", dtype="bfloat16",
                omits=("attention_bias", "hidden_act", "layer_norm_eps", "logit_scale", "max_position_embeddings", "num_key_value_heads",
                       "rope_scaling", "rope_theta", "sliding_window", "sliding_window_pattern", "tie_word_embeddings")),
        Variant("small-variance", {**two, "tie_word_embeddings": False, "logit_scale": 1.5}, "An epsilon that is too large, too small or added to the root",
                ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "sliding_window": 70}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)), "logit_scale": pick(rng, (0.0625, 0.25, 1.0)),
              "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = LINEAR
    return Variant("", config, "A misread Cohere 2")


def quantizable(variant: Variant) -> Variant:
    """mlx-lm's class has no other head than the embedding."""
    return replace(variant, config={**variant.config, "tie_word_embeddings": True})


FAMILY = Family(
    name="cohere2", config_class="Cohere2Config", model_class="Cohere2ForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling, quantizable=quantizable,
    saved=("base", "options"),
    published={
        "CohereForAI/c4ai-command-r7b-12-2024": ("options", {"": {"transformers_version": "4.48.0.dev0", "attention_dropout": 0.0,
                                                                  "cache_implementation": "hybrid"}}),
    },
)
