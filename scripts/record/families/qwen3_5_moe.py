"""Qwen3.5 with experts: a shared expert with a gate beside the chosen ones, in every layer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..case.plan import PICTURES
from ..variants.dims import grouped, pick
from ..variants.variant import LENGTHS_FEW_ROWS, STANDARD, Config, Family, Groups, Variant, lengths, small
from ..variants.vision import made
from ..variants.weights import fan_in
from . import qwen3_5 as dense

BASE: Config = {
    **{name: value for name, value in dense.BASE.items() if name != "intermediate_size"},
    "vocab_size": 102, "num_hidden_layers": 3, "layer_types": dense.hybrid(3, 3),
    "num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 15,
    "shared_expert_intermediate_size": 17,
}


def tiny(base: Config, kinds: list[str], **more) -> Config:
    """base with these layers and a small vocabulary."""
    made = small(base, num_hidden_layers=len(kinds), layer_types=kinds, **more)
    del made["intermediate_size"]
    return made


def draw_dims(rng: np.random.Generator) -> Config:
    dims = dense.draw_dims(rng)
    taken = {dims["hidden_size"]}
    width, shared = rng.permutation([n for n in range(9, 23) if n not in taken and 2 * n not in taken])[:2]
    return {**{name: value for name, value in dims.items() if name != "intermediate_size"},
            "moe_intermediate_size": int(width), "shared_expert_intermediate_size": int(shared),
            "num_experts": pick(rng, (5, 6, 7)), "num_experts_per_tok": pick(rng, (2, 3))}


def quantizable(variant: Variant) -> Variant:
    config = {name: value for name, value in variant.config.items() if name != "intermediate_size"}
    return replace(dense.quantizable(replace(variant, config=config)), experts="fused")


def pictured(base: Config) -> list[Variant]:
    """The variants with a tower."""
    base = {**base, "vision": dense.VISION}
    two = {"num_hidden_layers": 2, "layer_types": dense.hybrid(2, 2), "vocab_size": 53}
    # One expert, chosen by a router with large weights: only so are all tokens in two layers far from a tie in int8
    grouped = {**{name: value for name, value in dense.GROUPED.items() if name != "intermediate_size"}, "hidden_size": 64,
               "num_experts": 3, "num_experts_per_tok": 1, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 96}
    return [
        made(base, "tower", "Experts chosen or weighed wrongly for features of the tower", PICTURES,
             proves=("activations",)),
        made(base, "tower-old", "rope_scaling ignored beside a tower, or experts that are stored one by one not found",
             ("image", "images-batch", "image-narrow"), two, {}, {"tie_word_embeddings": True}, spelling="old",
             experts="split", dtype="bfloat16"),
        made(base, "mlx-4bit-images", "A tower in plain numbers beside experts in groups, or a router or the gate of the "
             "shared expert read in their width", ("images-narrow",), grouped, {"depth": 2}, dtype="bfloat16",
             groups=Groups(4, 32), writes={"full_attention_interval": 2},
             weight_rules=((r"mlp\.gate\.weight$", fan_in(8.0)),)),
    ]


def variants(base: Config) -> list[Variant]:
    both = dense.hybrid(2, 2)
    return dense.wrapped([
        Variant("base", base, "A shared expert left out, its gate forgotten, or chosen experts weighed wrongly",
                (*STANDARD, "narrow")),
        Variant("old", tiny(base, both), "full_attention_interval or the older spelling of ropes misread",
                ("single", "batch"), spelling="old", dtype="float16", experts="split"),
        Variant("wrapper", tiny(base, both, tie_word_embeddings=True), "Experts below model.language_model not "
                "found, or a tied head misread", ("single", "generate"), dtype="bfloat16", more_runs=8),
        Variant("biases", tiny(base, both, attention_bias=True), "A bias of a gated attention left out, or a "
                "delta net that looks for one", ("single", "narrow"), dtype="bfloat16",
                experts="transposed"),
        Variant("one-expert", tiny(base, both, num_experts_per_tok=1), "The share of a single chosen expert not "
                "renormalised to 1", ("single", "narrow"), dtype="bfloat16"),
        Variant("small-variance", {**tiny(base, both), "vocab_size": 102}, "An epsilon that is too large or too "
                "small before experts", ("single", "batch"), weight_rules=dense.SMALL, proves=("epsilons",)),
        Variant("defaults", {**{k: v for k, v in tiny(base, both).items()
                                if k not in ("rope_parameters", "layer_types")},
                             "num_hidden_layers": 4, "max_position_embeddings": 32768},
                "An epsilon, activation, rope, rotary share, or kind of layer that config.json leaves to the "
                "published default", dtype="bfloat16",
                omits=("attention_bias", "hidden_act", "layer_types", "max_position_embeddings",
                       "rms_norm_eps", "rope_parameters", "tie_word_embeddings")),
        lengths(tiny(base, both), LENGTHS_FEW_ROWS),
        Variant("mlx-4bit", {**grouped(tiny(base, both), 64, 0, 2, 1, 32, vocab_size=61,
                                       linear_key_head_dim=32, linear_value_head_dim=24,
                                       moe_intermediate_size=32, shared_expert_intermediate_size=96,
                                       rope_parameters={**dense.ROPE, "mrope_section": [3, 3, 2]})},
                "A shared expert, its gate or the router read in another module's width",
                ("single", "narrow"), dtype="bfloat16", groups=Groups(4, 32)),
        Variant("mlx-6bit", grouped(tiny(base, both), 64, 0, 2, 1, 32, vocab_size=61,
                                    linear_key_head_dim=8, linear_value_head_dim=16,
                                    moe_intermediate_size=64, shared_expert_intermediate_size=128,
                                    rope_parameters={**dense.ROPE, "mrope_section": [3, 3, 2]}),
                "A code of six bits that begins in one word and ends in the next misread",
                ("single", "narrow"), dtype="float16", groups=Groups(6, 64)),
        *pictured(base),
    ], text=("old", "biases", "defaults"))


def random(rng: np.random.Generator, base: Config) -> Variant:
    variant = dense.random(rng, base)
    config = {name: value for name, value in variant.config.items() if name != "intermediate_size"}
    return replace(variant, config=config, catches="A misread Qwen3.5 with experts",
                   experts=pick(rng, ("fused", "split")))


FAMILY = Family(
    name="qwen3_5_moe", config_class="Qwen3_5MoeTextConfig", model_class="Qwen3_5MoeForCausalLM",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=dense.old_spelling,
    weight_rules=dense.WEIGHT_RULES,
    multimodal_config=dense.wrapper("qwen3_5_moe", "Qwen3_5MoeForConditionalGeneration"),
    multimodal_config_class="Qwen3_5MoeConfig", multimodal_model_class="Qwen3_5MoeForConditionalGeneration",
    pictures=dense.FAMILY.pictures, quantizable=quantizable, from_mlx=dense.from_mlx,
    saved=("base", "biases", "tower"),
    published={
        "Qwen/Qwen3.5-35B-A3B": ("tower-old", {"": {"transformers_version": "4.57.0.dev0"}, "text_config": {
        "attn_output_gate": True, "mamba_ssm_dtype": "float32", "mlp_only_layers": [], "mtp_num_hidden_layers": 1,
        "mtp_use_dedicated_embeddings": False}}),
    },
)
