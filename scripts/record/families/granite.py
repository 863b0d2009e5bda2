"""Granite: Llama with multipliers of embedding, attention, residuals and logits."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, grouped, pick
from ..variants.variant import STANDARD, Config, Family, Groups, Variant, lengths, small
from ..variants.weights import fan_in

MULTIPLIERS: Config = {"embedding_multiplier": 6.0, "attention_multiplier": 0.13,
                       "residual_multiplier": 0.4, "logits_scaling": 2.5}
BASE: Config = {
    "vocab_size": 109, "hidden_size": 32, "intermediate_size": 45, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5, "tie_word_embeddings": False, **MULTIPLIERS,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}
LLAMA3: Config = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                  "original_max_position_embeddings": 64, "rope_theta": 10000.0}
NEUTRAL: Config = dict.fromkeys(MULTIPLIERS, 1.0)

# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that, so that an
# epsilon of 1e-5 changes all of them.
SMALL = ((r"embed_tokens\.weight$", fan_in(4e-4)), (r"lm_head\.weight$", fan_in(12.0)),
         (r"(o|down)_proj\.weight$", fan_in(4e-3)))


def old_spelling(config: Config) -> Config:
    """The published spelling, which has every member."""
    return {"attention_bias": False, "mlp_bias": False, **NEUTRAL, **flat_old_rope(config)}


def variants(base: Config) -> list[Variant]:
    one = small(base)
    return [
        Variant("base", base, "A multiplier left out or applied in the wrong place", (*STANDARD, "limit"),
                spelling="old"),
        Variant("old", {**base, "tie_word_embeddings": True}, "A tied head read as untied, or a config "
                "with rope_theta misread", ("single", "batch"), spelling="old", dtype="float16"),
        Variant("biases", {**base, "attention_bias": True, "mlp_bias": True}, "A forgotten bias of q, k, v, "
                "o or of the MLP, or one that the residual multiplier misses", STANDARD, dtype="bfloat16"),
        Variant("head-dim", {**one, "head_dim": 10}, "A head_dim that config.json states ignored",
                ("single", "batch"), dtype="bfloat16", n_shards=2),
        *(Variant(name.replace("_", "-"), {**one, **NEUTRAL, name: MULTIPLIERS[name]},
                  f"{name} alone ignored", dtype="bfloat16") for name in MULTIPLIERS),
        Variant("llama3-old", small(base, rope_parameters=LLAMA3), "rope_scaling with rope_type llama3 "
                "ignored", spelling="old", dtype="bfloat16"),
        Variant("small-variance", {**one, "num_hidden_layers": 2}, "An epsilon that is too large, too "
                "small or added to the root", ("single", "batch"), weight_rules=SMALL),
        Variant("defaults", {**one, **NEUTRAL, "num_key_value_heads": base["num_attention_heads"],
                             "max_position_embeddings": 2048, "rms_norm_eps": 1e-6},
                "A multiplier, epsilon, activation, rope or number of KV heads that config.json leaves to "
                "the published default", dtype="bfloat16", spelling="old",
                omits=("attention_bias", "hidden_act", "max_position_embeddings", "mlp_bias",
                       "num_key_value_heads", "rms_norm_eps", "rope_scaling", "rope_theta",
                       "tie_word_embeddings", *MULTIPLIERS)),
        lengths(small(base, num_hidden_layers=2)),
        Variant("mlx-4bit", grouped(base, 64, 192, 4, 2, 16, vocab_size=61, num_hidden_layers=2),
                "A multiplier left out where weights are codes, or modules of eight bits read in four",
                ("single", "batch"), spelling="old", dtype="bfloat16", groups=Groups(4, 64)),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)), "mlp_bias": bool(rng.integers(2)),
              "tie_word_embeddings": bool(rng.integers(2)),
              "embedding_multiplier": pick(rng, (1.0, 3.0, 12.0)),
              "attention_multiplier": pick(rng, (1.0, 0.25, 0.0625)),
              "residual_multiplier": pick(rng, (1.0, 0.22, 0.7)),
              "logits_scaling": pick(rng, (1.0, 2.0, 5.0))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = LLAMA3
    return Variant("", config, "A misread Granite")


def quantizable(variant: Variant) -> Variant:
    """The variant without mlx-lm's own groups of 64 for some modules, whose widths may be no multiple of it."""
    groups = variant.groups
    own = (r"(o_proj|down_proj|lm_head)$", {"group_size": groups.group_size, "bits": groups.bits})
    return replace(variant, groups=replace(groups, modules=(*groups.modules, own)))


FAMILY = Family(
    name="granite", config_class="GraniteConfig", model_class="GraniteForCausalLM",
    draw_dims=partial(attention_dims, explicit_head_dim=False), base=BASE, variants=variants,
    random=random, old_spelling=old_spelling, quantizable=quantizable,
    saved=("base", "old"),
    published={
        "ibm-granite/granite-3.1-2b-base": ("old", {"": {"transformers_version": "4.46.0.dev0", "attention_dropout": 0.1, "rope_scaling": None}}),
    },
)
