"""Qwen3-VL: a tower whose layers also feed the first decoder layers (DeepStack), and interleaved M-RoPE."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..case.plan import PICTURES
from ..media.images import Grids
from ..variants.dims import attention_dims, pick
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT_RULES, LONG_TEXT, MLX_TOWER, RULES, made, sections, tower_dims

BASE: Config = {
    "vocab_size": 97, "hidden_size": 30, "intermediate_size": 43, "num_hidden_layers": 4,
    "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 14,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0, "mrope_interleaved": True,
                        "mrope_section": [3, 2, 2]},
    "vision": {
        "depth": 3, "hidden_size": 16, "intermediate_size": 22, "num_heads": 2, "patch_size": 4, "in_channels": 3,
        "temporal_patch_size": 2, "spatial_merge_size": 2, "num_position_embeddings": 36,
        "deepstack_visual_indexes": [0, 2]},
}


def old_spelling(config: Config) -> Config:
    """The published spelling: rope_theta and rope_scaling; a tower with the type of the whole model."""
    text, vision = dict(config["text_config"]), dict(config["vision_config"])
    rope = dict(text.pop("rope_parameters"))
    text |= {"rope_theta": rope.pop("rope_theta"), "rope_scaling": rope,
             "tie_word_embeddings": config["tie_word_embeddings"]}
    del vision["rope_parameters"]
    vision["model_type"] = config["model_type"]
    return {**config, "text_config": text, "vision_config": vision}


GROUPED: Config = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "vocab_size": 64,
                   "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 14,
                   "rope_parameters": BASE["rope_parameters"]}


def variants(base: Config) -> list[Variant]:
    every = list(range(base["vision"]["depth"]))
    less = {"num_hidden_layers": len(every), "vocab_size": 53}
    return [
        made(base, "base", "A part of the tower, its features given to the wrong tokens, DeepStack at the wrong layer, "
             "or a position of M-RoPE", ("single", "batch", *PICTURES, "images-descending", "positions-tall", "twins-images"), spelling="old",
             proves=("activations",)),
        made(base, "old", "rope_scaling ignored, or a tied head taken for a missing one", ("image", "images-batch"),
             less, {"deepstack_visual_indexes": every}, {"tie_word_embeddings": True}, spelling="old", dtype="bfloat16"),
        made(base, "merge-3", "A size of the tower that is taken for a constant: channels, temporal copies, blocks, "
             "heads, or a bias of the text model forgotten", ("images",), {**less, "attention_bias": True},
             {"spatial_merge_size": 3, "temporal_patch_size": 1, "in_channels": 2, "patch_size": 5, "num_heads": 1,
              "num_position_embeddings": 16, "deepstack_visual_indexes": [1]}, dtype="bfloat16"),
        made(base, "epsilons", "An epsilon of any norm", ("images",), less, {"deepstack_visual_indexes": every},
             weight_rules=FAINT_RULES, dtype="bfloat16", proves=("epsilons",)),
        made(base, "mlx-4bit", "A tower in plain numbers beside a text model in groups, or a patch embedding whose "
             "channels are last, misread", ("image", "images-batch"), GROUPED,
             {"hidden_size": 32, "intermediate_size": 64, **MLX_TOWER},
             spelling="old", dtype="bfloat16", groups=Groups(4, 32)),
        made(base, "mlx-4bit-tower", "A tower in groups, or a matrix of it whose width is no multiple of the group "
             "size",
             ("images",), GROUPED, {"hidden_size": 32, "intermediate_size": 40, **MLX_TOWER}, spelling="old", dtype="bfloat16",
             groups=Groups(4, 32, ((r"pos_embed", None),), towers=True)),
        made(base, "lengths", LENGTHS_CATCH, (*LENGTHS_FEW_ROWS, "images-1024"), LONG_TEXT,
             {"depth": 1, "deepstack_visual_indexes": [0]}, dtype="bfloat16"),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    vision = {**BASE["vision"], **tower_dims(rng, {dims["hidden_size"], dims["intermediate_size"]})}
    layers = range(min(vision["depth"], dims["num_hidden_layers"]))
    vision |= {"num_position_embeddings": pick(rng, (9, 16, 25, 49)),
               "deepstack_visual_indexes": [i for i in layers if rng.integers(2)] or [layers[-1]]}
    return {**dims, "vision": vision, "rope_parameters": {
        **BASE["rope_parameters"], "mrope_section": sections(rng, dims["head_dim"] // 2)}}


def random(make: partial, rng: np.random.Generator, base: Config) -> Variant:
    bias, tied = bool(rng.integers(2)), {"tie_word_embeddings": bool(rng.integers(2))}
    stated = tied if "num_experts" in base else {}  # that text config has the member, too
    return make(base, "", "A misread tower", (), {"attention_bias": bias, **stated}, {}, tied)


FAMILY = Family(
    name="qwen3_vl", config_class="Qwen3VLTextConfig", model_class="Qwen3VLForConditionalGeneration",
    draw_dims=draw_dims, base=BASE, variants=variants, random=partial(random, made), old_spelling=old_spelling,
    weight_rules=RULES, multimodal_config_class="Qwen3VLConfig",
    multimodal_model_class="Qwen3VLForConditionalGeneration", multimodal_config=lambda _config, _towers: {},
    pictures=Grids(frames_apart=True),
    saved=("base", "merge-3"),
    published={
        "Qwen/Qwen3-VL-2B-Instruct": ("base", {"": {"transformers_version": "4.57.0.dev0"}}),
    },
)
