"""MiniMax-M2: norms of all heads of q and of k together, a rope over a part of each head, and experts chosen by sigmoids with a bias."""

from __future__ import annotations

import numpy as np

from ..checkpoint.experts import mixtral_experts
from ..variants.dims import attention_dims, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import Rule, around, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 20, "intermediate_size": 13, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "num_local_experts": 5, "num_experts_per_tok": 2, "tie_word_embeddings": False,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5000000.0, "partial_rotary_factor": 0.5},
}
RULES: tuple[tuple[str, Rule], ...] = ((r"e_score_correction_bias$", around(0.0, 0.25)),)
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(8e-4)), (r"lm_head\.weight$", fan_in(5.0)), (r"(q|k)_proj\.weight$", fan_in(5e-4)), (r"o_proj\.weight$", fan_in(6e-4)),
    (r"down_proj$", fan_in(6e-4)))


def old_spelling(config: Config) -> Config:
    """The published spelling: the number of elements that turn, and members that the class does not read."""
    config = dict(config)
    rope = config.pop("rope_parameters")
    return config | {"rope_theta": rope["rope_theta"], "rotary_dim": int(rope["partial_rotary_factor"] * config["head_dim"]), "use_qk_norm": True,
                     "qk_norm_type": "per_layer", "scoring_func": "sigmoid", "use_routing_bias": True, "shared_intermediate_size": 0}


def draw_dims(rng: np.random.Generator) -> Config:
    return {**attention_dims(rng), "head_dim": pick(rng, (8, 16)), "intermediate_size": int(rng.integers(9, 23)), "num_local_experts": pick(rng, (4, 5, 6)),
            "num_experts_per_tok": pick(rng, (2, 3))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, vocab_size=31, intermediate_size=11)
    return [
        Variant("base", base, "Norms of q and k taken per head, shares with their biases or not divided by their sum, or rotary_dim ignored", STANDARD, spelling="old"),
        Variant("options", {**two, "tie_word_embeddings": True, "rope_parameters": {**base["rope_parameters"], "partial_rotary_factor": 1.0}},
                "A part of a head turned where all of it does, or experts under the names of transformers 5 refused", ("batch", "narrow"), dtype="bfloat16"),
        Variant("defaults", {**two, "max_position_embeddings": 196608}, "An epsilon, an activation or a rope that config.json leaves to the published default",
                ("single",), spelling="old", dtype="bfloat16",
                omits=("hidden_act", "max_position_embeddings", "rms_norm_eps", "rope_theta", "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE, spelling="old"),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    rope = {**base["rope_parameters"], "partial_rotary_factor": pick(rng, (0.25, 0.5, 0.75, 1.0))}
    return Variant("", {**base, "tie_word_embeddings": bool(rng.integers(2)), "rope_parameters": rope}, "A misread MiniMax-M2", spelling=pick(rng, ("old", "new")))


FAMILY = Family(
    name="minimax_m2", config_class="MiniMaxM2Config", model_class="MiniMaxM2ForCausalLM", draw_dims=draw_dims, base=BASE, variants=variants, random=random,
    old_spelling=old_spelling, old_names=mixtral_experts, weight_rules=RULES, saved=("base", "options"),
    published={"MiniMaxAI/MiniMax-M2": ("base", {"": {"transformers_version": "4.46.1", "use_mtp": True, "num_mtp_modules": 3, "mtp_transformer_layers": 1,
                                                       "attn_type_list": [1, 1, 1]}})},
)
