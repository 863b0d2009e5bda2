"""Llama 3.2 Vision: a tower for images of tiles, whose features also hold the inputs of some of its layers, and a
decoder of which some layers attend to images instead of tokens.

The truth is transformers 4.54.1: later versions take the outputs of these layers, unlike Meta's reference."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ..case.plan import PICTURES
from ..media.tiles import Tiles
from ..variants import vision
from ..variants.dims import attention_dims, pick
from ..variants.large import ACTIVATION, normed_scores
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT, LONG_TEXT, convolution
from ..variants.weights import Rule, around, fan_in

RATIOS = [[1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [3, 1], [4, 1]]
LLAMA3: Config = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                  "original_max_position_embeddings": 64}

BASE: Config = {
    "vocab_size": 61, "hidden_size": 24, "intermediate_size": 43, "num_hidden_layers": 4,
    "cross_attention_layers": [1, 3], "num_attention_heads": 3, "num_key_value_heads": 1,
    "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "rope_scaling": LLAMA3,
    "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
    "vision": {"hidden_size": 16, "intermediate_size": 22, "num_hidden_layers": 3, "num_global_layers": 2,
               "num_attention_heads": 2, "num_channels": 3, "image_size": 12, "patch_size": 4, "norm_eps": 1e-5,
               "max_num_tiles": 4, "intermediate_layers_indices": [2, 0], "supported_aspect_ratios": RATIOS},
}

GATES = r"(gate|gate_attn|gate_ffn)$"

RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embedding\.weight$", convolution(1.0)),
    (r"class_embedding$", around(0.0, 0.7)),
    (r"positional_embedding\.(tile_embedding|embedding)(\.weight)?$", around(0.0, 0.7)),
    # What GELU's approximation changes must stand out of the noise, also in the last layer before a norm
    (r"\.transformer\.layers\.2\.mlp\.fc2\.weight$", fan_in(5.0)),
    (r"fc1\.weight$", fan_in(1.3)),
    (r"fc2\.weight$", fan_in(2.5)),
    (r"multi_modal_projector\.weight$", fan_in(2.0)),
    (GATES, around(0.8, 0.25)),
)

# As vision.FAINT_RULES: what adds to a residual stream, or is the input of a norm, is small
FAINT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embedding\.weight$", convolution(FAINT / 2)),
    (r"class_embedding$", around(0.0, FAINT / 2)),
    (r"positional_embedding\.(tile_embedding|embedding)(\.weight)?$", around(0.0, FAINT / 2)),
    (r"layernorm_(pre|post)\.weight$", around(FAINT / 2, FAINT / 6)),
    (r"layernorm_(pre|post)\.bias$", around(0.0, FAINT / 3)),
    (r"fc2\.bias$", around(0.0, FAINT / 3)),
    # The images are averaged over many rows: what is left of them must not be faint
    (r"cross_attn\.v_proj\.weight$", fan_in(6.0)),
    (r"cross_attn\.o_proj\.weight$", fan_in(0.08)),
    (r"vision_model.*(o_proj|fc2)\.weight$", fan_in(FAINT / 2)),
    (r"(o_proj|down_proj)\.weight$", fan_in(FAINT)),
    (r"embed_tokens\.weight$", lambda rng, shape: FAINT * rng.standard_normal(shape)),
    (r"language_model.*(q|k)_proj\.weight$", fan_in(FAINT)),
    (r"(q|k)_norm\.weight$", around(1.4, 0.4)),
    (GATES, around(0.8, 0.25)),
)


def made(base: Config, name: str, catches: str, cases: tuple[str, ...], text: Config | None = None,
         tower: Config | None = None, **more: Any) -> Variant:
    """vision.made with the placeholder of this family, which has an embedding but no logit, and the width of the
    features."""
    variant = vision.made(base, name, catches, cases, text, tower, width=None, **more)
    is_mark = lambda member: member.endswith("_token_id")  # noqa: E731
    outer = {member: value for member, value in variant.outer.items() if not is_mark(member)}
    its = outer["vision_config"]
    its["vision_output_dim"] = its["hidden_size"] * (1 + len(its["intermediate_layers_indices"]))
    return replace(variant, outer={**outer, "image_token_index": variant.config["vocab_size"]})


def old_spelling(config: Config) -> Config:
    """As it is, with the number of heads under both names: the class reads one, its files have the other."""
    tower = dict(config["vision_config"])
    return {**config, "vision_config": {**tower, "num_attention_heads": tower["attention_heads"]}}


def old_names(state: dict) -> dict:
    """The tensors' names in published files."""
    def one(name: str) -> str:
        name = re.sub(r"^lm_head", "language_model.lm_head", name)
        name = re.sub(r"^model\.language_model\.", "language_model.model.", name)
        return re.sub(r"^model\.(vision_model|multi_modal_projector)", r"\1", name)
    return {one(name): tensor for name, tensor in state.items()}


def from_mlx(found: dict[str, Any]) -> dict[str, Any]:
    """mlx-vlm calls the tower vision_tower, and stores its convolution channels last."""
    def one(name: str, value: Any) -> tuple[str, Any]:
        name = re.sub(r"^vision_tower\.", "model.vision_model.", name)
        if isinstance(value, torch.Tensor) and name.endswith("patch_embedding.weight"):
            value = value.permute(0, 3, 1, 2).contiguous()
        return name, value
    return dict(one(name, value) for name, value in found.items())


