"""Seed-OSS: Llama with biases of q, k and v."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import Rule, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 20, "intermediate_size": 27, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "attention_bias": True, "attention_out_bias": False,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0},
}
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(2.4e-3)), (r"lm_head\.weight$", fan_in(5.0)), (r"(o|down)_proj\.weight$", fan_in(2e-3)))


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, vocab_size=31)
    return [
        Variant("base", base, "A bias of o where only q, k and v have one", STANDARD, spelling="old"),
        Variant("options", {**two, "attention_bias": False, "attention_out_bias": True, "mlp_bias": True, "tie_word_embeddings": True,
                            "rope_parameters": {"rope_type": "linear", "factor": 2.5, "rope_theta": 5000.0}},
                "A bias of o or of the MLP forgotten, or one of q, k and v that the model does not have", ("batch",), dtype="bfloat16"),
        Variant("defaults", small({k: v for k, v in base.items() if k != "head_dim"}, head_dim=128, vocab_size=31, hidden_size=16, num_attention_heads=1, num_key_value_heads=1,
                                  num_hidden_layers=1, max_position_embeddings=524288, rope_parameters={"rope_type": "default", "rope_theta": 10000.0}),
                "A bias, an epsilon, an activation or a rope that config.json leaves to the published default", ("single",), dtype="bfloat16",
                spelling="old", omits=("attention_bias", "attention_out_bias", "hidden_act", "max_position_embeddings", "mlp_bias", "rms_norm_eps",
                                       "rope_scaling", "rope_theta", "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    flags = ("attention_bias", "attention_out_bias", "mlp_bias", "tie_word_embeddings")
    return Variant("", {**base, **{flag: bool(rng.integers(2)) for flag in flags}}, "A misread Seed-OSS", spelling=pick(rng, ("old", "new")))


FAMILY = Family(
    name="seed_oss", config_class="SeedOssConfig", model_class="SeedOssForCausalLM", draw_dims=attention_dims, base=BASE, variants=variants, random=random,
    old_spelling=flat_old_rope, saved=("base", "options"),
    published={"ByteDance-Seed/Seed-OSS-36B-Base": ("base", {"": {"transformers_version": "4.55.0", "attention_dropout": 0.1, "residual_dropout": 0.1, "pretraining_tp": 1}})},
)
