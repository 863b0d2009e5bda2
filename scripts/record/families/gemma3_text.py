"""Gemma 3, text: Gemma 2 with norms of each head of q and k, no cap of scores, and a rope for each kind of layer."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, layer_pattern, lengths, small
from ..variants.weights import around, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 20, "intermediate_size": 26, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "query_pre_attn_scalar": 7,
    "sliding_window": 6, "layer_types": layer_pattern(3, 2), "max_position_embeddings": 512, "rms_norm_eps": 1e-6,
    "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 5000.0},
                        "sliding_attention": {"rope_type": "default", "rope_theta": 300.0}},
}
WEIGHT_RULES = ((r"norm\.weight$", around(0.0, 0.3)),)  # 1 + w is then near 1
LINEAR: Config = {"rope_type": "linear", "factor": 8.0, "rope_theta": 5000.0}

# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that, so that an
# epsilon of 1e-6 changes all of them.
SMALL = (
    (r"embed_tokens\.weight$", fan_in(2e-3)), (r"lm_head\.weight$", fan_in(4.0)), (r"(q|k)_proj\.weight$", fan_in(3e-4)),
    (r"post_\w+_layernorm\.weight$", around(-1.0, 2e-3)), (r"(o|down)_proj\.weight$", fan_in(2e-3)),
)


def old_spelling(config: Config) -> Config:
    """The first published spelling: a theta of each rope, and a number for the pattern of layers."""
    config = {name: value for name, value in config.items() if name != "layer_types"}
    ropes = config.pop("rope_parameters")
    full = dict(ropes["full_attention"])
    config["rope_theta"], config["rope_local_base_freq"] = full.pop("rope_theta"), ropes["sliding_attention"]["rope_theta"]
    config["rope_scaling"] = None if full["rope_type"] == "default" else full
    return config


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    n = dims["num_hidden_layers"]
    return {**dims, "layer_types": ["full_attention" if i % 2 else "sliding_attention" for i in range(n)],
            "sliding_window": int(rng.integers(3, 9)), "query_pre_attn_scalar": int(rng.integers(5, 40))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2))
    ropes = base["rope_parameters"]
    return [
        Variant("base", base, "A norm of q or k left out, taken after the rope or over all heads, the rope of the other kind of layer, or "
                "a cap of scores", (*STANDARD, "window"), spelling="new"),
        Variant("options", {**two, "rope_parameters": {**ropes, "full_attention": LINEAR}, "attention_bias": True, "final_logit_softcapping": 3.0,
                            "attn_logit_softcapping": 2.0, "tie_word_embeddings": False},
                "A cap of scores that the class does not apply, a cap of logits left out, rope_scaling applied to sliding layers, or a bias forgotten",
                ("batch",), spelling="old", dtype="bfloat16", writes={"sliding_window_pattern": 2}),
        Variant("defaults", {**two, "layer_types": ["sliding_attention"] * 2, "query_pre_attn_scalar": 256,
                             "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e6},
                                                 "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}, "max_position_embeddings": 131072},
                "A scale, a layer type, an epsilon, activation or rope that config.json leaves to the published default", ("window",),
                spelling="old", dtype="bfloat16", weight_rules=((r"(q|k)_norm\.weight$", around(2.0, 0.3)),),
                omits=("attention_bias", "attn_logit_softcapping", "final_logit_softcapping", "hidden_activation", "max_position_embeddings",
                       "query_pre_attn_scalar", "rms_norm_eps", "rope_local_base_freq", "rope_scaling", "rope_theta", "tie_word_embeddings")),
        Variant("small-variance", {**two, "tie_word_embeddings": False}, "An epsilon that is too large, too small or added to the root",
                ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 6, "sliding_window": 70},
                LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)), "final_logit_softcapping": pick(rng, (None, 3.0, 30.0)),
              "attn_logit_softcapping": pick(rng, (None, 1.5)), "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = {**base["rope_parameters"], "full_attention": LINEAR}
    return Variant("", config, "A misread Gemma 3")


FAMILY = Family(
    name="gemma3_text", config_class="Gemma3TextConfig", model_class="Gemma3ForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    weight_rules=WEIGHT_RULES, quantizable=lambda variant: variant,
    saved=("base", "options"),
    published={
        "google/gemma-3-1b-it": ("options", {"": {"transformers_version": "4.50.0.dev0", "attention_dropout": 0.0, "cache_implementation": "hybrid"}}),
    },
)
