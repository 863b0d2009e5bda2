"""ERNIE 4.5 VL: two sets of experts, chosen by the kind of a token; M-RoPE in the order height, width, time; a tower
whose merger is made for two frames. Published files are flat, and mlx-vlm calls them ernie4_5_moe_vl."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import torch

from ..case.plan import PICTURES
from ..media.images import Grids
from ..variants.dims import attention_dims, pick
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT, LONG_TEXT, convolution, split, tower_dims
from ..variants.weights import Rule, around, fan_in

BASE: Config = {
    "vocab_size": 53, "hidden_size": 28, "intermediate_size": 43, "num_hidden_layers": 2,
    "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 512, "rms_norm_eps": 1e-5,
    "tie_word_embeddings": False, "moe_num_experts": 5, "moe_k": 2, "moe_intermediate_size": [15, 11],
    "moe_num_shared_experts": 2,
    "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0, "mrope_section": [2, 2, 3]},
    "vision": {"hidden_size": 16, "intermediate_size": 24, "depth": 2, "num_heads": 2, "in_channels": 3,
               "patch_size": 4, "spatial_merge_size": 2},
}

# Members of published files: read by mlx-vlm, or by no class
PUBLISHED: Config = {
    "compression_ratio": 1.0, "freq_allocation": 20, "moe_capacity": [1.2, 2.0, 2.0], "moe_gate": "topk",
    "moe_gate_act": "softmax", "moe_layer_interval": 1, "moe_norm_gate_logits": True, "moe_use_aux_free": True,
    "rope_3d": True, "spatial_conv_size": 2, "temporal_conv_size": 2, "use_temporal_conv": True,
}
PUBLISHED_TOWER: Config = {"attn_sep": True, "model_type": "DFNRope_vision_transformer", "vit_first_fwd_bsz": 128}

RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embed\.proj\.weight$", convolution(1.0)),
    (r"e_score_correction_bias$", around(0.0, 0.2)),
    (r"_moe\.gate\.weight$", fan_in(2.0)),
    (r"(\bln|norm[12])\.weight$", around(1.0, 0.3)),
)

# As vision.FAINT_RULES: what adds to a residual stream, or is the input of a norm, is small
FAINT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embed\.proj\.weight$", convolution(FAINT)),
    (r"(attn\.proj|fc2|resampler_model\.mlp)\.bias$", around(0.0, FAINT / 3)),
    (r"(attn\.proj|fc2|resampler_model\.mlp|o_proj|down_proj)(\.weight)?$", fan_in(FAINT)),
    (r"embed_tokens\.weight$", lambda rng, shape: FAINT * rng.standard_normal(shape)),
)


def marks(vocab_size: int) -> Config:
    """The ids of images and videos; the last id of the vocabulary is a stop id."""
    names = ("image_token_id", "video_token_id", "image_end_token_id", "image_start_token_id", "video_end_token_id",
             "video_start_token_id")
    return {name: vocab_size - 3 - i for i, name in enumerate(names)}


def made(base: Config, name: str, catches: str, cases: tuple[str, ...], text: Config | None = None,
         vision: Config | None = None, outer: Config | None = None, **more) -> Variant:
    """As vision.made, with this family's marks."""
    config, tower = split(base)
    config |= text or {}
    return Variant(name, config, catches, cases, wrapper="towers", outer={
        "vision_config": {**tower, **(vision or {})}, "tie_word_embeddings": False, **marks(config["vocab_size"]),
        **(outer or {})}, **more)


