"""SmolLM3: Llama without a rope in every fourth layer."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import Rule, fan_in

BASE: Config = {
    "vocab_size": 43, "hidden_size": 32, "intermediate_size": 27, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6, "pad_token_id": None, "tie_word_embeddings": True, "no_rope_layers": [1, 0, 1], "use_sliding_window": False,
    "rope_parameters": {"rope_type": "default", "rope_theta": 5000.0},
}
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(2.4e-3)), (r"lm_head\.weight$", fan_in(5.0)), (r"(o|down)_proj\.weight$", fan_in(2e-3)))


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng, explicit_head_dim=False)
    return {**dims, "no_rope_layers": [int(rng.integers(2)) for _ in range(dims["num_hidden_layers"])]}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, vocab_size=31, no_rope_layers=[0, 1])
    return [
        Variant("base", base, "A rope where no_rope_layers is 0, or none where it is 1", STANDARD, spelling="old"),
        Variant("options", {**two, "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": False, "use_sliding_window": True, "sliding_window": 6,
                            "rope_parameters": {"rope_type": "yarn", "rope_theta": 5000.0, "factor": 4.0, "original_max_position_embeddings": 64}},
                "A window in a layer with a rope, or none in one without, or a bias forgotten", ("batch", "window"), dtype="bfloat16"),
        Variant("listed", {**two, "num_hidden_layers": 1, "no_rope_layers": [1], "use_sliding_window": True, "sliding_window": 4, "layer_types": ["sliding_attention"]},
                "layer_types ignored", ("window",), dtype="bfloat16"),
        Variant("defaults", {**two, "hidden_size": 16, "num_hidden_layers": 4, "no_rope_layers": [1, 1, 1, 0], "max_position_embeddings": 32768,
                             "rope_parameters": {"rope_type": "default", "rope_theta": 2000000.0}},
                "A layer without a rope, an epsilon, an activation or a rope that config.json leaves to the published default", ("single",), dtype="bfloat16",
                spelling="old", omits=("attention_bias", "hidden_act", "layer_types", "max_position_embeddings", "mlp_bias", "no_rope_layer_interval", "no_rope_layers",
                                       "rms_norm_eps", "rope_scaling", "rope_theta", "sliding_window", "tie_word_embeddings", "use_sliding_window")),
        Variant("small-variance", {**two, "tie_word_embeddings": False}, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)), "mlp_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(2):
        config |= {"use_sliding_window": True, "sliding_window": int(rng.integers(3, 9))}
    return Variant("", config, "A misread SmolLM3")


FAMILY = Family(
    name="smollm3", config_class="SmolLM3Config", model_class="SmolLM3ForCausalLM", draw_dims=draw_dims, base=BASE, variants=variants, random=random,
    old_spelling=flat_old_rope, saved=("base", "options"),
    published={"HuggingFaceTB/SmolLM3-3B": ("base", {"": {"transformers_version": "4.54.0.dev0", "attention_dropout": 0.0, "max_window_layers": 28,
                                                           "no_rope_layer_interval": 4, "pretraining_tp": 2}})},
)
