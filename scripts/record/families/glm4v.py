"""GLM-4.1V: a bicubic table of positions, a convolution that merges patches, norms around attention and MLP, M-RoPE in
chunks over adjacent pairs of a part of each head."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from ..case.plan import PICTURES
from ..media.images import Grids
from ..variants import vision
from ..variants.dims import attention_dims, pick
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT, LONG_TEXT, convolution, sections, tower_dims
from ..variants.weights import Rule, around, fan_in

BASE: Config = {
    "vocab_size": 61, "hidden_size": 32, "intermediate_size": 43, "num_hidden_layers": 2,
    "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 512, "rms_norm_eps": 1e-5,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.75,
                        "mrope_section": [2, 3, 1]},
    "vision": {"depth": 2, "hidden_size": 16, "num_heads": 2, "intermediate_size": 45, "in_channels": 3,
               "image_size": 22, "patch_size": 4, "temporal_patch_size": 2, "spatial_merge_size": 2,
               "rms_norm_eps": 1e-5},
}

RULES: tuple[tuple[str, Rule], ...] = (
    (r"(patch_embed\.proj|downsample)\.weight$", convolution(1.0)),
    (r"position_embedding\.weight$", around(0.0, 0.7)),
)

# As vision.FAINT_RULES: what adds to a residual stream, or is the input of a norm, is small
FAINT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embed\.proj\.weight$", convolution(FAINT)),
    (r"position_embedding\.weight$", around(0.0, FAINT)),
    (r"(post_conv_layernorm|post_self_attn_layernorm|post_mlp_layernorm)\.weight$", around(FAINT, FAINT / 3)),
    (r"patch_embed\.proj\.bias$", around(0.0, FAINT / 3)),
    (r"(attn\.proj|merger\.proj|o_proj|down_proj)(\.weight)?$", fan_in(FAINT)),  # a stack of experts has no ".weight"
    (r"downsample\.weight$", convolution(1.0)),
    (r"embed_tokens\.weight$", lambda rng, shape: FAINT * rng.standard_normal(shape)),
)


def marks(vocab_size: int) -> Config:
    """The members that name placeholders and marks; the last id is a stop id."""
    names = ("video_start", "video_end", "image_start", "image_end", "image", "video")
    return {f"{name}_token_id": vocab_size - 8 + i for i, name in enumerate(names)}


def made(*args: Any, **more: Any) -> Variant:
    """vision.made with the marks of this family."""
    variant = vision.made(*args, **more)
    outer = {name: value for name, value in variant.outer.items() if not name.endswith("_token_id")}
    return replace(variant, outer={**outer, **marks(variant.config["vocab_size"])})


def old_spelling(config: Config) -> Config:
    """The published spelling: rope_theta, partial_rotary_factor and rope_scaling, and a tower with the model's type."""
    config = dict(config)
    text, tower = dict(config["text_config"]), dict(config["vision_config"])
    rope = dict(text.pop("rope_parameters"))
    text |= {"rope_theta": rope["rope_theta"], "partial_rotary_factor": rope["partial_rotary_factor"],
             "rope_scaling": {"type": "default", "mrope_section": rope["mrope_section"]}, "attention_bias": True}
    del tower["rope_parameters"]
    return {**config, "text_config": text, "vision_config": {**tower, "model_type": config["model_type"]}}


def from_mlx(found: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """mlx-vlm stores the convolution of the merger channels last."""
    return {name: tensor.movedim(-1, 1).contiguous() if name.endswith("downsample.weight") else tensor
            for name, tensor in found.items()}


CASES = tuple(name for name in PICTURES if "videos" not in name)

# Widths that are multiples of a group
MLX: Config = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 1, "vocab_size": 64,
               "num_attention_heads": 4, "num_key_value_heads": 2,
               "rope_parameters": {**BASE["rope_parameters"], "partial_rotary_factor": 0.5,
                                   "mrope_section": [1, 2, 1]}}
MLX_TOWER: Config = {"depth": 1, "hidden_size": 32, "intermediate_size": 40, "num_heads": 2,
                     "image_size": 32}
TIED: Config = {"tie_word_embeddings": True}


