"""HunYuanVL: a rope of four axes whose base is scaled by alpha, norms of queries and keys after it; a tower without a
rope, whose merger adds vectors after the rows of an image and around it."""

from __future__ import annotations

import re
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
from ..variants.vision import FAINT, LONG_TEXT, convolution, tower_dims
from ..variants.weights import Rule, around, fan_in

ROPE: Config = {"rope_type": "dynamic", "rope_theta": 10000.0, "alpha": 50.0, "factor": 1.0, "beta_fast": 32,
                "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0}
BASE: Config = {
    "vocab_size": 61, "hidden_size": 26, "intermediate_size": 43, "num_hidden_layers": 2,
    "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 16, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-5, "rope_parameters": {**ROPE, "mrope_section": [2, 2, 1, 3]},
    "vision": {"hidden_size": 10, "intermediate_size": 22, "num_hidden_layers": 2, "num_attention_heads": 2,
               "num_channels": 3, "max_image_size": 22, "patch_size": 4, "temporal_patch_size": 1,
               "spatial_merge_size": 2, "rms_norm_eps": 1e-5},
}

# Members of published files that the class of transformers does not read
PUBLISHED: Config = {"mlp_bias": False, "norm_type": "rms", "num_experts": 1, "use_cla": False, "use_qk_norm": True}
PUBLISHED_TOWER: Config = {"add_patchemb_bias": True, "cat_extra_token": 1, "hidden_dropout": 0.0}

RULES: tuple[tuple[str, Rule], ...] = (
    (r"(patch_embedding|proj_conv|proj_out)\.weight$", convolution(1.0)),
    (r"position_embedding\.weight$", around(0.0, 0.7)),
    (r"image_(newline|begin|end|sep)$", lambda rng, shape: rng.standard_normal(shape)),
    (r"(query|key)_layernorm\.weight$", around(1.0, 0.25)),
    (r"rms\.weight$", around(1.0, 0.3)),
    (r"embed_tokens\.weight$", fan_in(1.0)),
)

# As vision.FAINT_RULES: what adds to a residual stream, or is the input of a norm, is small
FAINT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embedding\.weight$", convolution(FAINT)),
    (r"proj_(conv|out)\.weight$", convolution(1.0)),
    (r"position_embedding\.weight$", around(0.0, FAINT)),
    (r"image_(begin|end|newline)$", lambda rng, shape: FAINT * rng.standard_normal(shape)),
    (r"(patch_embedding|vision_tower.*o_proj|fc2|patch_merger\.mlp)\.bias$", around(0.0, FAINT / 3)),
    (r"proj_(conv|out)\.bias$", around(0.0, FAINT / 3)),
    (r"(o_proj|fc2|patch_merger\.mlp|down_proj)\.weight$", fan_in(FAINT)),
    (r"language_model.*(q|k)_proj\.weight$", fan_in(FAINT)),
    (r"(query|key)_layernorm\.weight$", around(1.4, 0.4)),
    (r"embed_tokens\.weight$", lambda rng, shape: FAINT * rng.standard_normal(shape)),
)

TIED: Config = {"tie_word_embeddings": True}
UNTIED: Config = {"tie_word_embeddings": False}


def marks(vocab_size: int) -> Config:
    """The members that name the placeholder and marks; the last id is a stop id."""
    return {"im_start_id": vocab_size - 6, "im_end_id": vocab_size - 5, "image_token_id": vocab_size - 4,
            "im_newline_id": vocab_size - 3}


def made(*args: Any, **more: Any) -> Variant:
    """vision.made with the marks of this family; the head is the embedding unless `outer` says otherwise."""
    variant = vision.made(*args, **more)
    outer = {name: value for name, value in variant.outer.items() if not name.endswith("_token_id")}
    own = more.get("outer") or (args[6] if len(args) > 6 else {})
    return replace(variant, outer={**outer, **TIED, **marks(variant.config["vocab_size"]), **own})


def old_spelling(config: Config) -> Config:
    """The published spelling: the text's members beside vision_config, some of them twice, and rope_scaling of type
    `xdrope`."""
    config = dict(config)
    text, tower = dict(config.pop("text_config")), dict(config["vision_config"])
    rope = dict(text.pop("rope_parameters"))
    del rope["rope_type"], text["model_type"]
    text |= {"rope_theta": rope.pop("rope_theta"), "attention_head_dim": text["head_dim"],
             "org_vocab_size": text["vocab_size"],
             "rope_scaling": {**rope, "type": "xdrope", "xdrope_section": rope.pop("mrope_section")}}
    del text["rope_scaling"]["mrope_section"]
    tower |= {"model_type": config["model_type"], **PUBLISHED_TOWER}
    return {**text, **PUBLISHED, **config, "vision_config": tower}


def old_names(state: dict) -> dict:
    """The tensors' names in published files."""
    changes = ((r"\.layer_norm1\.", ".input_layernorm."), (r"\.layer_norm2\.", ".post_attention_layernorm."),
               (r"\.mlp\.fc1\.", ".mlp.dense_h_to_4h."), (r"\.mlp\.fc2\.", ".mlp.dense_4h_to_h."),
               (r"\.patch_merger\.", ".perceive."), (r"\.proj_conv\.", ".proj.0."), (r"\.proj_out\.", ".proj.2."))

    def one(name: str) -> str:
        if not name.startswith("model.vision_tower."):
            return name.replace("model.language_model.", "model.")
        for pattern, to in changes:
            name = re.sub(pattern, to, name)
        return name.replace("model.vision_tower.", "vit.", 1)
    return {one(name): tensor for name, tensor in state.items()}