def old_spelling(config: Config) -> Config:
    """The published spelling: the text's members beside vision_config, lists of both kinds of experts, and the first
    and last layer with experts."""
    config = dict(config)
    text, tower = dict(config.pop("text_config")), dict(config.pop("vision_config"))
    rope = dict(text.pop("rope_parameters"))
    text |= {"rope_theta": rope.pop("rope_theta"),
             "rope_scaling": {"type": "default", "mrope_section": rope["mrope_section"]}}
    kinds = text.pop("mlp_layer_types")
    sparse = [i for i, kind in enumerate(kinds) if kind == "sparse"]
    text |= {"moe_num_experts": [text["moe_num_experts"]] * 2, "moe_layer_start_index": [sparse[0]] * 2,
             "moe_layer_end_index": [sparse[-1]] * 2}
    del text["model_type"], tower["rope_parameters"], tower["temporal_merge_size"]
    width = tower["hidden_size"]
    tower |= {"embed_dim": width, "mlp_ratio": tower.pop("intermediate_size") / width,
              "layer_norm_eps": tower.pop("rms_norm_eps"), "in_chans": tower["in_channels"],
              "spatial_patch_size": tower["patch_size"], **PUBLISHED_TOWER}
    return {**text, **PUBLISHED, **config, "model_type": "ernie4_5_moe_vl", "vision_config": tower,
            "im_patch_id": config["image_token_id"], "pixel_hidden_size": width,
            "spatial_conv_size": tower["spatial_merge_size"]}


def new_spelling(config: Config) -> Config:
    """The inverse: what the class of transformers reads, as its conversion of published files has it."""
    if config["model_type"] != "ernie4_5_moe_vl":
        return config
    config = dict(config)
    tower = dict(config.pop("vision_config"))
    start, end = min(config.pop("moe_layer_start_index")), max(config.pop("moe_layer_end_index"))
    for name in (*PUBLISHED, "im_patch_id", "pixel_hidden_size"):
        config.pop(name, None)
    outer = {name: config.pop(name) for name in tuple(config) if name.endswith("_token_id") and "_" in name
             and name not in ("eos_token_id", "pad_token_id", "bos_token_id")}
    outer |= {name: config.pop(name) for name in ("architectures", "torch_dtype", "tie_word_embeddings", "eos_token_id",
                                                  "pad_token_id", "quantization", "quantization_config")
              if name in config}
    scaling = config.pop("rope_scaling", {})
    rope = {"rope_type": "default", "rope_theta": config.pop("rope_theta", 500000.0),
            "mrope_section": scaling.get("mrope_section", [22, 22, 20])}
    sparse = [start <= i <= end for i in range(config["num_hidden_layers"])]
    text = {**config, "model_type": "ernie4_5_vl_moe_text", "rope_parameters": rope,
            "tie_word_embeddings": outer.get("tie_word_embeddings", True),
            "moe_num_experts": config["moe_num_experts"][0],
            "mlp_layer_types": ["sparse" if is_sparse else "dense" for is_sparse in sparse]}
    width = tower.pop("embed_dim")
    for name in (*PUBLISHED_TOWER, "in_chans", "spatial_patch_size"):
        tower.pop(name, None)
    tower |= {"intermediate_size": int(width * tower.pop("mlp_ratio")), "model_type": "ernie4_5_vl_moe_vision",
              "rms_norm_eps": tower.pop("layer_norm_eps", 1e-6)}
    return {**outer, "model_type": "ernie4_5_vl_moe", "text_config": text, "vision_config": tower}


BIAS = "moe_statics.e_score_correction_bias"
SEQUENCE = {"fc1": "0", "fc2": "2", "ln": "3"}  # the members of the merger's blocks in published files


def published_name(name: str) -> str:
    name = re.sub(r"^model\.vision_tower\.", "vision_model.", name)
    name = re.sub(r"(spatial|temporal)_linear\.(fc1|fc2|ln)", lambda m: f"{m[1]}_linear.{SEQUENCE[m[2]]}", name)
    return re.sub(r"^model\.language_model\.", "model.", name)


