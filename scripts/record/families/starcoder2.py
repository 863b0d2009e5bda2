"""StarCoder 2: LayerNorms, an MLP without a gate, biases of all products, and one window."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import around, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 24, "intermediate_size": 26, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "sliding_window": 6, "max_position_embeddings": 512, "norm_epsilon": 1e-5,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0},
}
LINEAR: Config = {"rope_type": "linear", "factor": 4.0, "rope_theta": 5000.0}
# The variances that every norm divides by are between the square of 2e-4 and a hundred times that, so that an epsilon of
# 1e-5 changes all of them.
SMALL = ((r"embed_tokens\.weight$", fan_in(5e-3)), (r"lm_head\.weight$", fan_in(12.0)), (r"(o_proj|c_proj)\.weight$", fan_in(2e-3)),
         (r"(o_proj|c_proj)\.bias$", around(0.0, 5e-4)))


def old_spelling(config: Config) -> Config:
    """The published spelling, with members that the class does not read."""
    return {**flat_old_rope(config), "attention_softmax_in_fp32": True, "layer_norm_epsilon": 1e-5,
            "mlp_type": "default", "norm_type": "layer_norm", "scale_attention_softmax_in_fp32": True,
            "scale_attn_weights": True}


def draw_dims(rng: np.random.Generator) -> Config:
    return {**attention_dims(rng, explicit_head_dim=False), "sliding_window": pick(rng, (None, 3, 5, 8))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2)
    return [
        Variant("base", base, "An RMSNorm, a bias of a norm or a product forgotten, an MLP with a gate, or no window", (*STANDARD, "window"),
                spelling="new"),
        Variant("options", {**two, "rope_parameters": LINEAR, "use_bias": False, "head_dim": 10, "hidden_act": "silu", "tie_word_embeddings": False,
                    "embedding_dropout": 0.1, "residual_dropout": 0.1},
                "A head_dim that is not hidden / heads, a bias that is not there, a head that is not tied, rope_scaling ignored", ("batch",),
                spelling="old", dtype="bfloat16"),
        Variant("defaults", {**two, "sliding_window": None, "max_position_embeddings": 4096,
                             "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}},
                "A window, bias, epsilon, activation or rope that config.json leaves to the published default", spelling="old", dtype="bfloat16",
                omits=("hidden_act", "max_position_embeddings", "norm_epsilon", "rope_scaling", "rope_theta", "sliding_window", "tie_word_embeddings",
                       "use_bias")),
        Variant("small-variance", {**two, "tie_word_embeddings": False}, "An epsilon that is too large, too small or added to the root",
                ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "sliding_window": None}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "use_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = LINEAR
    return Variant("", config, "A misread StarCoder 2")


FAMILY = Family(
    name="starcoder2", config_class="Starcoder2Config", model_class="Starcoder2ForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling, quantizable=lambda variant: variant,
    saved=("base", "options"),
    published={
        "bigcode/starcoder2-3b": ("options", {"": {"transformers_version": "4.37.0.dev0", "attention_dropout": 0.1}}),
    },
)
