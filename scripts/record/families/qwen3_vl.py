"""Qwen3-VL: a tower whose layers also feed the first decoder layers (DeepStack), and interleaved M-RoPE."""

from __future__ import annotations

import math

import numpy as np

from ..dims import attention_dims, pick
from ..images import Grids
from ..variant import Config, Family, Variant
from ..weights import Rule, around

VISION: Config = {
    "depth": 3, "hidden_size": 16, "intermediate_size": 22, "num_heads": 2, "patch_size": 4, "in_channels": 3,
    "temporal_patch_size": 2, "spatial_merge_size": 2, "num_position_embeddings": 36, "out_hidden_size": 30,
    "deepstack_visual_indexes": [0, 2],
}
BASE: Config = {
    "vocab_size": 97, "hidden_size": 30, "intermediate_size": 43, "num_hidden_layers": 4,
    "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 14,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-6,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0, "mrope_interleaved": True,
                        "mrope_section": [3, 2, 2]},
}


def flat_patch(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A convolution that keeps the magnitude of unit inputs."""
    return rng.standard_normal(shape) / math.sqrt(math.prod(shape[1:]))


WEIGHT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embed\.proj\.weight$", flat_patch),
    (r"pos_embed\.weight$", around(0.0, 0.7)),
)


def members(base: Config, **vision) -> Config:
    """The members of the config around text_config; vision: of the tower's config."""
    vocab = base["vocab_size"]
    return {"vision_config": {**VISION, "out_hidden_size": base["hidden_size"], **vision},
            "image_token_id": vocab - 4, "video_token_id": vocab - 3, "vision_start_token_id": vocab - 6,
            "vision_end_token_id": vocab - 5, "tie_word_embeddings": False}


def old_spelling(config: Config) -> Config:
    """The published spelling: rope_theta and rope_scaling."""
    text = dict(config["text_config"])
    rope = dict(text.pop("rope_parameters"))
    text |= {"rope_theta": rope.pop("rope_theta"), "rope_scaling": rope}
    return {**config, "text_config": text}


def variants(base: Config) -> list[Variant]:
    def made(name, catches, cases, config=base, vision=None, **more):
        return Variant(name, config, catches, cases, wrapper="towers", outer=members(config, **(vision or {})), **more)

    return [
        made("base", "A part of the tower, its features given to the wrong tokens, DeepStack at the wrong layer, or a "
             "position of M-RoPE", ("image", "images", "images-batch", "images-decode", "images-generate", "single",
                                    "batch")),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    return attention_dims(rng)


def random(rng: np.random.Generator, base: Config) -> Variant:
    return Variant("", base, "A misread Qwen3-VL", wrapper="towers", outer=members(base))


FAMILY = Family(
    name="qwen3_vl", config_class="Qwen3VLTextConfig", model_class="Qwen3VLForConditionalGeneration",
    draw_dims=draw_dims, base=BASE, variants=variants, random=random, old_spelling=old_spelling,
    weight_rules=WEIGHT_RULES, multimodal_config_class="Qwen3VLConfig",
    multimodal_model_class="Qwen3VLForConditionalGeneration", multimodal_config=lambda _config, _towers: {},
    pictures=Grids(frames_apart=True),
)
