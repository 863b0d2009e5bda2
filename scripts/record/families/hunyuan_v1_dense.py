"""HunYuan, first version, dense: Llama with norms of each head of q and k after the rope, whose base an alpha scales."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import Rule, around, fan_in

ALPHA: Config = {"rope_type": "dynamic", "rope_theta": 10000.0, "alpha": 50.0, "factor": 1.0, "beta_fast": 32, "beta_slow": 1,
                 "mscale": 1.0, "mscale_all_dim": 1.0}
BASE: Config = {
    "vocab_size": 43, "hidden_size": 20, "intermediate_size": 26, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5, "tie_word_embeddings": False, "rope_parameters": ALPHA,
}
WEIGHT_RULES: tuple[tuple[str, Rule], ...] = ((r"(query|key)_layernorm\.weight$", around(1.0, 0.25)),)

# The mean squares that every norm divides by are small enough that an epsilon of 1e-5 changes all of them.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(6e-3)), (r"lm_head\.weight$", fan_in(4.0)), (r"(q|k)_proj\.weight$", fan_in(1e-3)),
    (r"(o|down)_proj(\.weight)?$", fan_in(4e-3)),
)
# Members of published files that the class does not read
PUBLISHED: Config = {"norm_type": "rms", "use_cla": False, "use_qk_norm": True, "use_rotary_pos_emb": True}


def old_spelling(config: Config) -> Config:
    """The published spelling, with copies of two members."""
    return {**flat_old_rope(config), **PUBLISHED, "org_vocab_size": config["vocab_size"],
            **({"attention_head_dim": config["head_dim"]} if "head_dim" in config else {})}


def draw_dims(rng: np.random.Generator) -> Config:
    return {**attention_dims(rng), "rope_parameters": {**ALPHA, "alpha": pick(rng, (2.0, 50.0, 1000.0))}}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2)
    plain = {"rope_type": "default", "rope_theta": 10000.0}
    return [
        Variant("base", base, "A norm of q or k before the rope, left out or over all heads, or a base that alpha does not scale", STANDARD, spelling="new"),
        Variant("options", {**two, "attention_bias": True, "tie_word_embeddings": True, "hidden_act": "gelu_pytorch_tanh",
                            "rope_parameters": {**ALPHA, "alpha": 1000.0, "rope_theta": 500.0}},
                "A bias forgotten, a tied head taken for a missing one, or the rope_scaling of published files misread", ("batch",),
                spelling="old", dtype="bfloat16"),
        Variant("defaults", {**two, "num_key_value_heads": 4, "rope_parameters": plain, "max_position_embeddings": 2048},
                "A number of heads, an epsilon, activation or rope that config.json leaves to the published default", ("single",), spelling="old",
                dtype="bfloat16", omits=("attention_bias", "hidden_act", "max_position_embeddings", "num_key_value_heads", "rms_norm_eps",
                                         "rope_scaling", "rope_theta", "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 6}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = {"rope_type": "default", "rope_theta": 700.0}
    return Variant("", config, "A misread HunYuan", spelling=pick(rng, ("new", "old")))


FAMILY = Family(
    name="hunyuan_v1_dense", config_class="HunYuanDenseV1Config", model_class="HunYuanDenseV1ForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    weight_rules=WEIGHT_RULES, quantizable=lambda variant: variant,
    saved=("base", "options"),
    published={
        "tencent/Hunyuan-7B-Instruct": ("options", {"": {"transformers_version": "4.41.2", "attention_dropout": 0.1, "mlp_bias": False, "pretraining_tp": 1,
                                                         "cla_share_factor": 2, "dense_list": [4096, 0], "pool_type": "last", "class_num": 0}}),
    },
)
