"""Mistral: Llama with a sliding window in every layer, 4,096 positions unless config.json says otherwise."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, grouped, pick
from ..variants.variant import STANDARD, Config, Family, Groups, Variant, lengths, small
from ..variants.weights import fan_in

BASE: Config = {
    "vocab_size": 103, "hidden_size": 28, "intermediate_size": 41, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 10,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "sliding_window": 6, "tie_word_embeddings": False,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
}
YARN: Config = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64, "rope_theta": 10000.0}

# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that, so that an epsilon of 1e-5 changes all
# of them.
SMALL = ((r"embed_tokens\.weight$", fan_in(2.4e-3)), (r"lm_head\.weight$", fan_in(5.0)), (r"(o|down)_proj\.weight$", fan_in(2e-3)))


def old_spelling(config: Config) -> Config:
    """The first published spelling: no head size if it is hidden / heads."""
    config = flat_old_rope(config)
    if config.get("head_dim") == config["hidden_size"] // config["num_attention_heads"]:
        del config["head_dim"]
    return config


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2)
    tiny = small(base, num_hidden_layers=2, vocab_size=11, hidden_size=16, num_attention_heads=2, num_key_value_heads=1, head_dim=6,
                 max_position_embeddings=8192)
    return [
        Variant("base", {**base, "sliding_window": None}, "A window where config.json says null, or a head size of hidden / heads",
                (*STANDARD, "limit")),
        Variant("window", base, "A window that is off by one, or not applied in every layer", ("single", "batch", "window"), dtype="float16"),
        Variant("old", {**base, "hidden_size": 40, "tie_word_embeddings": True}, "A tied head read as untied, or a config with rope_theta and "
                "without head_dim misread", ("single", "batch", "window"), spelling="old", dtype="bfloat16"),
        Variant("bfloat16", two, "A window of the cache off by one in bfloat16", (*STANDARD, "window", "greedy"), dtype="bfloat16",
                n_shards=2),
        Variant("yarn-old", small(base, rope_parameters=YARN), "rope_scaling of type yarn ignored", spelling="old", dtype="bfloat16"),
        Variant("small-variance", {**two, "sliding_window": None}, "An epsilon that is too large, too small or added to the root",
                ("single", "batch"), weight_rules=SMALL),
        Variant("defaults", small({**base, "head_dim": 6}, hidden_size=24, rms_norm_eps=1e-6, max_position_embeddings=131072), "An epsilon, activation, rope or "
                "head size that config.json leaves to the published default", ("window",), spelling="old", dtype="bfloat16",
                omits=("hidden_act", "max_position_embeddings", "rms_norm_eps", "rope_scaling", "rope_theta", "tie_word_embeddings")),
        Variant("window-default", {**tiny, "sliding_window": 4096}, "A window that config.json leaves to the published default of 4096 positions, "
                "ignored", ("prefill-4096",), dtype="bfloat16", omits=("sliding_window",)),
        Variant("window-null", {**tiny, "sliding_window": None}, "A window of null taken for the published default of 4096 positions, or refused",
                ("prefill-4096",), spelling="old", dtype="bfloat16"),
        lengths({**two, "sliding_window": None}),
        Variant("pages", {**two, "sliding_window": 70}, "A page of a rotating cache freed too early", ("pages",), dtype="bfloat16"),
        Variant("mlx-4bit", {**grouped(base, 64, 192, 4, 2, 16, vocab_size=61, num_hidden_layers=2), "sliding_window": 16},
                "A scale left out where weights are codes", ("single", "batch"), spelling="old", dtype="bfloat16", groups=Groups(4, 64)),
        Variant("mlx-8bit", {**grouped(base, 64, 96, 4, 1, 8, vocab_size=61, num_hidden_layers=1), "sliding_window": None},
                "Codes of eight bits read as signed", ("single", "generate"), spelling="old", groups=Groups(8, 32)),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "tie_word_embeddings": bool(rng.integers(2)), "sliding_window": pick(rng, (None, 3, 5, 8))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = YARN
    return Variant("", config, "A misread Mistral")


FAMILY = Family(
    name="mistral", config_class="MistralConfig", model_class="MistralForCausalLM",
    draw_dims=attention_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    quantizable=lambda variant: variant,
    saved=("base", "window", "old"),
    published={
        "mistralai/Mistral-7B-v0.1": ("old", {"": {"transformers_version": "4.34.0.dev0", "bos_token_id": 1}}),
        "mistralai/Mistral-Nemo-Base-2407": ("window", {"": {"transformers_version": "4.43.0.dev0", "attention_dropout": 0.0}}),
    },
)
