"""GLM-OCR: GLM-4.1V without a table of positions, with norms of the tower's queries and keys, and biases in the tower."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ..variants.dims import attention_dims, pick
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT, LONG_TEXT, convolution, sections, tower_dims
from ..variants.weights import Rule, around, fan_in
from . import glm4v

BASE: Config = {
    "vocab_size": 61, "hidden_size": 26, "intermediate_size": 43, "num_hidden_layers": 2,
    "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 12, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 1.0,
                        "mrope_section": [2, 3, 1]},
    "vision": {"depth": 2, "hidden_size": 16, "num_heads": 2, "intermediate_size": 22, "in_channels": 3,
               "image_size": 22, "patch_size": 4, "temporal_patch_size": 2, "spatial_merge_size": 2,
               "rms_norm_eps": 1e-5},
}

FAINT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embed\.proj\.weight$", convolution(FAINT)),
    (r"(post_self_attn_layernorm|post_mlp_layernorm)\.weight$", around(FAINT, FAINT / 3)),
    (r"(patch_embed\.proj|attn\.proj|down_proj)\.bias$", around(0.0, FAINT / 3)),
    (r"(attn\.proj|merger\.proj|o_proj|down_proj)\.weight$", fan_in(FAINT)),
    (r"attn\.qkv\.weight$", fan_in(FAINT)),
    (r"attn\.qkv\.bias$", around(0.0, FAINT / 3)),
    (r"(q|k)_norm\.weight$", around(1.4, 0.4)),
    (r"embed_tokens\.weight$", lambda rng, shape: FAINT * rng.standard_normal(shape)),
)

made = glm4v.made
MLX: Config = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 1, "vocab_size": 64,
               "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16,
               "rope_parameters": {**BASE["rope_parameters"], "mrope_section": [3, 3, 2]}}


def old_spelling(config: Config) -> Config:
    """The published spelling: a tower without rope_parameters."""
    tower = dict(config["vision_config"])
    del tower["rope_parameters"]
    return {**config, "vision_config": tower}


def variants(base: Config) -> list[Variant]:
    less = {"num_hidden_layers": 1, "vocab_size": 47}
    once = {"depth": 1}
    return [
        made(base, "base", "A part of the tower, its norms of queries and keys, a convolution whose weights are read in "
             "another order, or a pair of M-RoPE", ("single", "batch", *glm4v.CASES), spelling="old",
             dtype="bfloat16", proves=("activations",), more_runs=8),
        made(base, "old", "A default misread, or a tied head missed", ("images-batch",),
             less, once, glm4v.TIED, spelling="old", dtype="bfloat16",
             omits=("hidden_act", "rms_norm_eps")),
        made(base, "epsilons", "An epsilon of any norm, or the merger's taken from the config", ("images",),
             {**less, "rms_norm_eps": 1e-6}, {"rms_norm_eps": 1e-6}, weight_rules=FAINT_RULES, spelling="old",
             dtype="bfloat16",
             proves=("epsilons",)),
        made(base, "merge-3", "A size of the tower that is taken for a constant, biases of the tower where there are none, "
             "or a part of a head that rotates", ("images",),
             {**less, "rope_parameters": {**base["rope_parameters"], "partial_rotary_factor": 0.5,
                                          "mrope_section": [1, 1, base["head_dim"] // 4 - 2]}},
             {**once, "spatial_merge_size": 3, "temporal_patch_size": 1, "in_channels": 2, "patch_size": 5, "num_heads": 1,
              "hidden_act": "gelu", "attention_bias": False}, dtype="bfloat16"),
        made(base, "mlx-8bit", "A tower in groups, or a convolution whose channels are last misread",
             ("images-decode", "images-generate"), MLX, {**once, "hidden_size": 32, "intermediate_size": 40},
             spelling="old", dtype="bfloat16",
             groups=Groups(8, 32, ((r"qkv|gate_up", {"bits": 4, "group_size": 32}),), towers=True)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS, {**LONG_TEXT, "hidden_size": 34, "intermediate_size": 51}, once,
             weight_rules=((r"embed_tokens\.weight$", fan_in(0.3)),), spelling="old", dtype="bfloat16"),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    while True:
        dims = attention_dims(rng)
        share = pick(rng, (0.5, 1.0))
        half = int(dims["head_dim"] * share) // 2
        if dims["head_dim"] * share == 2 * half and half >= 3:
            break
    return {**dims, "vision": {**BASE["vision"], **tower_dims(rng, {dims["hidden_size"], dims["intermediate_size"]})},
            "rope_parameters": {**BASE["rope_parameters"], "partial_rotary_factor": share,
                                "mrope_section": sections(rng, half)}}


FAMILY: Family = replace(
    glm4v.FAMILY, name="glm_ocr", config_class="GlmOcrTextConfig", model_class="GlmOcrForConditionalGeneration",
    draw_dims=draw_dims, base=BASE, variants=variants, random=partial(glm4v.random, made), old_spelling=old_spelling,
    multimodal_config_class="GlmOcrConfig", multimodal_model_class="GlmOcrForConditionalGeneration",
    saved=("base", "old"),
    published={
        "zai-org/GLM-OCR": ("old", {"": {"transformers_version": "5.0.1dev0"}, "text_config": {"num_nextn_predict_layers": 1}}),
    },
)
