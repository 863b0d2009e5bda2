"""Qwen3-VL with experts, which published files hold as [in, out]."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..case.plan import PICTURES
from ..media.images import Grids
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT, FAINT_RULES, LONG_TEXT, RULES, made
from ..variants.weights import fan_in
from . import qwen3_vl
from .qwen3_moe import draw_dims as draw_experts

EXPERTS: Config = {
    "num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 14, "decoder_sparse_step": 1,
    "mlp_only_layers": [], "tie_word_embeddings": False,
}
BASE: Config = {**qwen3_vl.BASE, "num_hidden_layers": 3, **EXPERTS}


def old_spelling(config: Config) -> Config:
    config = qwen3_vl.old_spelling(config)
    config["text_config"]["num_experts"] = config["text_config"].pop("num_local_experts")
    return config


# Exact and tanh GELU are farthest apart at inputs of magnitude 2
WEIGHT_RULES = ((r"visual\.blocks\.\d+\.mlp\.linear_fc1\.weight$", fan_in(2.0)), *RULES)


# Routers are in groups of 64
GROUPED: Config = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 64,
                   "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 14, "num_experts": 4,
                   "moe_intermediate_size": 32, "mlp_only_layers": [0], "rope_parameters": qwen3_vl.BASE["rope_parameters"]}


def variants(base: Config) -> list[Variant]:
    less = {"num_hidden_layers": 2, "vocab_size": 53}
    return [
        made(base, "base", "Experts chosen or weighed wrongly for features of the tower, or DeepStack at the wrong "
             "layer",
             ("single", "batch", *PICTURES), experts="transposed", spelling="old", proves=("activations",)),
        made(base, "old", "rope_scaling ignored, or a layer of mlp_only_layers given experts",
             ("image", "images-batch", "image-narrow"), {**less, "mlp_only_layers": [0]}, experts="transposed",
             spelling="old", dtype="bfloat16"),
        made(base, "epsilons", "An epsilon of any norm", ("images",), less, experts="transposed",
             weight_rules=(*FAINT_RULES, (r"experts\.down_proj$", fan_in(FAINT))), dtype="bfloat16", proves=("epsilons",)),
        made(base, "mlx-4bit", "A tower in plain numbers beside experts in groups, or a router read in their width",
             ("images-narrow",), GROUPED, {"depth": 2, "deepstack_visual_indexes": [0]}, spelling="old",
             dtype="bfloat16", experts="transposed", groups=Groups(4, 32)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS, {**LONG_TEXT, "vocab_size": 17, "mlp_only_layers": [0]},
             {"depth": 1, "deepstack_visual_indexes": [0]}, dtype="bfloat16", experts="transposed"),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    dims = qwen3_vl.draw_dims(rng)
    experts = draw_experts(rng)
    return {**dims, **{name: experts[name] for name in ("num_experts", "num_experts_per_tok")}}


FAMILY = Family(
    name="qwen3_vl_moe", config_class="Qwen3VLMoeTextConfig", model_class="Qwen3VLMoeForConditionalGeneration",
    draw_dims=draw_dims, base=BASE, variants=variants, random=partial(qwen3_vl.random, made),
    old_spelling=old_spelling, weight_rules=WEIGHT_RULES, multimodal_config_class="Qwen3VLMoeConfig",
    multimodal_model_class="Qwen3VLMoeForConditionalGeneration", multimodal_config=lambda _config, _towers: {},
    pictures=Grids(frames_apart=True),
    saved=("base", "epsilons"),
    published={
        "Qwen/Qwen3-VL-30B-A3B-Instruct": ("base", {"": {"transformers_version": "4.57.0.dev0"}}),
    },
)