def own_name(name: str) -> str:
    """The name in transformers of a tensor of a tower in mlx-vlm."""
    if "vision_tower." not in name:
        return name
    for pattern, to in ((r"\.input_layernorm\.", ".layer_norm1."), (r"\.post_attention_layernorm\.", ".layer_norm2."),
                        (r"\.dense_h_to_4h\.", ".fc1."), (r"\.dense_4h_to_h\.", ".fc2."),
                        (r"\.perceive\.", ".patch_merger."), (r"\.proj\.0\.", ".proj_conv."),
                        (r"\.proj\.2\.", ".proj_out.")):
        name = re.sub(pattern, to, name)
    return name if name.startswith("model.") else f"model.{name}"


def from_mlx(found: dict[str, Any]) -> dict[str, Any]:
    """mlx-vlm stores convolutions channels last. The values of the dict are tensors or, of group sizes, tuples."""
    return {own_name(name): value.movedim(-1, 1).contiguous()
            if isinstance(value, torch.Tensor) and value.dim() == 4 else value for name, value in found.items()}


CASES = tuple(name for name in PICTURES if "videos" not in name)

# Widths that are multiples of a group
MLX: Config = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 1, "vocab_size": 64,
               "num_attention_heads": 4, "num_key_value_heads": 2}
MLX_TOWER: Config = {"num_hidden_layers": 1, "hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2}


def variants(base: Config) -> list[Variant]:
    less = {"num_hidden_layers": 1, "vocab_size": 47}
    once = {"num_hidden_layers": 1}
    half = base["head_dim"] // 2
    return [
        made(base, "base", "A part of the tower, a vector of the merger at another place, an axis of the rope, or norms "
             "before it", ("single", "batch", *CASES), spelling="old", dtype="bfloat16", proves=("activations",)),
        made(base, "new", "The names of transformers, a default misread, or a head of its own missed",
             ("images-batch",), {**less, "attention_bias": True, **UNTIED}, once, UNTIED,
             dtype="bfloat16", omits=("hidden_act", "rms_norm_eps")),
        made(base, "epsilons", "An epsilon of any norm", ("images",), {**less, "rms_norm_eps": 1e-6},
             {**once, "rms_norm_eps": 1e-5}, spelling="old", weight_rules=FAINT_RULES, dtype="bfloat16",
             proves=("epsilons",)),
        made(base, "merge-3", "A size of the tower that is taken for a constant, or a rope without alpha", ("images",),
             {**less, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0,
                                          "mrope_section": [half - 3, 1, 1, 1]}},
             {**once, "spatial_merge_size": 3, "num_channels": 2, "patch_size": 5, "max_image_size": 33,
              "num_attention_heads": 1, "hidden_act": "gelu_pytorch_tanh", "interpolate_mode": "bicubic"},
             dtype="bfloat16"),
        made(base, "mlx-8bit", "A tower in groups, or a convolution whose channels are last misread",
             ("images-decode", "images-generate"), MLX, MLX_TOWER, spelling="old", dtype="bfloat16",
             groups=Groups(8, 32, ((r"perceive\.mlp|4h_to_h", {"bits": 4, "group_size": 32}),
                                  (r"position_embedding", None)), towers=True)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS, {**LONG_TEXT, "intermediate_size": 51}, once,
             spelling="old", weight_rules=((r"embed_tokens\.weight$", fan_in(0.6)),), dtype="bfloat16"),
    ]


def sections(rng: np.random.Generator, half: int) -> list[int]:
    """Drawn sections of `half` angles of a head for position, width, height and number of the image."""
    own = [int(rng.integers(1, half // 4 + 1)) for _ in range(3)]
    return [half - sum(own), *own]


def draw_dims(rng: np.random.Generator) -> Config:
    while (dims := attention_dims(rng))["head_dim"] < 8:
        pass
    drawn = tower_dims(rng, {dims["hidden_size"], dims["intermediate_size"]})
    tower = {**BASE["vision"], **drawn, "num_attention_heads": drawn["num_heads"], "num_hidden_layers": drawn["depth"],
             "max_image_size": drawn["patch_size"] * pick(rng, (3, 4, 5, 7)) + int(rng.integers(drawn["patch_size"]))}
    return {**dims, "vision": {name: tower[name] for name in BASE["vision"]}, "rope_parameters": {
        **ROPE, "alpha": pick(rng, (2.0, 50.0, 1000.0)), "mrope_section": sections(rng, dims["head_dim"] // 2)}}


def random(make: Any, rng: np.random.Generator, base: Config) -> Variant:
    tied = {"tie_word_embeddings": bool(rng.integers(2))}
    return make(base, "", "A misread tower", (), {"attention_bias": bool(rng.integers(2)), **tied},
                {"interpolate_mode": pick(rng, ("bilinear", "bicubic"))}, tied)


FAMILY = Family(
    name="hunyuan_vl", config_class="HunYuanVLTextConfig", model_class="HunYuanVLForConditionalGeneration",
    draw_dims=draw_dims, base=BASE, variants=variants, random=partial(random, made), old_spelling=old_spelling,
    old_names=old_names, weight_rules=RULES, multimodal_config_class="HunYuanVLConfig",
    multimodal_model_class="HunYuanVLForConditionalGeneration", multimodal_config=lambda _config, _towers: {},
    pictures=Grids(begin="im_start_id", end="im_end_id", videos=False, newlines=True), from_mlx=from_mlx,
    groups_from_mlx=from_mlx, disputed="axes-of-a-pair",
    saved=("base", "new"),
    published={
        "tencent/HunyuanOCR": ("base", {"": {
        "transformers_version": "4.49.0", "image_start_token_id": 55, "image_end_token_id": 56, "image_newline_token_id": 58, "pad_id": 2,
        "routed_scaling_factor": 1.0, "text_start_id": 7, "text_end_id": 8}}),
    },
)
