"""Moondream 3, which mlx-vlm alone has: crops of an image, scaled queries and values, attention and experts in parallel."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from ..media.images import Crops
from ..rewrites import moondream3 as rewrite
from ..variants.dims import pick
from ..variants.large import ACTIVATION, SCORE, massive_last
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Groups, Variant
from ..variants.vision import FAINT
from ..variants.weights import Rule, around, fan_in

BASE: Config = {
    "vocab_size": 53, "hidden_size": 22, "intermediate_size": 37, "num_hidden_layers": 3, "num_attention_heads": 3,
    "num_key_value_heads": 3, "head_dim": 10, "rope_dim": 6, "max_position_embeddings": 512, "rms_norm_eps": 1e-5,
    "rope_theta": 1500000.0, "num_experts": 5, "num_experts_per_tok": 2, "moe_intermediate_size": 13, "moe_start_layer": 1,
    "attention_bias": True,
    "vision": {"hidden_size": 18, "intermediate_size": 29, "num_hidden_layers": 2, "num_attention_heads": 2, "patch_size": 3,
               "crop_size": 12, "overlap_margin": 1, "in_channels": 3, "proj_inner_dim": 41, "attention_bias": True,
               "layer_norm_eps": 1e-6},
}
PUBLISHED = ("architectures", "dtype", "eos_token_id", "model_type", "pad_token_id")  # members around both configs

RULES: tuple[tuple[str, Rule], ...] = (
    (r"pos_embed$", around(0.0, 0.7)),
    (r"tau\.alpha$", around(0.0, 0.8)),
    (r"tau\.w[qv]$", fan_in(1.5)),
    (r"mlp\.gate\.weight$", fan_in(2.0)),
    (r"mlp\.gate\.bias$", around(0.0, 0.7)),
    (r"lm_head\.bias$", around(0.0, 0.5)),
    (r"self_attn\.qkv\.weight$", fan_in(1.2)),
)
# The inputs of norms are small: what embeds, and what adds to the residual stream
FAINT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"pos_embed$", around(0.0, FAINT)),
    (r"(patch_embed|proj|fc2)(\.weight)?$", fan_in(FAINT)),
    (r"(patch_embed|proj|fc2)\.bias$", around(0.0, FAINT / 3)),
    (r"embed_tokens\.weight$", lambda rng, shape: FAINT * rng.standard_normal(shape)),
)

# Names of tensors, inside the decoder and inside the tower
TEXT_NAMES = (("embed_tokens.weight", "wte.weight"), ("layers.", "blocks."), (".self_attn.", ".attn."),
              ("input_norm.", "ln."), ("mlp.gate.", "mlp.router."))
TOWER_NAMES = (("patch_embed.", "patch_emb."), ("pos_embed", "pos_emb"), ("post_norm.", "post_ln."), (".norm1.", ".ln1."),
               (".norm2.", ".ln2."), (".qkv.", ".attn.qkv."), (".proj.", ".attn.proj."))


def spelled(config: Config) -> Config:
    """The document that mlx-vlm reads."""
    text = {name: value for name, value in config["text_config"].items() if name in BASE or name == "eos_token_id"}
    vision = {name: value for name, value in config["vision_config"].items() if name in BASE["vision"]}
    return {**{name: config[name] for name in PUBLISHED if name in config}, "text_config": text,
            "vision_config": {**vision, "proj_out_dim": text["hidden_size"]}}


def mlx_names(state: dict) -> dict:
    """The tensors as mlx-vlm writes them."""
    def one(name: str) -> str:
        name = name.removeprefix("model.")
        if name.startswith("lm_head."):
            return f"text.{name}"
        if name.startswith("visual.merger."):
            return name.replace("visual.merger.", "vision.proj_mlp.")
        is_tower = name.startswith("visual.")
        for ours, theirs in TOWER_NAMES if is_tower else TEXT_NAMES:
            name = name.replace(ours, theirs)
        name = re.sub(r"(mlp\.fc[12])$", r"\1.weight", name)  # stacks of experts
        name = "post_ln." + name.removeprefix("norm.") if name.startswith("norm.") else name
        return name.replace("visual.", "vision.encoder.") if is_tower else f"text.model.{name}"
    return {one(name): tensor for name, tensor in state.items()}


def from_mlx(found: dict[str, Any]) -> dict[str, Any]:
    """The inverse of mlx_names: tensors, or other values, by our names. A layer with a router has stacks of experts."""
    def one(name: str) -> str:
        if name.startswith("vision.proj_mlp."):
            return name.replace("vision.proj_mlp.", "model.visual.merger.")
        if name.startswith("text.lm_head."):
            return name.removeprefix("text.")
        if re.sub(r"fc[12]\.weight$", "router.weight", name) in found:
            name = re.sub(r"(mlp\.fc[12])\.weight$", r"\1", name)
        is_tower = name.startswith("vision.")
        name = re.sub(r"^(text\.model|vision\.encoder)\.", "", name)
        if name.startswith("post_ln.") and not is_tower:
            name = name.replace("post_ln.", "norm.")
        for ours, theirs in TOWER_NAMES if is_tower else TEXT_NAMES:
            name = name.replace(theirs, ours)
        return f"model.visual.{name}" if is_tower else f"model.{name}"
    return {one(name): value for name, value in found.items()}


def old_names(state: dict) -> dict:
    """The tensors' published names."""
    def one(name: str) -> str:
        name = "model." + name.replace("text.model.", "text.").replace("vision.encoder.", "vision.")
        return "model.text.wte" if name == "model.text.wte.weight" else name
    return {one(name): tensor for name, tensor in mlx_names(state).items()}


