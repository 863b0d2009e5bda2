"""GLM-4: norms before and after attention and MLP, a rope over half of each head whose pairs are neighbours, and a fused gate and up."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import Rule, around, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 20, "intermediate_size": 27, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "pad_token_id": None, "tie_word_embeddings": False, "attention_bias": True,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5},
}
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(2.4e-3)), (r"lm_head\.weight$", fan_in(5.0)), (r"post_(self_attn|mlp)_layernorm\.weight$", around(0.0, 2e-3)),
    (r"(o|down)_proj\.weight$", fan_in(1e-3)))


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, vocab_size=31)
    return [
        Variant("base", base, "Halves of a head turned for neighbours, the other half of a head turned, a norm left out, or gate and up swapped", STANDARD, spelling="old"),
        Variant("options", {**two, "attention_bias": False, "tie_word_embeddings": True, "rope_parameters": {**base["rope_parameters"], "partial_rotary_factor": 1.0}},
                "A bias that the model does not have, or a part of a head turned where all of it does", ("batch",), dtype="bfloat16"),
        Variant("defaults", {**two, "rms_norm_eps": 1.5625e-07, "max_position_embeddings": 131072},
                "A bias, an epsilon, an activation or a rope that config.json leaves to the published default", ("single",), dtype="bfloat16",
                spelling="old", omits=("attention_bias", "hidden_act", "max_position_embeddings", "partial_rotary_factor", "rms_norm_eps", "rope_scaling", "rope_theta",
                                       "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    return {**attention_dims(rng), "head_dim": pick(rng, (8, 16))}


def random(rng: np.random.Generator, base: Config) -> Variant:
    rope = {**base["rope_parameters"], "partial_rotary_factor": pick(rng, (0.25, 0.5, 1.0))}
    return Variant("", {**base, "attention_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2)), "rope_parameters": rope}, "A misread GLM-4",
                   spelling=pick(rng, ("old", "new")))


FAMILY = Family(
    name="glm4", config_class="Glm4Config", model_class="Glm4ForCausalLM", draw_dims=draw_dims, base=BASE, variants=variants, random=random,
    old_spelling=flat_old_rope, saved=("base", "options"),
    published={"zai-org/GLM-4-9B-0414": ("base", {"": {"transformers_version": "4.52.0.dev0", "attention_dropout": 0.0}})},
)
