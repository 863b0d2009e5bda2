"""PaddleOCR-VL: SigLIP's tower with a rope, whose patches are row by row and pass a projector; M-RoPE in chunks."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import torch

from ..case.plan import PICTURES
from ..media.images import Grids
from ..variants import vision
from ..variants.dims import attention_dims, pick
from ..variants.large import scores
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT, LONG_TEXT, convolution, sections, tower_dims
from ..variants.weights import Rule, around, fan_in

BASE: Config = {
    "vocab_size": 61, "hidden_size": 26, "intermediate_size": 43, "num_hidden_layers": 2,
    "num_attention_heads": 3, "num_key_value_heads": 1, "head_dim": 14, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-6, "tie_word_embeddings": False,
    "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0, "mrope_section": [2, 3, 2]},
    "vision": {"hidden_size": 16, "intermediate_size": 22, "num_hidden_layers": 2, "num_attention_heads": 2,
               "num_channels": 3, "image_size": 22, "patch_size": 4, "spatial_merge_size": 2},
}

# Members of published files that no class of transformers reads: of the text, and of the tower
PUBLISHED: Config = {"compression_ratio": 1.0, "ignored_index": -100, "rope_is_neox_style": True,
                     "sliding_window": None, "use_3d_rope": True, "weight_share_add_bias": True}
PUBLISHED_TOWER: Config = {"temporal_patch_size": 2, "tokens_per_second": 2}

RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embedding\.weight$", convolution(1.0)),
    (r"position_embedding\.weight$", around(0.0, 0.7)),
)

# As vision.FAINT_RULES: what adds to a residual stream, or is the input of a norm, is small
FAINT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embedding\.weight$", convolution(FAINT)),
    (r"position_embedding\.weight$", around(0.0, FAINT)),
    (r"vision_model\.post_layernorm\.weight$", around(FAINT, FAINT / 3)),
    (r"(patch_embedding|post_layernorm|out_proj|fc2|linear_2)\.bias$", around(0.0, FAINT / 3)),
    (r"(out_proj|fc2|linear_2|o_proj|down_proj)\.weight$", fan_in(FAINT)),
    (r"embed_tokens\.weight$", lambda rng, shape: FAINT * rng.standard_normal(shape)),
)


def old_spelling(config: Config) -> Config:
    """The published spelling: the text's members beside vision_config, which has the model's type."""
    config = dict(config)
    text, tower = dict(config.pop("text_config")), dict(config["vision_config"])
    rope = dict(text.pop("rope_parameters"))
    text |= {"rope_theta": rope.pop("rope_theta"),
             "rope_scaling": {"rope_type": "default", "type": "default", "mrope_section": rope["mrope_section"]}}
    del text["model_type"], tower["rope_parameters"]
    tower |= {"model_type": config["model_type"], **PUBLISHED_TOWER}
    return {**text, **PUBLISHED, **config, "vision_config": tower}


def old_names(state: dict) -> dict:
    """The tensors' names in published files."""
    def one(name: str) -> str:
        name = re.sub(r"^model\.projector\.", "mlp_AR.", name)
        return re.sub(r"^model\.(?:(visual\.)|language_model\.)", lambda m: m[1] or "model.", name)
    return {one(name): tensor for name, tensor in state.items()}


def published_name(name: str) -> str:
    """mlx-vlm's name of a tensor of the tower or the projector in transformers."""
    if not name.startswith("visual."):
        return name
    name = name.removeprefix("visual.")
    if name.startswith("projector."):
        return f"model.{name}"
    return "model.visual.vision_model." + re.sub(r"^layers\.", "encoder.layers.", name)


def from_mlx(found: dict[str, Any]) -> dict[str, Any]:
    """mlx-vlm stores queries, keys and values of the tower as one product, and its convolution channels last. The
    values of the dict are tensors or, of group sizes, equal for all three."""
    made: dict[str, Any] = {}
    for name, value in found.items():
        name, is_tensor = published_name(name), isinstance(value, torch.Tensor)
        if ".self_attn.qkv." in name:
            parts = value.chunk(3) if is_tensor else [value] * 3
            made |= {name.replace(".qkv.", f".{letter}_proj."): part for letter, part in zip("qkv", parts)}
        elif is_tensor and name.endswith("patch_embedding.weight"):
            made[name] = value.permute(0, 3, 1, 2).contiguous()
        else:
            made[name] = value
    return made


made = partial(vision.made, width=None)
CASES = tuple(name for name in PICTURES if "videos" not in name and name != "images-decode")  # which mlx-8bit has

# mlx-vlm's projector has 1,024 outputs, whatever the config says
MLX: Config = {"hidden_size": 1024, "intermediate_size": 32, "num_hidden_layers": 1, "vocab_size": 32,
               "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16, "rms_norm_eps": 1e-5,
               "rope_parameters": {**BASE["rope_parameters"], "mrope_section": [3, 3, 2]}}