def old_names(state: dict) -> dict:
    """The tensors of published files: routers transposed, both biases in one tensor, one tensor for each expert, those of
    images after those of text."""
    found: dict[str, torch.Tensor] = {}
    for name, tensor in state.items():
        name = published_name(name)
        base, moe, part = re.fullmatch(r"(?:(.*\.mlp)\.(text|vision)_moe\.)?(.*)", name).groups()
        if base is None:
            found[name] = tensor
        elif part == "gate.weight":
            found[f"{base}.gate.weight" + ("_1" if moe == "vision" else "")] = tensor.T.contiguous()
        elif part == f"gate.{BIAS}":
            both = [state[name.replace("model.", "model.language_model.", 1).replace(f"{moe}_moe", f"{one}_moe")]
                    for one in ("text", "vision")]
            found[f"{base}.{BIAS}"] = torch.cat(both)
        else:
            first = len(tensor) if moe == "vision" else 0
            for index, one in enumerate(tensor, first):
                if part == "experts.down_proj":
                    found[f"{base}.experts.{index}.down_proj.weight"] = one
                else:
                    gate, up = one.chunk(2)
                    found[f"{base}.experts.{index}.gate_proj.weight"] = gate.contiguous()
                    found[f"{base}.experts.{index}.up_proj.weight"] = up.contiguous()
    return found


MLX_PARTS = {"gate.weight": "text_moe.gate.weight", "gate_1.weight": "vision_moe.gate.weight",
             "e_score_correction_bias": f"text_moe.gate.{BIAS}", "e_score_correction_bias_1": f"vision_moe.gate.{BIAS}",
             "experts.gate_up_proj": "text_moe.experts.gate_up_proj", "experts.down_proj": "text_moe.experts.down_proj",
             "experts_1.gate_up_proj": "vision_moe.experts.gate_up_proj",
             "experts_1.down_proj": "vision_moe.experts.down_proj"}


def from_mlx(found: dict[str, Any]) -> dict[str, Any]:
    """mlx-vlm numbers the steps of the merger's blocks, and the second of everything that a set of experts has. The values are
    tensors or group sizes."""
    members = {number: name for name, number in SEQUENCE.items()}
    made: dict[str, Any] = {}
    for name, value in found.items():
        name = re.sub(r"(spatial|temporal)_linear\.layers\.(\d)", lambda m: f"{m[1]}_linear.{members[m[2]]}", name)
        name = re.sub(r"^resampler_model\.", "model.resampler_model.", name)
        base, part = re.fullmatch(r"(?:(.*\.mlp)\.)?(.*)", name).groups()
        if base is not None and ".layers." in name and part in MLX_PARTS:
            name = f"{base}.{MLX_PARTS[part]}"
        if name.endswith(BIAS) and isinstance(value, torch.Tensor):
            value = value.reshape(1, -1)
        made[name] = value
    return made


CASES = tuple(name for name in PICTURES if "videos" not in name and name not in ("images", "images-decode"))
MLX_CASES = ("images-decode", "images-generate", "image-narrow")

MLX: Config = {"hidden_size": 32, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 40,
               "num_attention_heads": 2, "num_key_value_heads": 1, "moe_num_experts": 4,
               "moe_intermediate_size": [32, 64], "moe_num_shared_experts": 1,
               "rope_parameters": {**BASE["rope_parameters"], "mrope_section": [3, 3, 2]}}
MLX_TOWER: Config = {"depth": 1, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2}
TIED: Config = {"tie_word_embeddings": True}


