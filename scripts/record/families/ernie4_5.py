"""ERNIE 4.5, dense: Llama with adjacent pairs in the rope, and a bias of every product or of none."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import Rule, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 20, "intermediate_size": 26, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5, "tie_word_embeddings": True, "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0},
}
YARN: Config = {"rope_type": "yarn", "rope_theta": 5000.0, "factor": 4.0, "original_max_position_embeddings": 64}

# The mean squares that every norm divides by are small enough that an epsilon of 1e-5 changes all of them.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(6e-3)), (r"lm_head\.weight$", fan_in(4.0)), (r"(o|down)_proj(\.weight)?$", fan_in(4e-3)),
)


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2)
    return [
        Variant("base", base, "Pairs of the rope that are half a head apart, or a tied head taken for a missing one", STANDARD, spelling="old"),
        Variant("options", {**two, "use_bias": True, "tie_word_embeddings": False, "hidden_act": "gelu_pytorch_tanh", "rope_parameters": YARN},
                "A bias of a product forgotten, or a rope of another type over adjacent pairs misread", ("batch",), dtype="bfloat16"),
        Variant("defaults", {**two, "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}, "max_position_embeddings": 131072},
                "An epsilon, activation or rope that config.json leaves to the published default", ("single",), spelling="old", dtype="bfloat16",
                omits=("hidden_act", "max_position_embeddings", "rms_norm_eps", "rope_scaling", "rope_theta", "tie_word_embeddings", "use_bias")),
        Variant("small-variance", {**two, "tie_word_embeddings": False}, "An epsilon that is too large, too small or added to the root", ("single",),
                weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 6}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "use_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = YARN
    return Variant("", config, "A misread ERNIE 4.5", spelling=pick(rng, ("new", "old")))


FAMILY = Family(
    name="ernie4_5", config_class="Ernie4_5Config", model_class="Ernie4_5ForCausalLM",
    draw_dims=attention_dims, base=BASE, variants=variants, random=random, old_spelling=flat_old_rope,
    quantizable=lambda variant: variant,
    saved=("base", "options"),
    published={
        "baidu/ERNIE-4.5-0.3B-PT": ("base", {"": {"transformers_version": "4.54.0.dev0", "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
                                                  "compression_ratio": 1.0}}),
    },
)
