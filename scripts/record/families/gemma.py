"""Gemma: Llama with norms that multiply by 1 + w, an embedding times the root of its width, and a tied head."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, grouped, pick
from ..variants.variant import STANDARD, Config, Family, Groups, Variant, lengths, small
from ..variants.weights import around, fan_in

BASE: Config = {
    "vocab_size": 107, "hidden_size": 28, "intermediate_size": 46, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 12, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-6, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}
ROPES: dict[str, Config] = {
    "linear": {"rope_type": "linear", "factor": 2.5, "rope_theta": 10000.0},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 64, "rope_theta": 10000.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64,
             "rope_theta": 10000.0},
}
WEIGHT_RULES = ((r"norm\.weight$", around(0.0, 0.3)),)  # 1 + w is then near 1

# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that, so that an
# epsilon of 1e-6 changes all of them.
SMALL = ((r"embed_tokens\.weight$", fan_in(4e-4)), (r"lm_head\.weight$", fan_in(4.0)),
         (r"(o|down)_proj\.weight$", fan_in(2e-3)))

# Layers that count for more than the embedding, whose own token a tied head would otherwise choose at every step.
VARIED = ((r"embed_tokens\.weight$", fan_in(0.5)),)


def old_spelling(config: Config) -> Config:
    """The first published spelling, in which gelu names the approximation."""
    config = flat_old_rope(config)
    if config.get("hidden_act", "gelu_pytorch_tanh") == "gelu_pytorch_tanh":
        config["hidden_act"] = "gelu"
    return config


def variants(base: Config) -> list[Variant]:
    one, two = small(base), small(base, num_hidden_layers=2)
    return [
        Variant("base", base, "A norm that multiplies by w, an embedding that is not scaled, or a head size of "
                "hidden / heads", (*STANDARD, "limit")),
        Variant("old", base, "A hidden_act of gelu taken for the exact function, or a rope of rope_theta "
                "misread", ("single", "batch"), spelling="old", dtype="float16"),
        Variant("bfloat16", two, "1 + w added in bfloat16, or an embedding scaled by a factor that is not rounded "
                "to bfloat16", (*STANDARD, "greedy"), dtype="bfloat16", spelling="old"),
        Variant("one-head", {**one, "num_key_value_heads": 1}, "One key/value head for all heads misread",
                dtype="bfloat16"),
        Variant("untied", {**two, "tie_word_embeddings": False, "attention_bias": True},
                "A head taken for tied, or a bias of attention forgotten", ("single", "batch"),
                dtype="bfloat16", n_shards=2),
        Variant("tied-stored", one, "A checkpoint refused because it holds a head that is tied",
                dtype="bfloat16", stores_head=True),
        Variant("theta", {**one, "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}},
                "rope_theta not looked for in rope_parameters", dtype="bfloat16"),
        Variant("llama3-old", {**one, "rope_parameters": ROPES["llama3"]}, "rope_scaling ignored",
                spelling="old", dtype="bfloat16"),
        Variant("act-both", {**one, "hidden_act": "relu"}, "hidden_activation read in place of hidden_act",
                dtype="bfloat16", writes={"hidden_activation": "gelu_pytorch_tanh"}),
        Variant("act-gelu-python", {**one, "hidden_act": "gelu_python"}, "The exact function, by its name, taken "
                "for the approximation", dtype="bfloat16"),
        Variant("small-variance", {**two, "tie_word_embeddings": False}, "An epsilon that is too large, too "
                "small or added to the root", ("single", "batch"), weight_rules=SMALL),
        Variant("defaults", {**one, "max_position_embeddings": 8192}, "An epsilon, activation, rope or tied "
                "head that config.json leaves to the published default", dtype="bfloat16", spelling="old",
                omits=("attention_bias", "hidden_act", "max_position_embeddings", "rms_norm_eps",
                       "rope_scaling", "rope_theta", "tie_word_embeddings")),
        lengths(two, weight_rules=VARIED),
        Variant("mlx-4bit", grouped(base, 64, 192, 4, 1, 32, vocab_size=61, num_hidden_layers=2),
                "The scale of an embedding left out where it is codes", ("single", "batch"), spelling="old",
                dtype="bfloat16", groups=Groups(4, 64)),
        Variant("mlx-6bit", grouped(base, 64, 96, 4, 1, 8, vocab_size=61, num_hidden_layers=2),
                "A tied head that does not read the groups of the embedding", ("single", "generate"),
                spelling="old", groups=Groups(6, 32), weight_rules=VARIED),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2)),
              "hidden_act": pick(rng, ("gelu_pytorch_tanh", "gelu_pytorch_tanh", "gelu_python", "silu"))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = ROPES[pick(rng, tuple(ROPES))]
    return Variant("", config, "A misread Gemma")


def without_bias(variant: Variant) -> Variant:
    """The variant as mlx-lm supports it: no biases, and a tied head."""
    return replace(variant, config={**variant.config, "attention_bias": False, "tie_word_embeddings": True})


FAMILY = Family(
    name="gemma", config_class="GemmaConfig", model_class="GemmaForCausalLM",
    draw_dims=attention_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    weight_rules=WEIGHT_RULES, quantizable=without_bias,
    saved=("base", "old", "theta"),
    published={
        "google/gemma-2b": ("old", {"": {"transformers_version": "4.38.0.dev0", "attention_dropout": 0.0, "rope_scaling": None}}),
    },
)