def made(base: Config, name: str, catches: str, cases: tuple[str, ...], text: Config | None = None,
         vision: Config | None = None, **more) -> Variant:
    """A variant; text, vision: members that differ from base."""
    config = {member: value for member, value in {**base, **(text or {})}.items() if member != "vision"}
    return Variant(name, config, catches, cases, wrapper="towers", spelling=more.pop("spelling", "old"),
                   outer={"vision_config": {**base["vision"], **(vision or {})}, "image_token_id": 0}, **more)


# Widths that are multiples of a group, but those of the tower that are none in the published model either: of patches, and of its MLP
MLX: Config = {"hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "vocab_size": 61, "num_attention_heads": 2,
               "num_key_value_heads": 2, "head_dim": 32, "rope_dim": 16, "moe_intermediate_size": 32, "num_experts": 4}
MLX_TOWER: Config = {"hidden_size": 32, "intermediate_size": 40, "num_hidden_layers": 1, "proj_inner_dim": 64, "patch_size": 3,
                     "crop_size": 9, "overlap_margin": 1}
# Experts far from each other, which no noise of activations in int8 exchanges
FAR_EXPERTS: tuple[tuple[str, Rule], ...] = ((r"mlp\.gate\.bias$", around(0.0, 1.5)),)


# Large scores and values, and scales of heads whose tanh is 1 or -1
LARGE: tuple[tuple[str, Rule], ...] = (
    (r"model\.layers\S*qkv\.weight$", massive_last(fan_in(math.sqrt(SCORE)), 1 / 3)),
    (r"tau\.w[qv]$", fan_in(4 * SCORE / ACTIVATION)),
    (r"self_attn\.proj\.weight$", fan_in(1 / ACTIVATION)),
)


def variants(base: Config) -> list[Variant]:
    few = {"num_hidden_layers": 2, "vocab_size": 47}
    return [
        made(base, "base", "A scale of queries or values, an expert, a norm of attention and MLP, a crop, its margin or the "
             "order of crops misread, or a prefix that is causal",
             ("single", "batch", "narrow", "crops", "crops-batch", "crops-decode", "crops-generate", "crops-ids"), dtype="bfloat16",
             proves=("activations",)),
        made(base, "converted", "The names of mlx-vlm misread", ("crops-batch", "narrow", "crops-narrow"), few, spelling="mlx", dtype="bfloat16"),
        made(base, "sizes", "A size that is taken for a constant, or a bias that is not there", ("crops-borders",),
             {**few, "num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 14, "rope_dim": 14, "rope_theta": 500.0,
              "num_experts": 4, "num_experts_per_tok": 3, "moe_start_layer": 0, "attention_bias": False},
             {"hidden_size": 20, "patch_size": 2, "crop_size": 12, "overlap_margin": 2, "in_channels": 2,
              "attention_bias": False, "proj_inner_dim": 31}, dtype="float32"),
        made(base, "epsilons", "An epsilon of any norm", ("crops",), few, weight_rules=FAINT_RULES, dtype="bfloat16",
             proves=("epsilons",)),
        made(base, "mlx-4bit", "Stacks of experts, a router, an embedding or a tower in groups misread, or one taken for another",
             ("crops-generate", "crops-narrow", "narrow"), MLX, MLX_TOWER, dtype="bfloat16", groups=Groups(4, 32, towers=True),
             weight_rules=FAR_EXPERTS),
        made(base, "large-scores", "A softmax without its maximum, a tanh of a scale by exponentials that overflow, or values in float16: "
             "scores are above 88 and below -88, values are 60,000", ("single",), {**few, "num_hidden_layers": 1, "moe_start_layer": 0},
             weight_rules=LARGE, typical=True, typical_layers=True),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS,
             {**few, "vocab_size": 12, "intermediate_size": 51, "max_position_embeddings": 2048}, dtype="bfloat16"),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    heads, head_dim = pick(rng, (1, 2, 3)), pick(rng, (8, 10, 12))
    experts, patch, margin = pick(rng, (3, 4, 6)), pick(rng, (2, 3)), pick(rng, (0, 1))
    side = pick(rng, (3, 4))
    return {"num_attention_heads": heads, "num_key_value_heads": heads, "head_dim": head_dim,
            "rope_dim": pick(rng, (4, head_dim)), "hidden_size": pick(rng, (14, 22, 26)), "num_experts": experts,
            "num_experts_per_tok": pick(rng, (1, 2)), "moe_start_layer": pick(rng, (0, 1, 2)),
            "num_hidden_layers": pick(rng, (1, 2)), "attention_bias": pick(rng, (True, False)),
            "vision": {**BASE["vision"], "patch_size": patch, "crop_size": side * patch, "overlap_margin": margin}}


def random(rng: np.random.Generator, base: Config) -> Variant:
    return made(base, "", "A misread Moondream 3", (), {"rope_theta": pick(rng, (500.0, 1500000.0))},
                spelling=pick(rng, ("old", "mlx")))


FAMILY = Family(
    name="moondream3", package=rewrite, config_class="Moondream3TextConfig",
    model_class="Moondream3ForConditionalGeneration", draw_dims=draw_dims, base=BASE, variants=variants, random=random,
    old_spelling=spelled, old_names=old_names, mlx_spelling=spelled, mlx_names=mlx_names, weight_rules=RULES,
    multimodal_config_class="Moondream3Config", multimodal_model_class="Moondream3ForConditionalGeneration",
    multimodal_config=lambda _config, _towers: {}, pictures=Crops(), from_mlx=from_mlx, groups_from_mlx=from_mlx,
    published={
        "mlx-community/moondream3-preview": ("base", {"": {
        "config": {}, "region_config": {"hidden_size": 22}, "transformers_version": "4.56.0"}, "vision_config": {"max_crops": 12}}),
    },
)
