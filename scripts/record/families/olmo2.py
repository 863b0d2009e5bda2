"""OLMo 2: RMSNorm after attention and MLP only, and over all heads of q and of k before they are split."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, grouped, pick
from ..variants.variant import STANDARD, Config, Family, Groups, Variant, lengths, small
from ..variants.weights import around, fan_in

BASE: Config = {
    "vocab_size": 107, "hidden_size": 28, "intermediate_size": 41, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 10,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "tie_word_embeddings": False,
    "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0},
}
ROPES: dict[str, Config] = {
    "linear": {"rope_type": "linear", "factor": 2.5, "rope_theta": 500000.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64,
             "rope_theta": 500000.0},
}

# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that, so that an
# epsilon of 1e-6 changes all of them. The gate makes up for the product of two small numbers.
SMALL = (
    (r"embed_tokens\.weight$", fan_in(8e-3)), (r"post_\w+_layernorm\.weight$", around(0.0, 2e-3)),
    (r"gate_proj\.weight$", fan_in(600.0)), (r"lm_head\.weight$", fan_in(4.0)),
)


def variants(base: Config) -> list[Variant]:
    implied = {k: v for k, v in base.items() if k != "head_dim"}
    implied["hidden_size"] = base["num_attention_heads"] * base["head_dim"]
    return [
        Variant("base", base, "A norm of q or k taken per head, or a norm after attention or MLP taken "
                "before it", (*STANDARD, "limit"), spelling="old"),
        Variant("old", {**implied, "tie_word_embeddings": True}, "A tied head read as untied, or a config "
                "with rope_theta and without head_dim misread", ("single", "batch"), spelling="old",
                dtype="float16"),
        Variant("biases", {**base, "attention_bias": True}, "A forgotten bias of q, k, v or o, or one "
                "added after the norm, or rope_theta not looked for in rope_parameters", STANDARD,
                dtype="bfloat16"),
        Variant("sharded", {**base, "rope_parameters": ROPES["linear"]}, "A tensor looked for in the wrong "
                "shard, or positions that linear rope did not divide", n_shards=3, dtype="bfloat16"),
        Variant("yarn-old", small(base, rope_parameters=ROPES["yarn"]),
                "rope_scaling of type yarn ignored", spelling="old", dtype="bfloat16"),
        Variant("one-head", small(base, num_key_value_heads=1), "The norm of a single key/value head "
                "taken over the width of q", ("single", "greedy"), dtype="bfloat16"),
        Variant("small-variance", small(base, num_hidden_layers=2), "An epsilon that is too large, too "
                "small or added to the root", ("single", "batch"), weight_rules=SMALL),
        Variant("defaults", small({k: v for k, v in base.items() if k != "head_dim"}, hidden_size=24,
                                  num_key_value_heads=base["num_attention_heads"],
                                  max_position_embeddings=2048, rms_norm_eps=1e-5,
                                  rope_parameters={"rope_type": "default", "rope_theta": 10000.0}),
                "An epsilon, activation, rope, head size or number of KV heads that config.json leaves to "
                "the published default", dtype="bfloat16", spelling="old",
                omits=("attention_bias", "hidden_act", "max_position_embeddings", "num_key_value_heads",
                       "rms_norm_eps", "rope_scaling", "rope_theta", "tie_word_embeddings")),
        lengths(small(base, num_hidden_layers=2)),
        Variant("mlx-4bit", grouped(base, 64, 192, 4, 2, 16, vocab_size=61, num_hidden_layers=2),
                "The norm of a quantised projection taken per head", ("single", "batch"), spelling="old",
                dtype="bfloat16", groups=Groups(4, 64)),
        Variant("mlx-8bit", grouped(base, 64, 96, 4, 1, 8, vocab_size=61, num_hidden_layers=1,
                                    attention_bias=True),
                "The bias of a layer confused with those of its groups", ("single", "generate"),
                spelling="old", dtype="float16", groups=Groups(8, 32)),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)),
              "tie_word_embeddings": bool(rng.integers(2)), "rms_norm_eps": pick(rng, (1e-6, 1e-5))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = ROPES[pick(rng, sorted(ROPES))]
    return Variant("", config, "A misread OLMo 2")


FAMILY = Family(
    name="olmo2", config_class="Olmo2Config", model_class="Olmo2ForCausalLM",
    draw_dims=attention_dims, base=BASE, variants=variants, random=random,
    old_spelling=flat_old_rope,
    quantizable=lambda variant: variant,
    saved=("base", "old"),
    published={
        "allenai/OLMo-2-1124-7B": ("old", {"": {"transformers_version": "4.47.0.dev0", "attention_dropout": 0.0, "rope_scaling": None}}),
    },
)
