"""HunYuan, first version, with experts: an MLP of their width beside the chosen experts of every layer."""

from __future__ import annotations

import numpy as np

from ..variants.dims import pick
from ..variants.variant import LENGTHS_DECODE, STANDARD, Config, Family, Variant, lengths, small
from ..variants.weights import Rule, fan_in
from . import hunyuan_v1_dense as dense

BASE: Config = {**dense.BASE, "num_hidden_layers": 2, "vocab_size": 31, "intermediate_size": 13, "num_experts": 5, "moe_topk": [2, 2]}
ROUTER: tuple[tuple[str, Rule], ...] = ((r"gate\.wg\.weight$", fan_in(2.0)),)


def old_spelling(config: Config) -> Config:
    """The published spelling, with lists of numbers that the class does not read."""
    n = config["num_hidden_layers"]
    return {**dense.old_spelling(config), "moe_intermediate_size": [config["intermediate_size"]] * n, "num_shared_expert": [1] * n,
            "use_mixed_mlp_moe": True}


def draw_dims(rng: np.random.Generator) -> Config:
    dims = dense.draw_dims(rng)
    taken = {dims["hidden_size"], dims["num_key_value_heads"] * dims["head_dim"]}
    width = pick(rng, [n for n in range(9, 23) if n not in taken and 2 * n not in taken])
    return {**dims, "intermediate_size": width, "num_experts": pick(rng, (5, 6, 7)), "moe_topk": pick(rng, (2, 3))}


def variants(base: Config) -> list[Variant]:
    plain = {"rope_type": "default", "rope_theta": 10000.0}
    return [
        Variant("base", base, "An MLP beside the experts left out or weighed, shares that are not divided by their sum, or a norm of q or k before the "
                "rope", STANDARD, spelling="old", experts="split"),
        Variant("options", {**small(base, num_hidden_layers=2), "moe_topk": [3, 1], "attention_bias": True, "tie_word_embeddings": True},
                "The number of chosen experts of another layer, or fused experts not found", ("batch",), dtype="bfloat16"),
        Variant("defaults", {**small(base, num_key_value_heads=4), "num_experts": 1, "moe_topk": 1, "rope_parameters": plain, "max_position_embeddings": 2048},
                "A number of experts, an epsilon, activation or rope that config.json leaves to the published default", ("single",), dtype="bfloat16",
                omits=("attention_bias", "hidden_act", "max_position_embeddings", "moe_topk", "num_experts", "num_key_value_heads", "rms_norm_eps",
                       "rope_parameters", "tie_word_embeddings")),
        Variant("small-variance", small(base, moe_topk=2), "An epsilon that is too large, too small or added to the root", ("single",), weight_rules=dense.SMALL),
        lengths({**small(base), "moe_topk": 1, "hidden_size": 16, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 6}, LENGTHS_DECODE),
    ]


def random(rng: np.random.Generator, base: Config) -> Variant:
    config = {**base, "attention_bias": bool(rng.integers(2)), "tie_word_embeddings": bool(rng.integers(2))}
    if rng.integers(2):
        config["moe_topk"] = [int(n) for n in rng.integers(1, 4, base["num_hidden_layers"])]
    return Variant("", config, "A misread HunYuan with experts", spelling=pick(rng, ("new", "old")), experts=pick(rng, ("fused", "split")))


FAMILY = Family(
    name="hunyuan_v1_moe", config_class="HunYuanMoEV1Config", model_class="HunYuanMoEV1ForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    weight_rules=(*dense.WEIGHT_RULES, *ROUTER),
    saved=("base", "options"),
    published={
        "tencent/Hunyuan-A13B-Instruct": ("base", {"": {"transformers_version": "4.41.2", "attention_dropout": 0.1, "mlp_bias": False, "pretraining_tp": 1,
                                                        "cla_share_factor": 2, "moe_layer_num_skipped": 0, "moe_drop_tokens": False, "norm_topk_prob": True,
                                                        "num_media_embeds": 257, "routed_scaling_factor": 1.0, "use_mla": False}}),
    },
)
