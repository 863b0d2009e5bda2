"""EXAONE 4: norms after attention and MLP, norms of each head, and no rope where attention is full beside windows."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, layer_pattern, lengths, small
from ..variants.weights import Rule, around, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 32, "intermediate_size": 27, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "sliding_window": 6, "sliding_window_pattern": "LG",
    "layer_types": layer_pattern(3, 2), "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0},
}
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that. The gate makes up for the product of two
# small numbers.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(8e-3)), (r"post_\w+_layernorm\.weight$", around(0.0, 2e-3)), (r"gate_proj\.weight$", fan_in(600.0)),
    (r"lm_head\.weight$", fan_in(4.0)))


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng, explicit_head_dim=False)
    n = dims["num_hidden_layers"]
    return {**dims, "layer_types": ["full_attention" if i % 2 else "sliding_attention" for i in range(n)], "sliding_window": int(rng.integers(3, 9))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, vocab_size=31, layer_types=layer_pattern(2, 2))
    return [
        Variant("base", base, "A rope where attention is full, a norm of q or k over all heads, or one before attention", (*STANDARD, "window"), spelling="old"),
        Variant("options", {**two, "sliding_window": None, "sliding_window_pattern": 0, "layer_types": ["full_attention"] * 2, "tie_word_embeddings": True,
                            "rope_parameters": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                                "original_max_position_embeddings": 64, "rope_theta": 5000.0}},
                "No rope in a model without windows", ("batch",), dtype="bfloat16"),
        Variant("defaults", {**two, "num_hidden_layers": 4, "hidden_size": 16, "rms_norm_eps": 1e-5, "max_position_embeddings": 2048, "sliding_window_pattern": 4,
                             "layer_types": ["sliding_attention"] * 3 + ["full_attention"], "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}},
                "A layer type, an epsilon, an activation or a rope that config.json leaves to the published default", ("window",), dtype="bfloat16",
                omits=("hidden_act", "layer_types", "max_position_embeddings", "rms_norm_eps", "rope_parameters", "sliding_window_pattern", "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "sliding_window": 70}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(3) == 0:
        config |= {"sliding_window": None, "sliding_window_pattern": 0, "layer_types": ["full_attention"] * base["num_hidden_layers"]}
    return Variant("", config, "A misread EXAONE 4", spelling=pick(rng, ("old", "new")))


FAMILY = Family(
    name="exaone4", config_class="Exaone4Config", model_class="Exaone4ForCausalLM", draw_dims=draw_dims, base=BASE, variants=variants, random=random,
    old_spelling=flat_old_rope, saved=("base", "options"),
    published={"LGAI-EXAONE/EXAONE-4.0-32B": ("base", {"": {"transformers_version": "4.54.0.dev0", "attention_dropout": 0.0}})},
)
