"""Qwen2: biases on q, k and v only, no head_dim in the config, optional sliding windows."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..variants.dims import attention_dims, grouped, pick
from ..variants.variant import STANDARD, Config, Family, Groups, Variant, layer_pattern, lengths, small
from .qwen3 import windows, without_layer_types

BASE: Config = {
    "vocab_size": 103, "hidden_size": 32, "intermediate_size": 45, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-6, "tie_word_embeddings": True,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
}
YARN: Config = {"rope_type": "yarn", "rope_theta": 1000000.0, "factor": 4.0,
                "original_max_position_embeddings": 64}


def variants(base: Config) -> list[Variant]:
    untied = {**base, "tie_word_embeddings": False}
    types = layer_pattern(base["num_hidden_layers"], 3)
    return [
        Variant("base", base, "A bias of q, k or v forgotten, or one invented for o", STANDARD),
        Variant("window", {**windows(untied, 1), "layer_types": types}, "layer_types overruled by "
                "max_window_layers, or a window off by one", ("single", "batch", "window"),
                dtype="float16"),
        Variant("window-types", small({**windows(base, 1), "layer_types": ["full_attention", "sliding_attention"],
                                "max_window_layers": 28}, num_hidden_layers=2),
                "layer_types without max_window_layers misread", ("window",), dtype="bfloat16",
                omits=("max_window_layers",)),
        Variant("window-old", windows(untied, 1), "max_window_layers without layer_types misread",
                ("window", "generate"), spelling="old", dtype="bfloat16"),
        Variant("window-unused", base,
                "A sliding_window obeyed although use_sliding_window is false", spelling="old",
                dtype="bfloat16"),
        Variant("yarn-old", {**base, "rope_parameters": YARN}, "rope_scaling of type yarn ignored",
                spelling="old", dtype="bfloat16", n_shards=2),
        Variant("defaults", small(base, num_hidden_layers=30, vocab_size=11,
                                  hidden_size=2 * base["num_attention_heads"], intermediate_size=13,
                                  tie_word_embeddings=False,
                                  max_position_embeddings=32768, use_sliding_window=True,
                                  sliding_window=6, rope_parameters={
                                      "rope_type": "default", "rope_theta": 10000.0}),
                "An epsilon, activation, rope or first sliding layer that config.json leaves to the "
                "published default", ("window",), spelling="old", dtype="bfloat16",
                omits=("hidden_act", "max_position_embeddings", "max_window_layers", "rms_norm_eps",
                       "rope_scaling", "rope_theta", "tie_word_embeddings")),
        Variant("window-default", small({**windows(base, 1), "sliding_window": 4096}, num_hidden_layers=2,
                                        vocab_size=11, hidden_size=16, num_attention_heads=2, num_key_value_heads=1,
                                        max_position_embeddings=8192),
                "A window that config.json leaves to the published default of 4096 positions, ignored",
                ("prefill-4096",), dtype="bfloat16", omits=("sliding_window",)),
        Variant("window-null", small({**windows(base, 0), "sliding_window": None}, num_hidden_layers=2, vocab_size=11,
                                     hidden_size=16, num_attention_heads=2, num_key_value_heads=1, max_position_embeddings=8192),
                "A window of null taken for the published default of 4096 positions, or refused", ("prefill-4096",),
                spelling="old", dtype="bfloat16"),
        lengths(small(base, num_hidden_layers=2)),
        Variant("yarn", small(base, rope_parameters=YARN),
                "rope_parameters of type yarn ignored", dtype="bfloat16"),
        Variant("mlx-tied-stored", {k: v for k, v in grouped(
            base, 64, 64, 4, 2, 16, vocab_size=31, num_hidden_layers=1).items() if k != "head_dim"},
            "A checkpoint refused because it holds a head that is tied, in groups, or because "
            "quantization_config alone says so", spelling="old", dtype="bfloat16",
            groups=Groups(4, 64, copy_alone=True), stores_head=True),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(2):
        config = {**windows(config, int(rng.integers(0, config["num_hidden_layers"]))),
                  "sliding_window": int(rng.integers(3, 9))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = {**YARN, "factor": pick(rng, (2.0, 8.0))}
    return Variant("", config, "A misread Qwen2")


FAMILY = Family(
    name="qwen2", config_class="Qwen2Config", model_class="Qwen2ForCausalLM",
    draw_dims=partial(attention_dims, explicit_head_dim=False), base=BASE, variants=variants,
    random=random, old_spelling=without_layer_types,
    quantizable=lambda variant: variant,
    saved=("base", "window", "window-old"),
    published={
        "Qwen/Qwen2.5-7B": ("window-old", {"": {"transformers_version": "4.40.1", "use_mrope": False}}),
    },
)
