"""Ministral: Mistral whose layers have the windows that layer_types says."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, layer_pattern, lengths, small
from ..variants.weights import Rule, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 20, "intermediate_size": 27, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "sliding_window": 6, "layer_types": layer_pattern(3, 2),
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(8e-4)), (r"lm_head\.weight$", fan_in(5.0)), (r"(o|down)_proj\.weight$", fan_in(6e-4)))


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    n = dims["num_hidden_layers"]
    return {**dims, "layer_types": ["full_attention" if i % 2 else "sliding_attention" for i in range(n)], "sliding_window": int(rng.integers(3, 9))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, vocab_size=31, layer_types=layer_pattern(2, 2))
    return [
        Variant("base", base, "A window in a layer with full attention, or one that is off by one", (*STANDARD, "window"), spelling="old"),
        Variant("options", {**two, "layer_types": ["full_attention", "sliding_attention"], "tie_word_embeddings": True,
                            "rope_parameters": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64, "rope_theta": 10000.0}},
                "layer_types ignored", ("batch", "window"), dtype="bfloat16"),
        Variant("defaults", {**two, "max_position_embeddings": 131072, "layer_types": ["sliding_attention"] * 2},
                "A window that every layer has, an epsilon, an activation or a rope that config.json leaves to the published default", ("window",),
                spelling="old", dtype="bfloat16",
                omits=("hidden_act", "layer_types", "max_position_embeddings", "rms_norm_eps", "rope_scaling", "rope_theta", "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "sliding_window": 70}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    return Variant("", {**base, "tie_word_embeddings": bool(rng.integers(2))}, "A misread Ministral", spelling=pick(rng, ("old", "new")))


FAMILY = Family(
    name="ministral", config_class="MinistralConfig", model_class="MinistralForCausalLM", draw_dims=draw_dims, base=BASE, variants=variants, random=random,
    old_spelling=flat_old_rope, saved=("base", "options"),
    published={"mistralai/Ministral-8B-Instruct-2410": ("base", {"": {"transformers_version": "4.57.0.dev0", "attention_dropout": 0.0}})},
)
