"""Qwen2.5-VL: a tower with windows, RMSNorm and a gated MLP; videos advance by seconds."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..case.plan import PICTURES
from ..media.images import Grids
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT_RULES, LONG_TEXT, MLX_TOWER, RULES, made, tower_dims
from .qwen2_vl import GROUPED, WINDOW_UNUSED, old_names, old_spelling, random, text_dims

BASE: Config = {
    "vocab_size": 99, "hidden_size": 28, "intermediate_size": 41, "num_hidden_layers": 3,
    "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 512, "rms_norm_eps": 1e-6,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0, "mrope_section": [1, 3, 3]},
    "vision": {"depth": 3, "hidden_size": 16, "intermediate_size": 22, "num_heads": 2, "patch_size": 4,
               "in_channels": 3, "temporal_patch_size": 2, "spatial_merge_size": 2, "tokens_per_second": 2,
               "window_size": 16, "fullatt_block_indexes": [1]},
}


WINDOWED: Config = {**GROUPED, "rope_parameters": {**BASE["rope_parameters"], "mrope_section": [2, 3, 3]}}


def variants(base: Config) -> list[Variant]:
    less = {"num_hidden_layers": 2, "vocab_size": 53}
    vision = base["vision"]
    return [
        made(base, "base", "A part of the tower, its features given to the wrong tokens, or a position of M-RoPE",
             ("single", "batch", *PICTURES, "windows", "positions-tall"), spelling="old", proves=("activations",)),
        made(base, "old", "A flat config, a rope of type mrope, a tied head or the published names misread",
             ("image", "images-batch"), less, {}, {"tie_word_embeddings": True}, spelling="old", dtype="bfloat16"),
        made(base, "epsilons", "An epsilon of any norm", ("images",), {**less, "rms_norm_eps": 1e-5},
             weight_rules=FAINT_RULES, dtype="bfloat16", proves=("epsilons",)),
        made(base, "windows-3", "A side of windows taken for a constant, or rounded up", ("windows",), less,
             {"window_size": 3 * vision["patch_size"] * vision["spatial_merge_size"] + 1, "fullatt_block_indexes": [0],
              "hidden_act": "gelu_pytorch_tanh"}, dtype="bfloat16", proves=("activations",)),
        made(base, "mlx-4bit", "A tower in plain numbers beside a text model in groups, or a patch embedding whose "
             "channels are last, misread", ("image", "images-batch"), WINDOWED,
             {"hidden_size": 32, "intermediate_size": 64, **MLX_TOWER},
             spelling="old", dtype="bfloat16", groups=Groups(4, 32)),
        made(base, "mlx-4bit-tower", "A tower in groups, or a matrix of it whose width is no multiple of the group "
             "size",
             ("images",), WINDOWED, {"hidden_size": 32, "intermediate_size": 40, **MLX_TOWER}, spelling="old", dtype="bfloat16",
             groups=Groups(4, 32, (), towers=True)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS, LONG_TEXT,
             {"depth": 1, "fullatt_block_indexes": [0]}, dtype="bfloat16"),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    dims = text_dims(rng)
    vision = {**BASE["vision"], **tower_dims(rng, {dims["hidden_size"], dims["intermediate_size"]})}
    side = int(rng.integers(1, 4)) * vision["patch_size"] * vision["spatial_merge_size"]
    return {**dims, "vision": {
        **vision, "window_size": side, "tokens_per_second": int(rng.integers(1, 5)),
        "fullatt_block_indexes": [i for i in range(vision["depth"]) if rng.integers(2)]}}


FAMILY = Family(
    name="qwen2_5_vl", config_class="Qwen2_5_VLTextConfig", model_class="Qwen2_5_VLForConditionalGeneration",
    draw_dims=draw_dims, base=BASE, variants=variants, random=partial(random, made), old_spelling=old_spelling,
    old_names=old_names, weight_rules=RULES, multimodal_config_class="Qwen2_5_VLConfig",
    multimodal_model_class="Qwen2_5_VLForConditionalGeneration", multimodal_config=lambda _config, _towers: {},
    pictures=Grids(seconds="second_per_grid_ts"),
    saved=("base", "windows-3"),
    published={
        "Qwen/Qwen2.5-VL-3B-Instruct": ("base", {"": {"transformers_version": "4.41.2", **WINDOW_UNUSED}}),
    },
)
