"""Qwen3: RMSNorm on every head of q and k before rope; optional sliding windows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, grouped, pick
from ..variants.variant import STANDARD, Config, Family, Groups, Variant, layer_pattern, lengths, small

BASE: Config = {
    "vocab_size": 106, "hidden_size": 27, "intermediate_size": 44, "num_hidden_layers": 3,
    "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 14,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
}
WINDOW = 6


def without_layer_types(config: Config) -> Config:
    """The older spelling: max_window_layers and no layer_types; many such checkpoints have a sliding_window
    although use_sliding_window is false."""
    config = flat_old_rope(config)
    config.pop("layer_types", None)
    if not config["use_sliding_window"]:
        config["sliding_window"] = WINDOW
    return config


def windows(base: Config, first: int) -> Config:
    """base with sliding attention in the layers from index `first` on."""
    return {**base, "use_sliding_window": True, "sliding_window": WINDOW,
            "max_window_layers": first}


def variants(base: Config) -> list[Variant]:
    types = layer_pattern(base["num_hidden_layers"] + 1, 2)
    return [
        Variant("base", base, "A q or k norm forgotten, misplaced after rope or taken over all "
                "heads", (*STANDARD, "limit")),
        Variant("old", {**base, "tie_word_embeddings": False, "attention_bias": True},
                "A config with rope_theta misread, or an attention bias forgotten",
                ("single", "batch"), spelling="old", dtype="bfloat16"),
        Variant("window", {**base, "num_hidden_layers": len(types), "use_sliding_window": True,
                           "sliding_window": WINDOW, "layer_types": types},
                "A sliding window off by one, on the wrong layers or rotating wrongly",
                (*STANDARD, "window"), dtype="bfloat16"),
        Variant("window-old", windows(base, 1), "max_window_layers misread as a count from the end",
                ("window",), spelling="old", dtype="float16"),
        Variant("yarn-sharded", {**base, "rope_parameters": {
            "rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0,
            "original_max_position_embeddings": 64}}, "Yarn ignored beside q and k norms, or a "
            "shard skipped", spelling="old", dtype="float16", n_shards=2),
        Variant("defaults", small(base, tie_word_embeddings=False, max_position_embeddings=32768,
                                  rope_parameters={"rope_type": "default",
                                                   "rope_theta": 10000.0}),
                "An epsilon, activation, rope or head that config.json leaves to the published "
                "default", spelling="old", dtype="bfloat16",
                omits=("attention_bias", "hidden_act", "max_position_embeddings", "rms_norm_eps",
                       "rope_scaling", "rope_theta", "tie_word_embeddings", "use_sliding_window")),
        lengths(small(base, num_hidden_layers=2)),
        Variant("mlx-3bit", grouped(base, 64, 192, 4, 1, 32, vocab_size=61, num_hidden_layers=2),
                "A code of three bits that begins in one word and ends in the next misread, or a "
                "tied head that does not read the embedding's groups", ("single", "batch"),
                spelling="old", dtype="bfloat16", groups=Groups(3, 64)),
        Variant("mlx-5bit", grouped(base, 64, 96, 4, 2, 8, vocab_size=61, num_hidden_layers=2),
                "A code of five bits that begins in one word and ends in the next misread, or a "
                "module's own width and group ignored", ("single", "generate"), spelling="old",
                groups=Groups(5, 32, (
                    (r"layers\.0\.self_attn\.q_proj", {"group_size": 64, "bits": 8}),
                    (r"layers\.1\.mlp\.up_proj", {"group_size": 32, "bits": 3}),
                    (r"layers\.1\.mlp\.gate_proj", {"group_size": 64, "bits": 5}),
                    (r"layers\.1\.self_attn\.k_proj", None),
                    (r"embed_tokens", {"group_size": 32, "bits": 6})))),
    ]


def without_bias(variant: Variant) -> Variant:
    """The variant without attention biases, which mlx-lm does not support for this family."""
    return replace(variant, config={**variant.config, "attention_bias": False})


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)),
              "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(2):
        config = {**windows(config, int(rng.integers(0, config["num_hidden_layers"]))),
                  "sliding_window": int(rng.integers(3, 9))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = {"rope_type": "yarn", "rope_theta": 1000000.0,
                                     "factor": pick(rng, (2.0, 4.0)),
                                     "original_max_position_embeddings": 64}
    return Variant("", config, "A misread Qwen3")


FAMILY = Family(
    name="qwen3", config_class="Qwen3Config", model_class="Qwen3ForCausalLM",
    draw_dims=attention_dims, base=BASE, variants=variants, random=random,
    old_spelling=without_layer_types, quantizable=without_bias,
    saved=("base", "old", "window-old"),
    published={
        "Qwen/Qwen3-0.6B": ("old", {"": {
        "transformers_version": "4.51.0", "max_window_layers": 28, "rope_scaling": None, "sliding_window": None, "use_sliding_window": False}}),
    },
)
