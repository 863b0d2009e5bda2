"""Mixtral: Mistral with experts in every layer, each of which has files of its own."""

from __future__ import annotations

import numpy as np

from ..checkpoint.experts import mixtral_experts
from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import Rule, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 20, "intermediate_size": 13, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "sliding_window": None, "num_local_experts": 5, "num_experts_per_tok": 2,
    "tie_word_embeddings": False, "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
}
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(2.4e-3)), (r"lm_head\.weight$", fan_in(5.0)), (r"o_proj\.weight$", fan_in(2e-3)), (r"down_proj$", fan_in(2e-3)))


def draw_dims(rng: np.random.Generator) -> Config:
    return {**attention_dims(rng), "intermediate_size": int(rng.integers(9, 23)), "num_local_experts": pick(rng, (4, 5, 6)), "num_experts_per_tok": pick(rng, (2, 3))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, vocab_size=31, intermediate_size=11)
    return [
        Variant("base", base, "w2 and w3 of an expert swapped, or shares that are not divided by the sum of the chosen ones", STANDARD, spelling="old"),
        Variant("options", {**two, "sliding_window": 6, "tie_word_embeddings": True}, "A window left out, or experts under the names of transformers 5 refused",
                ("batch", "window", "narrow"), dtype="bfloat16"),
        Variant("defaults", small({k: v for k, v in base.items() if k != "head_dim"}, hidden_size=24, vocab_size=31, intermediate_size=11, max_position_embeddings=131072),
                "A head size, an epsilon, an activation, a rope or a window that config.json leaves to the published default", ("single",), spelling="old", dtype="bfloat16",
                omits=("hidden_act", "max_position_embeddings", "rms_norm_eps", "rope_scaling", "rope_theta", "sliding_window", "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE, spelling="old"),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    return Variant("", {**base, "tie_word_embeddings": bool(rng.integers(2)), "sliding_window": pick(rng, (None, 3, 5, 8))}, "A misread Mixtral",
                   spelling=pick(rng, ("old", "new")))


FAMILY = Family(
    name="mixtral", config_class="MixtralConfig", model_class="MixtralForCausalLM", draw_dims=draw_dims, base=BASE, variants=variants, random=random,
    old_spelling=flat_old_rope, old_names=mixtral_experts, saved=("base", "options"),
    published={"mistralai/Mixtral-8x7B-v0.1": ("base", {"": {"transformers_version": "4.36.0.dev0", "attention_dropout": 0.0, "output_router_logits": False,
                                                              "router_aux_loss_coef": 0.02}})},
)