def large_cross(base: Config) -> tuple[tuple[str, Rule], ...]:
    """Large scores and values where layers attend to images."""
    head_dim = base["hidden_size"] // base["num_attention_heads"]
    return (*normed_scores(head_dim, head_dim ** -0.5), (r"cross_attn\.v_proj\.weight$", fan_in(ACTIVATION)),
            (r"cross_attn\.o_proj\.weight$", fan_in(1 / ACTIVATION)))


CASES = tuple(name for name in PICTURES if "videos" not in name and name != "positions")

# Widths that are multiples of a group
MLX: Config = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "vocab_size": 64,
               "num_attention_heads": 4, "num_key_value_heads": 2, "cross_attention_layers": [1]}
MLX_TOWER: Config = {"hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 2, "num_global_layers": 1,
                     "intermediate_layers_indices": [1]}


def variants(base: Config) -> list[Variant]:
    less = {"num_hidden_layers": 2, "cross_attention_layers": [1], "vocab_size": 47}
    once = {"num_hidden_layers": 1, "num_global_layers": 1, "intermediate_layers_indices": [0]}
    return [
        made(base, "base", "The state of another layer among the features, a gate without tanh, a tile or its padding "
             "misplaced, an image seen by the wrong tokens, or a rope in a layer that attends to images",
             ("single", "batch", *CASES), spelling="old", dtype="bfloat16", proves=("activations",)),
        made(base, "old", "A default misread, or the older name of the heads", ("images-batch",), less, once,
             spelling="new", dtype="bfloat16", omits=("hidden_act", "rms_norm_eps", "rope_theta")),
        made(base, "epsilons", "An epsilon of any norm, or the one before the tower's layers taken from the config",
             ("images",), {**less, "rms_norm_eps": 1e-6}, {"norm_eps": 1e-6, "num_hidden_layers": 2,
                                                                  "intermediate_layers_indices": [1]}, weight_rules=FAINT_RULES,
             dtype="bfloat16", spelling="old", proves=("epsilons",)),
        made(base, "tiles-6", "A size of the tower, a number of tiles or a list of ratios that is taken for a constant",
             ("images",), {**less, "num_key_value_heads": base["num_attention_heads"]},
             {"num_hidden_layers": 2, "num_global_layers": 1, "intermediate_layers_indices": [1, 0, 2],
              "num_channels": 2, "patch_size": 5, "image_size": 20, "num_attention_heads": 1, "max_num_tiles": 6,
              "supported_aspect_ratios": [[3, 2], [1, 1], [3, 1], [2, 3], [1, 2], [2, 1]],
              "hidden_act": "gelu_pytorch_tanh"}, dtype="bfloat16", spelling="old"),
        made(base, "large-scores", "A softmax over the rows of images without its maximum, or their values in float16: scores are above "
             "88 and below -88, values are 60,000", ("images",), less, once, weight_rules=large_cross(base), spelling="old",
             typical=True, typical_layers=True),
        made(base, "mlx-8bit", "A tower and its tables of tiles in groups, the names of mlx-vlm, or a convolution whose "
             "channels are last misread", ("images-decode", "images-generate"), MLX, MLX_TOWER, spelling="old",
             dtype="bfloat16", groups=Groups(8, 32, ((r"k_proj", {"bits": 4, "group_size": 32}),), towers=True)),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS,
             {**LONG_TEXT, "intermediate_size": 51, "num_hidden_layers": 3, "cross_attention_layers": [1]}, once,
             weight_rules=((r"embed_tokens\.weight$", fan_in(0.3)),), dtype="bfloat16", spelling="old"),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng, explicit_head_dim=False)
    n_layers = dims["num_hidden_layers"]
    heads, head_dim, patch = pick(rng, (1, 2, 3)), pick(rng, (4, 8)), pick(rng, (4, 5, 6))
    n_first = int(rng.integers(1, 4))
    collected = rng.permutation(n_first + 1)[:int(rng.integers(1, n_first + 2))].tolist()
    tower = {**BASE["vision"], "hidden_size": heads * head_dim, "num_attention_heads": heads,
             "intermediate_size": int(rng.integers(17, 40)), "patch_size": patch,
             "image_size": patch * pick(rng, (1, 2, 3, 4)), "num_hidden_layers": n_first,
             "num_global_layers": int(rng.integers(1, 3)), "intermediate_layers_indices": collected}
    crosses = 1 + rng.permutation(n_layers - 1)[:int(rng.integers(1, n_layers))]
    return {**dims, "cross_attention_layers": sorted(crosses.tolist()), "vision": tower}


def random(rng: np.random.Generator, base: Config) -> Variant:
    return made(base, "", "A misread tower", (), {}, {"norm_eps": pick(rng, (1e-5, 1e-6))})


FAMILY = Family(
    name="mllama", config_class="models.mllama.configuration_mllama.MllamaTextConfig", model_class="MllamaForConditionalGeneration", draw_dims=draw_dims,
    base=BASE, variants=variants, random=random, old_spelling=old_spelling, old_names=old_names, weight_rules=RULES,
    multimodal_config_class="MllamaConfig", multimodal_model_class="MllamaForConditionalGeneration",
    multimodal_config=lambda _config, _towers: {}, pictures=Tiles(), from_mlx=from_mlx, groups_from_mlx=from_mlx,
    # queries are normalised after their product, which takes the scale of its input away; layer 1 of `epsilons` attends to images
    unseen_epsilons=(r"^epsilon \S+ in model\.language_model\.layers\.1\.input_layernorm$",), transformers="4.54.1",
    saved=("base", "old"),
    published={
        "unsloth/Llama-3.2-11B-Vision-Instruct": ("old", {"": {"transformers_version": "4.45.0.dev0"}}),
    },
)
