"""Qwen2-VL: quick GELU in the tower, M-RoPE in chunks; a flat config and tensors without `language_model`."""

from __future__ import annotations

import re
from functools import partial

import numpy as np

from ..case.plan import PICTURES
from ..media.images import Grids
from ..variants import vision
from ..variants.dims import attention_dims
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT_RULES, LONG_TEXT, MLX_TOWER, RULES, sections, tower_dims

BASE: Config = {
    "vocab_size": 95, "hidden_size": 28, "intermediate_size": 43, "num_hidden_layers": 3,
    "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 512, "rms_norm_eps": 1e-6,
    "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0, "mrope_section": [2, 3, 2]},
    "vision": {"depth": 3, "embed_dim": 16, "mlp_ratio": 2, "num_heads": 2, "patch_size": 4, "in_channels": 3,
               "temporal_patch_size": 2, "spatial_merge_size": 2},
}


def old_spelling(config: Config) -> Config:
    """The published spelling: the text's members beside vision_config, and a rope of type mrope."""
    config = dict(config)
    text, vision = dict(config.pop("text_config")), dict(config["vision_config"])
    rope = dict(text.pop("rope_parameters"))
    text |= {"rope_theta": rope.pop("rope_theta"),
             "rope_scaling": {"type": "mrope", "mrope_section": rope["mrope_section"]}}
    for name in ("layer_types", "model_type"):
        del text[name]
    text["sliding_window"] = 32768  # unused: use_sliding_window is false
    del vision["rope_parameters"], vision["model_type"]
    vision["in_chans"] = vision.pop("in_channels")
    vision["spatial_patch_size"] = vision["patch_size"]
    return {**text, **config, "vision_config": vision}


def old_names(state: dict) -> dict:
    """The tensors' names in published files."""
    return {re.sub(r"^model\.(?:(visual\.)|language_model\.)", lambda m: m[1] or "model.", name): tensor
            for name, tensor in state.items()}


made = partial(vision.made, width="hidden_size")

# Widths that are multiples of a group, and of MLX's 64 numbers to a matrix
GROUPED: Config = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 64,
                   "num_attention_heads": 4, "num_key_value_heads": 2,
                   "rope_parameters": {**BASE["rope_parameters"], "mrope_section": [3, 3, 2]}}


def variants(base: Config) -> list[Variant]:
    less = {"num_hidden_layers": 2, "vocab_size": 53}
    return [
        made(base, "base", "A part of the tower, its features given to the wrong tokens, or a position of M-RoPE",
             ("single", "batch", *PICTURES, "positions-tall"), spelling="old", proves=("activations",)),
        made(base, "old", "A flat config, a rope of type mrope, a tied head or the published names misread",
             ("image", "images-batch"), less, {}, {"tie_word_embeddings": True}, spelling="old", dtype="bfloat16"),
        made(base, "epsilons", "An epsilon of any norm", ("images",), {**less, "rms_norm_eps": 1e-5},
             weight_rules=FAINT_RULES, dtype="bfloat16", proves=("epsilons",)),
        made(base, "merge-3", "A size of the tower that is taken for a constant: channels, temporal copies, blocks, "
             "heads or the ratio of the MLP", ("images",), less,
             {"spatial_merge_size": 3, "temporal_patch_size": 1, "in_channels": 2, "patch_size": 5, "num_heads": 1,
              "mlp_ratio": 3, "hidden_act": "gelu"}, dtype="bfloat16"),
        made(base, "mlx-4bit", "A tower in plain numbers beside a text model in groups, or a patch embedding whose "
             "channels are last, misread", ("image", "images-batch"), GROUPED, {"embed_dim": 32, **MLX_TOWER},
             spelling="old", dtype="bfloat16", groups=Groups(4, 32)),
        made(base, "mlx-4bit-tower", "A tower in groups, or a matrix of it whose width is no multiple of the group "
             "size",
             ("images",), GROUPED, {"embed_dim": 32, "mlp_ratio": 3, **MLX_TOWER}, spelling="old", dtype="bfloat16",
             groups=Groups(4, 32, (), towers=True)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS, LONG_TEXT,
             {"depth": 1}, dtype="bfloat16"),
    ]


def text_dims(rng: np.random.Generator) -> Config:
    """Drawn dimensions of the text model, whose heads have an even size of at least 8."""
    while True:
        dims = attention_dims(rng, explicit_head_dim=False)
        head_dim = dims["hidden_size"] // dims["num_attention_heads"]
        if head_dim >= 8:
            return {**dims, "rope_parameters": {**BASE["rope_parameters"],
                                                "mrope_section": sections(rng, head_dim // 2)}}


def draw_dims(rng: np.random.Generator) -> Config:
    dims = text_dims(rng)
    vision = {**BASE["vision"], **tower_dims(rng, {dims["hidden_size"], dims["intermediate_size"]})}
    vision |= {"embed_dim": vision.pop("hidden_size"), "mlp_ratio": int(rng.integers(2, 5))}
    del vision["intermediate_size"]
    return {**dims, "vision": vision}


def random(make: partial, rng: np.random.Generator, base: Config) -> Variant:
    return make(base, "", "A misread tower", (), {}, {}, {"tie_word_embeddings": bool(rng.integers(2))})


# In published files of this family and the next.
WINDOW_UNUSED: Config = {"vision_token_id": 151654, "max_window_layers": 28, "sliding_window": 32768, "use_sliding_window": False}

FAMILY = Family(
    name="qwen2_vl", config_class="Qwen2VLTextConfig", model_class="Qwen2VLForConditionalGeneration",
    draw_dims=draw_dims, base=BASE, variants=variants, random=partial(random, made), old_spelling=old_spelling,
    old_names=old_names, weight_rules=RULES, multimodal_config_class="Qwen2VLConfig",
    multimodal_model_class="Qwen2VLForConditionalGeneration", multimodal_config=lambda _config, _towers: {},
    pictures=Grids(),
    saved=("base", "merge-3"),
    published={
        "Qwen/Qwen2-VL-2B-Instruct": ("base", {"": {"transformers_version": "4.41.2", **WINDOW_UNUSED}}),
    },
)