def variants(base: Config) -> list[Variant]:
    less = {"num_hidden_layers": 1, "vocab_size": 47}
    once = {"depth": 1}
    return [
        made(base, "base", "A part of the tower, a table of positions resampled otherwise, a convolution whose weights "
             "are read in another order, or a pair of M-RoPE", ("single", "batch", *CASES), spelling="old",
             dtype="bfloat16", proves=("activations",)),
        made(base, "old", "A default misread, or a tied head missed", ("images-batch",),
             less, once, TIED, spelling="old", dtype="bfloat16", omits=("hidden_act", "rms_norm_eps", "rope_theta")),
        made(base, "epsilons", "An epsilon of any norm, or the merger's taken from the config", ("images",),
             {**less, "rms_norm_eps": 1e-6}, {"rms_norm_eps": 1e-6}, weight_rules=FAINT_RULES, dtype="bfloat16",
             proves=("epsilons",)),
        made(base, "merge-3", "A size of the tower that is taken for a constant, biases of the tower forgotten, or a "
             "whole head that rotates", ("images",),
             {**less, "rope_parameters": {**base["rope_parameters"], "partial_rotary_factor": 1.0,
                                          "mrope_section": [3, 3, base["hidden_size"] // base["num_attention_heads"]
                                                            // 2 - 6]}},
             {**once, "spatial_merge_size": 3, "temporal_patch_size": 1, "in_channels": 2, "patch_size": 5,
              "image_size": 33, "num_heads": 1, "hidden_act": "gelu", "attention_bias": True}, dtype="bfloat16"),
        made(base, "mlx-8bit", "A tower and its table of positions in groups, or a convolution whose channels are last "
             "misread", ("images-decode", "images-generate"), MLX, MLX_TOWER, spelling="old", dtype="bfloat16",
             groups=Groups(8, 32, ((r"qkv|gate_up", {"bits": 4, "group_size": 32}),), towers=True)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS, {**LONG_TEXT, "intermediate_size": 51}, once,
             weight_rules=((r"embed_tokens\.weight$", fan_in(0.3)),), dtype="bfloat16"),
    ]


def text_dims(rng: np.random.Generator) -> Config:
    """Drawn dimensions of the text model, of whose heads a part rotates."""
    while True:
        dims = attention_dims(rng, explicit_head_dim=False)
        head_dim = dims["hidden_size"] // dims["num_attention_heads"]
        share = pick(rng, (0.5, 0.75, 1.0))
        half = int(head_dim * share) // 2
        if head_dim * share == 2 * half and half >= 3:
            return {**dims, "rope_parameters": {**BASE["rope_parameters"], "partial_rotary_factor": share,
                                                "mrope_section": sections(rng, half)}}


def draw_dims(rng: np.random.Generator) -> Config:
    dims = text_dims(rng)
    tower = {**BASE["vision"], **tower_dims(rng, {dims["hidden_size"], dims["intermediate_size"]})}
    tower["image_size"] = tower["patch_size"] * pick(rng, (3, 4, 5, 7)) + int(rng.integers(tower["patch_size"]))
    return {**dims, "vision": tower}


def random(make: Any, rng: np.random.Generator, base: Config) -> Variant:
    tied = {"tie_word_embeddings": bool(rng.integers(2))}
    return make(base, "", "A misread tower", (), tied, {"attention_bias": bool(rng.integers(2))}, tied)


FAMILY = Family(
    name="glm4v", config_class="Glm4vTextConfig", model_class="Glm4vForConditionalGeneration", draw_dims=draw_dims,
    base=BASE, variants=variants, random=partial(random, made), old_spelling=old_spelling,
    weight_rules=RULES, multimodal_config_class="Glm4vConfig", multimodal_model_class="Glm4vForConditionalGeneration",
    multimodal_config=lambda _config, _towers: {},
    pictures=Grids(begin="image_start_token_id", end="image_end_token_id", videos=False), from_mlx=from_mlx,
    saved=("base", "old"),
    published={
        "zai-org/GLM-4.1V-9B-Thinking": ("old", {"": {"transformers_version": "4.57.1", "image_start_token_id": 41, "image_end_token_id": 42, "video_start_token_id": 39, "video_end_token_id": 40}}),
    },
)
