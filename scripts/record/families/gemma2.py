"""Gemma 2: four norms per layer that multiply by 1 + w, caps on scores and logits, every second layer with a
window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, grouped, pick
from ..variants.large import scores
from ..variants.variant import STANDARD, Config, Family, Groups, Variant, layer_pattern, lengths, small
from ..variants.weights import around, fan_in

WINDOW = 6
BASE: Config = {
    "vocab_size": 103, "hidden_size": 28, "intermediate_size": 45, "num_hidden_layers": 4,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 12, "query_pre_attn_scalar": 7,
    "sliding_window": WINDOW, "layer_types": layer_pattern(4, 2), "max_position_embeddings": 512,
    "rms_norm_eps": 1e-6, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 5.0,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}
WEIGHT_RULES = ((r"norm\.weight$", around(0.0, 0.3)),)  # 1 + w is then near 1

# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that, so that an
# epsilon of 1e-6 changes all of them.
SMALL = (
    (r"embed_tokens\.weight$", fan_in(2e-3)), (r"lm_head\.weight$", fan_in(4.0)),
    (r"post_\w+_layernorm\.weight$", around(-1.0, 2e-3)), (r"(o|down)_proj\.weight$", fan_in(2e-3)),
)


def old_spelling(config: Config) -> Config:
    """The published spelling: no layer_types, and two members that the class does not read."""
    config = flat_old_rope(config)
    config.pop("layer_types", None)
    return config | {"hidden_act": config.get("hidden_activation", "gelu_pytorch_tanh"),
                     "sliding_window_size": config.get("sliding_window", 4096)}


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    n = dims["num_hidden_layers"]
    return {**dims, "layer_types": ["full_attention" if i % 2 else "sliding_attention" for i in range(n)],
            "sliding_window": int(rng.integers(3, 9)), "query_pre_attn_scalar": int(rng.integers(5, 40))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, layer_types=layer_pattern(2, 2))
    full = small(base, layer_types=["full_attention"])
    return [
        Variant("base", base, "A cap left out, a scale of the head size instead of query_pre_attn_scalar, a "
                "norm that multiplies by w, or a window off by one", (*STANDARD, "window")),
        Variant("old", base, "The first layer taken for full where layer_types does not say it, or a rope "
                "of rope_theta misread", ("single", "batch", "window"), spelling="old", dtype="float16"),
        Variant("bfloat16", two, "1 + w added in bfloat16", (*STANDARD, "window", "greedy"),
                dtype="bfloat16", spelling="old"),
        Variant("large-scores", {**two, "sliding_window": 16}, "A tanh of the cap by exponentials that overflow: scores are above 88 and below -88",
                ("single",), weight_rules=scores(), typical=True, typical_layers=True),
        Variant("pages", {**two, "sliding_window": 70}, "A page of a rotating cache freed too early, or a "
                "cap applied to a score of another page", ("pages",), dtype="bfloat16"),
        Variant("untied", {**two, "tie_word_embeddings": False, "attention_bias": True},
                "A head taken for tied, or a bias of attention forgotten", ("single", "batch"),
                dtype="bfloat16", n_shards=2),
        Variant("types", small(base, num_hidden_layers=3, layer_types=[
            "full_attention", "full_attention", "sliding_attention"]),
            "layer_types ignored", ("window",), dtype="bfloat16"),
        Variant("score-cap", {**two, "final_logit_softcapping": None}, "A cap of the scores forgotten "
                "where logits have none", dtype="bfloat16"),
        Variant("logit-cap", {**two, "attn_logit_softcapping": None}, "A cap of the logits forgotten "
                "where scores have none", dtype="bfloat16", spelling="old"),
        Variant("act-gelu", {**full, "hidden_activation": "gelu"}, "hidden_activation ignored",
                dtype="bfloat16"),
        Variant("small-variance", {**two, "tie_word_embeddings": False}, "An epsilon that is too large, too "
                "small or added to the root", ("single", "batch"), weight_rules=SMALL),
        Variant("defaults", {**two, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0,
                             "query_pre_attn_scalar": 256, "max_position_embeddings": 8192},
                "A cap, a scale, a layer type, an epsilon, activation or rope that config.json leaves to "
                "the published default", ("window",), dtype="bfloat16", spelling="old",
                weight_rules=((r"(q|k)_proj\.weight$", fan_in(6.0)),),
                omits=("attention_bias", "attn_logit_softcapping", "final_logit_softcapping",
                       "hidden_activation", "max_position_embeddings", "query_pre_attn_scalar",
                       "rms_norm_eps", "rope_scaling", "rope_theta", "tie_word_embeddings")),
        Variant("window-default", {**two, "sliding_window": 4096, "vocab_size": 11, "hidden_size": 16,
                                   "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 6,
                                   "max_position_embeddings": 8192},
                "A window that config.json leaves to the published default of 4096 positions, ignored",
                ("prefill-4096",), dtype="bfloat16", omits=("sliding_window",)),
        lengths({**two, "sliding_window": 70, "tie_word_embeddings": False}),
        Variant("mlx-4bit", {**grouped(two, 64, 192, 4, 2, 16, vocab_size=61), "sliding_window": 16},
                "A scale or a cap left out where weights are codes", ("single", "batch"), spelling="old",
                dtype="bfloat16", groups=Groups(4, 64)),
        Variant("mlx-6bit", {**grouped(two, 64, 96, 4, 1, 8, vocab_size=61), "sliding_window": 4},
                "A window ignored where weights are codes", ("single", "window"), spelling="old",
                groups=Groups(6, 32)),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)),
              "attn_logit_softcapping": pick(rng, (None, 1.5, 4.0, 50.0)),
              "final_logit_softcapping": pick(rng, (None, 3.0, 30.0)),
              "tie_word_embeddings": bool(rng.integers(2))}
    return Variant("", config, "A misread Gemma 2")


def without_bias(variant: Variant) -> Variant:
    """The variant as mlx-lm supports it: no biases, both caps, and a tied head."""
    caps = {name: variant.config[name] or 4.0 for name in
            ("attn_logit_softcapping", "final_logit_softcapping")}
    return replace(variant, config={**variant.config, **caps, "attention_bias": False,
                                    "tie_word_embeddings": True})


FAMILY = Family(
    name="gemma2", config_class="Gemma2Config", model_class="Gemma2ForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    weight_rules=WEIGHT_RULES, quantizable=without_bias,
    saved=("base", "old", "types"),
    published={
        "google/gemma-2-2b": ("old", {"": {
        "transformers_version": "4.42.0.dev0", "cache_implementation": "hybrid", "hidden_act": "gelu_pytorch_tanh", "sliding_window_size": 6}}),
    },
)
