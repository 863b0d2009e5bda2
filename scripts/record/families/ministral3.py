"""Ministral 3: Mistral with a factor of queries that grows with the position, and YaRN."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_CATCH, LENGTHS_DECODE, STANDARD, Config, Family, Variant, small
from ..variants.weights import fan_in

ROPE: Config = {"rope_type": "yarn", "rope_theta": 1500.0, "factor": 4.0, "original_max_position_embeddings": 4, "max_position_embeddings": 512,
                "beta_fast": 32.0, "beta_slow": 1.0, "mscale": 1.0, "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.6}
BASE: Config = {
    "vocab_size": 43, "hidden_size": 20, "intermediate_size": 27, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 8, "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "sliding_window": None, "tie_word_embeddings": False, "rope_parameters": ROPE,
}
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that.
SMALL = ((r"embed_tokens\.weight$", fan_in(2.4e-3)), (r"lm_head\.weight$", fan_in(5.0)), (r"(o|down)_proj\.weight$", fan_in(2e-3)))


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2)
    return [
        Variant("base", base, "The factor of queries left out, of the keys too, or with positions counted from 1", STANDARD),
        Variant("options", {**two, "sliding_window": 6, "tie_word_embeddings": True, "rope_parameters": {**ROPE, "mscale": 0.7, "llama_4_scaling_beta": 1.1}},
                "A window left out, or the factor of queries of another config", ("batch", "window"), dtype="bfloat16", spelling="old"),
        Variant("defaults", {**two, "vocab_size": 13, "rope_parameters": {"type": "yarn", "rope_theta": 1e6, "factor": 16.0, "max_position_embeddings": 262144,
                             "original_max_position_embeddings": 16384, "beta_fast": 32.0, "beta_slow": 1.0, "mscale_all_dim": 1.0, "mscale": 1.0,
                             "llama_4_scaling_beta": 0.1}, "max_position_embeddings": 262144},
                "A rope, an epsilon or an activation that config.json leaves to the published default", ("rows-single",), dtype="bfloat16",
                omits=("hidden_act", "max_position_embeddings", "rms_norm_eps", "rope_parameters", "sliding_window", "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        Variant("lengths", {**two, "vocab_size": 13, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 2048,
                            "rope_parameters": {**ROPE, "original_max_position_embeddings": 64}}, LENGTHS_CATCH, LENGTHS_DECODE, dtype="bfloat16"),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    rope = {**ROPE, "original_max_position_embeddings": pick(rng, (2, 3, 5, 64)), "llama_4_scaling_beta": pick(rng, (0.1, 0.6, 1.5))}
    return Variant("", {**base, "tie_word_embeddings": bool(rng.integers(2)), "sliding_window": pick(rng, (None, 3, 5, 8)), "rope_parameters": rope},
                   "A misread Ministral 3")


FAMILY = Family(
    name="ministral3", config_class="Ministral3Config", model_class="Ministral3ForCausalLM",
    draw_dims=attention_dims, base=BASE, variants=variants, random=random, old_spelling=flat_old_rope, quantizable=None,
    saved=("base", "options"),
    published={"mistralai/Ministral-3-3B-Instruct-2512": ("base", {"": {"transformers_version": "5.0.0.dev0"}})},
)