MLX_CASES = ("images-decode", "images-generate")
TIED: Config = {"tie_word_embeddings": True}


def variants(base: Config) -> list[Variant]:
    less = {"num_hidden_layers": 1, "vocab_size": 47}
    once = {"num_hidden_layers": 1}
    return [
        made(base, "base", "A part of the tower, patches in the order of blocks, features given to the wrong tokens, "
             "or a position of M-RoPE", ("single", "batch", *CASES), spelling="old", dtype="bfloat16",
             proves=("activations",)),
        made(base, "old", "A flat config, the published names or a default misread, or a tied head missed",
             ("images-batch",),
             {**less, **TIED, "rms_norm_eps": 1e-5}, once, TIED, spelling="old", dtype="bfloat16",
             omits=("hidden_act", "rms_norm_eps", "rope_theta", "tie_word_embeddings", "use_bias")),
        made(base, "epsilons", "An epsilon of any norm, or the projector's taken for the tower's", ("images",),
             less, weight_rules=FAINT_RULES, dtype="bfloat16", proves=("epsilons",)),
        made(base, "large-scores", "A softmax of the tower without its maximum: scores are above 88 and below -88", ("images",),
             less, once, weight_rules=scores(r"visual\S*(q|k)_proj"), spelling="old", dtype="bfloat16", typical=True,
             typical_layers=True),
        made(base, "merge-3", "A size of the tower that is taken for a constant, or a bias of the text model forgotten",
             ("images",), {**less, "use_bias": True},
             {**once, "spatial_merge_size": 3, "num_channels": 2, "patch_size": 5, "image_size": 23,
              "num_attention_heads": 1, "hidden_act": "gelu"}, dtype="bfloat16"),
        made(base, "mlx-8bit", "A tower and its table of positions in groups, the names of mlx-vlm, a fused product "
             "divided wrongly or with settings of its own, or a width that is no multiple of the group size",
             MLX_CASES, MLX,
             {**once, "hidden_size": 32, "intermediate_size": 40, "num_attention_heads": 2, "spatial_merge_size": 2,
              "image_size": 32, "patch_size": 4},
             spelling="old", dtype="bfloat16",
             groups=Groups(8, 32, ((r"qkv|linear_2", {"bits": 4, "group_size": 32}),), towers=True)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS, {**LONG_TEXT, "intermediate_size": 51}, once,
             weight_rules=((r"embed_tokens\.weight$", fan_in(0.3)),), dtype="bfloat16"),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    drawn = tower_dims(rng, {dims["hidden_size"], dims["intermediate_size"]})
    tower = {**BASE["vision"], **drawn, "num_attention_heads": drawn["num_heads"], "num_hidden_layers": drawn["depth"],
             "image_size": drawn["patch_size"] * pick(rng, (3, 4, 5, 7)) + int(rng.integers(drawn["patch_size"]))}
    return {**dims, "vision": {name: tower[name] for name in BASE["vision"]}, "rope_parameters": {
        **BASE["rope_parameters"], "mrope_section": sections(rng, dims["head_dim"] // 2)}}


def random(make: partial, rng: np.random.Generator, base: Config) -> Variant:
    tied = {"tie_word_embeddings": bool(rng.integers(2))}
    return make(base, "", "A misread tower", (), {"use_bias": bool(rng.integers(2)), **tied}, {}, tied)


FAMILY = Family(
    name="paddleocr_vl", config_class="PaddleOCRTextConfig", model_class="PaddleOCRVLForConditionalGeneration",
    draw_dims=draw_dims, base=BASE, variants=variants, random=partial(random, made), old_spelling=old_spelling,
    old_names=old_names, weight_rules=RULES, multimodal_config_class="PaddleOCRVLConfig",
    multimodal_model_class="PaddleOCRVLForConditionalGeneration", multimodal_config=lambda _config, _towers: {},
    pictures=Grids(videos=False, squares=True), from_mlx=from_mlx, groups_from_mlx=from_mlx,
    saved=("base", "old", "merge-3"),
    published={
        "PaddlePaddle/PaddleOCR-VL": ("base", {"": {
        "transformers_version": "4.55.0", "attention_probs_dropout_prob": 0.0, "hidden_dropout_prob": 0.0, "max_sequence_length": None,
        "use_flash_attention": False, "auto_map": {"AutoConfig": "configuration_paddleocr_vl.PaddleOCRVLConfig"}}, "vision_config": {
        "architectures": ["SiglipVisionModel"], "auto_map": {"AutoConfig": "configuration_paddleocr_vl.PaddleOCRVLConfig"},
        "pad_token_id": 0, "torch_dtype": "bfloat16"}}),
    },
)