def variants(base: Config) -> list[Variant]:
    less = {"vocab_size": 43}
    once = {"depth": 1}
    slim = {**once, "hidden_size": 8, "intermediate_size": 13, "num_heads": 1}
    return [
        made(base, "base", "The experts of the other kind of token, a bias that also weighs, a part of the tower or of "
             "its merger, features given to the wrong tokens, or a position of M-RoPE", ("single", "batch", *CASES),
             spelling="old", dtype="bfloat16", proves=("activations",)),
        made(base, "new", "The members or the names that transformers writes or a default misread, or a tied head missed",
             ("image-narrow",), {**less, **TIED}, slim, TIED, dtype="bfloat16",
             omits=("hidden_act", "mlp_layer_types", "moe_norm_min", "rms_norm_eps", "use_bias")),
        made(base, "least-sum", "Shares divided by their sum although it is smaller than moe_norm_min, or not at all",
             ("single",), {**less, "moe_norm_min": 0.7, "mlp_layer_types": ["sparse", "dense"]}, slim,
             dtype="bfloat16"),
        made(base, "epsilons", "An epsilon of any norm, or the text's taken for the tower's", ("images",), less, once,
             weight_rules=FAINT_RULES, dtype="bfloat16", proves=("epsilons",)),
        made(base, "merge-3", "A size of the tower that is taken for a constant, no shared expert, or a bias of the text "
             "model forgotten", ("image",), {**less, "use_bias": True, "moe_num_shared_experts": 0},
             {**slim, "spatial_merge_size": 3, "in_channels": 2, "patch_size": 5, "hidden_act": "gelu",
              "rms_norm_eps": 1e-5}, dtype="bfloat16"),
        made(base, "mlx-8bit", "A tower in groups, the names of mlx-vlm, or one stack of experts taken for the other",
             MLX_CASES, MLX, MLX_TOWER, spelling="old", dtype="bfloat16",
             groups=Groups(8, 32, ((r"qkv|switch_mlp_1", {"bits": 4, "group_size": 32}),), towers=True)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS,
             {**LONG_TEXT, "vocab_size": 13, "hidden_size": 16, "intermediate_size": 21,
              "rope_parameters": {**base["rope_parameters"], "mrope_section": [1, 1, 2]}}, {**once, "hidden_size": 8},
             weight_rules=((r"embed_tokens\.weight$", fan_in(0.3)),), dtype="bfloat16"),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    heads, half = dims["num_attention_heads"], 2 * int(rng.integers(2, 5)) + 1
    hidden = heads * half * 2
    drawn = tower_dims(rng, {hidden, dims["intermediate_size"]})
    side = int(rng.integers(1, half // 2 + 1))
    return {**{name: value for name, value in dims.items() if name != "head_dim"}, "hidden_size": hidden,
            "moe_num_experts": pick(rng, (5, 6, 7)), "moe_k": pick(rng, (2, 3)),
            "moe_intermediate_size": [int(n) for n in rng.choice(range(9, 23), 2, replace=False)],
            "vision": {**BASE["vision"], **drawn},
            "rope_parameters": {**BASE["rope_parameters"], "mrope_section": [side, side, half - 2 * side]}}


def random(make: partial, rng: np.random.Generator, base: Config) -> Variant:
    tied = {"tie_word_embeddings": bool(rng.integers(2))}
    text = {"use_bias": bool(rng.integers(2)), "moe_num_shared_experts": int(rng.integers(3)), **tied}
    return make(base, "", "Misread experts or a misread tower", (), text, {}, tied)


FAMILY = Family(
    name="ernie4_5_vl_moe", config_class="Ernie4_5_VLMoeTextConfig",
    model_class="Ernie4_5_VLMoeForConditionalGeneration", draw_dims=draw_dims, base=BASE, variants=variants,
    random=partial(random, made), old_spelling=old_spelling, new_spelling=new_spelling, old_names=old_names,
    weight_rules=RULES, multimodal_config_class="Ernie4_5_VLMoeConfig",
    multimodal_model_class="Ernie4_5_VLMoeForConditionalGeneration", multimodal_config=lambda _config, _towers: {},
    pictures=Grids(begin="image_start_token_id", end="image_end_token_id", videos=False), from_mlx=from_mlx,
    groups_from_mlx=from_mlx,
    saved=("base", "new"),
    published={
        "baidu/ERNIE-4.5-VL-28B-A3B-PT": ("base", {"": {
        "transformers_version": "4.51.0.dev0", "moe_layer_end_index": [29, 28], "moe_multimodal_dispatch_use_allgather": "v2-alltoall-unpad-text",
        "auto_map": {"AutoConfig": "configuration_ernie4_5_vl.Ernie4_5_VLMoEConfig"}, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
        "num_nextn_predict_layers": 0, "use_flash_attention": True}}),
    },
)
