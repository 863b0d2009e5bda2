"""gpt-oss: attention sinks, a window in every second layer, and experts with biases whose gate and up are limited and in alternate columns."""

from __future__ import annotations

import numpy as np

from ..variants.dims import attention_dims, flat_old_rope, pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Stored, Variant, lengths, small
from ..variants.weights import Rule, around, fan_in

YARN: Config = {"rope_type": "yarn", "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False,
                "original_max_position_embeddings": 64, "rope_theta": 1500.0}
BASE: Config = {
    "vocab_size": 31, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 512, "rms_norm_eps": 1e-5,
    "sliding_window": 6, "num_local_experts": 4, "num_experts_per_tok": 2, "attention_bias": True, "swiglu_limit": 1.25,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "rope_parameters": YARN,
}

# Experts are stored [in, out], so the gain counts the other axis. Factors of about 1.5: the limit cuts some of either.
WEIGHT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"(gate_up|down)_proj_bias$", around(0.0, 0.4)), (r"sinks$", around(0.5, 0.7)),
    (r"experts\.(gate_up|down)_proj$", lambda rng, shape: rng.standard_normal(shape) * 1.5 / shape[-2] ** 0.5),
    (r"router\.weight$", fan_in(2.0)), (r"router\.bias$", around(0.0, 0.5)),
)
# The mean squares that every norm divides by are between the square of 2e-4 and a hundred times that.
SMALL: tuple[tuple[str, Rule], ...] = (
    (r"embed_tokens\.weight$", fan_in(2.4e-3)), (r"lm_head\.weight$", fan_in(5.0)), (r"o_proj\.(weight|bias)$", fan_in(2e-3)),
    (r"experts\.down_proj(_bias)?$", lambda rng, shape: rng.standard_normal(shape) * 2e-3),
)


def old_spelling(config: Config) -> Config:
    """The published spelling, with copies that the class does not read."""
    config = flat_old_rope(config)
    if config["rope_scaling"]:
        config["rope_scaling"]["rope_type"] = config["rope_scaling"].pop("type", "yarn")
    return config | {"experts_per_token": config.get("num_experts_per_tok", 4), "initial_context_length": 64}


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    n = dims["num_hidden_layers"]
    return {**dims, "layer_types": ["full_attention" if i % 2 else "sliding_attention" for i in range(n)], "sliding_window": int(rng.integers(3, 9)),
            "intermediate_size": int(rng.integers(9, 23)), "num_local_experts": pick(rng, (4, 5, 6)), "num_experts_per_tok": pick(rng, (2, 3))}


def variants(base: Config) -> list[Variant]:
    two = small(base, num_hidden_layers=2, vocab_size=23, intermediate_size=11, layer_types=["sliding_attention", "full_attention"])
    return [
        Variant("base", base, "Gate and up taken as halves, down_proj of [in, out], which is square, as [out, in], a limit after the activation, a bias of an expert, a sink or the window of a layer left out",
                (*STANDARD, "window"), spelling="old"),
        Variant("options", {**two, "swiglu_alpha": 1.1, "swiglu_limit": 0.9, "attention_bias": False, "tie_word_embeddings": True,
                            "layer_types": ["full_attention", "sliding_attention"],
                            "rope_parameters": {"rope_type": "default", "rope_theta": 1500.0}},
                "A slope or a limit taken for the published default, layer_types ignored, or a rope of type default taken for YaRN", ("batch", "narrow"), dtype="bfloat16"),
        Variant("defaults", {**two, "swiglu_limit": 7.0, "num_local_experts": 5, "num_experts_per_tok": 4, "sliding_window": 128, "max_position_embeddings": 131072,
                             "rope_parameters": {**YARN, "factor": 32.0, "original_max_position_embeddings": 4096, "rope_theta": 150000.0}},
                "A limit, a rope, a window, an epsilon or a number of experts that config.json leaves to the published default", ("rows-single",), dtype="bfloat16",
                omits=("attention_bias", "hidden_act", "layer_types", "max_position_embeddings", "num_experts_per_tok", "rms_norm_eps",
                       "rope_parameters", "sliding_window", "swiglu_alpha", "swiglu_limit", "tie_word_embeddings")),
        Variant("small-variance", two, "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=SMALL),
        Variant("mxfp4", {**two, "hidden_size": 64, "intermediate_size": 32, "num_local_experts": 3},
                "Rows of gate and up taken as halves where they are blocks, or a block's exponent misread", ("single",), dtype="bfloat16", spelling="old",
                stored=Stored({"method": "mxfp4"}, ("bfloat16",))),
        lengths({**two, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "sliding_window": 70}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2)),
              "swiglu_alpha": pick(rng, (1.702, 1.0, 2.5)), "swiglu_limit": pick(rng, (1.25, 0.5, 7.0))}
    if rng.integers(3) == 0:
        config["rope_parameters"] = {"rope_type": "default", "rope_theta": 1500.0}
    return Variant("", config, "A misread gpt-oss")


FAMILY = Family(
    name="gpt_oss", config_class="GptOssConfig", model_class="GptOssForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling, weight_rules=WEIGHT_RULES,
    saved=("base", "options"),
    published={
        "openai/gpt-oss-20b": ("base", {"": {"transformers_version": "4.55.0.dev0", "attention_dropout": 0.0, "output_router_logits": False,
                                             "router_aux_loss_coef": 0.9}}),
    },
)
