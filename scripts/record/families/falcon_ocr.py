"""Falcon-OCR, which mlx-vlm alone has: patches projected into the decoder, attention sinks, a rope in the plane of images."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import torch

from ..media.images import Patches
from ..rewrites import falcon_ocr as rewrite
from ..variants.dims import attention_dims, pick
from ..variants.large import ACTIVATION, massive_last, saturated
from ..variants.variant import LENGTHS_CATCH, LENGTHS_FEW_ROWS, Config, Family, Variant
from ..variants.vision import FAINT, LONG_TEXT
from ..variants.weights import Rule, around, fan_in

BASE: Config = {
    "vocab_size": 61, "hidden_size": 26, "intermediate_size": 35, "num_hidden_layers": 2, "num_attention_heads": 6,
    "num_key_value_heads": 2, "head_dim": 12, "max_position_embeddings": 512, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
    "vision": {"patch_size": 4, "num_channels": 3},
}

# Published names of members, of the text model, of vision_config, and around them
TEXT = {"hidden_size": "dim", "num_hidden_layers": "n_layers", "num_attention_heads": "n_heads",
        "num_key_value_heads": "n_kv_heads", "intermediate_size": "ffn_dim", "rms_norm_eps": "norm_eps",
        "max_position_embeddings": "max_seq_len"}
VISION = {"patch_size": "spatial_patch_size", "num_channels": "channel_size"}
OUTER = {"image_token_id": "img_id", "image_end_token_id": "img_end_id"}

# Sinks and places of patches that weigh as much as keys and positions do
RULES: tuple[tuple[str, Rule], ...] = (
    (r"sinks$", around(0.7, 0.9)),
    (r"freqs_cis_golden$", around(0.0, 1.5)),
    (r"wqkv\.weight$", fan_in(1.2)),
    (r"patch_embed\.weight$", fan_in(1.0)),
)
# The inputs of norms are small: those of queries and keys, and the residual stream
FAINT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"(wo|w2|patch_embed)\.weight$", fan_in(FAINT)),
    (r"wqkv\.weight$", fan_in(FAINT)),
    (r"embed_tokens\.weight$", lambda rng, shape: FAINT * rng.standard_normal(shape)),
)


def flat(config: Config, names: dict[str, str]) -> Config:
    """The document as it is published; names: of members of the text model."""
    config = dict(config)
    text, vision = dict(config.pop("text_config")), dict(config.pop("vision_config"))
    kept = {name: value for name, value in text.items() if name in BASE or name == "eos_token_id"}
    made = {names.get(name, name): value for name, value in kept.items()}
    made |= {VISION[name]: value for name, value in vision.items() if name in VISION} | {"temporal_patch_size": 1}
    return {OUTER.get(name, name): value for name, value in {**config, **made}.items()}


def old_names(state: dict) -> dict:
    """The tensors' published names."""
    def one(name: str) -> str:
        name = name.replace("lm_head.", "output.").removeprefix("model.")
        name = name.replace("embed_tokens.", "tok_embeddings.").replace("visual.patch_embed.", "img_projector.")
        return name.replace(".self_attn.", ".attention.").replace(".mlp.", ".feed_forward.")
    return {one(name): tensor for name, tensor in state.items()}


def mlx_names(state: dict) -> dict:
    """The tensors as mlx-vlm writes them: its names, and the rows of gate before those of up."""
    def one(name: str) -> str:
        return "language_model." + re.sub(r"visual\.patch_embed\.", "img_projector.", name)
    made = {one(name): tensor for name, tensor in state.items()}
    return {name: torch.cat((tensor[0::2], tensor[1::2])) if ".w13." in name else tensor
            for name, tensor in made.items()}


def extra_tensors(checkpoint, _rng: np.random.Generator) -> dict:
    """Tables of the rope, which mlx-vlm stores with a model."""
    if checkpoint.variant.spelling != "mlx":
        return {}
    config = checkpoint.variant.config
    half = config["head_dim"] // 2
    inverse = config["rope_theta"] ** (-np.arange(0, half, 2) / half)
    angles = np.arange(config["max_position_embeddings"])[:, None] * inverse
    return {f"language_model.model.{name}_1d": torch.from_numpy(table(angles).astype(np.float32))
            for name, table in (("cos", np.cos), ("sin", np.sin))}


def image_ids(vocab_size: int) -> Config:
    """The members that name the ids of an image; the last id is a stop id."""
    return {member: vocab_size - 9 + i for i, member in enumerate((*rewrite.INSIDE, "image_end_token_id"))}


def made(base: Config, name: str, catches: str, cases: tuple[str, ...], text: Config | None = None,
         vision: Config | None = None, **more) -> Variant:
    """A variant; text, vision: members that differ from base."""
    config = {member: value for member, value in {**base, **(text or {})}.items() if member != "vision"}
    return Variant(name, config, catches, cases, wrapper="towers", spelling=more.pop("spelling", "old"),
                   outer={"vision_config": {**base["vision"], **(vision or {})}, **image_ids(config["vocab_size"])}, **more)


def seldom_marks(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A head that prefers the ids before those of images, which are most of a tiny vocabulary."""
    rows = fan_in(4.0)(rng, shape)
    rows[-9:] *= 0.05
    return rows


def large_sinks(base: Config) -> tuple[tuple[str, Rule], ...]:
    """Sinks above all scores and below them, and large values. Scores themselves are at most the root of head_dim, as published, since
    queries and keys have norms without weights."""
    heads, kv_heads = base["num_attention_heads"], base["num_key_value_heads"]
    return ((r"sinks$", saturated), (r"wqkv\.weight$", massive_last(fan_in(1.2), kv_heads / (heads + 2 * kv_heads))),
            (r"wo\.weight$", fan_in(1 / ACTIVATION)))


CASES = ("image", "image-batch", "image-decode", "image-generate", "image-then-text", "images-alike", "positions-alone")


def variants(base: Config) -> list[Variant]:
    return [
        made(base, "base", "A sink dropped, keys repeated after ropes, a rope that turns the wrong half or pairs, a place "
             "of a patch, an image that is no block or takes several positions, or rows of gate and up in turns misread",
             ("single", "batch", *CASES), dtype="bfloat16"),
        made(base, "converted", "The names of mlx-vlm, or the other spelling of a member, misread", ("image-batch",),
             {"num_hidden_layers": 1, "vocab_size": 47, "max_position_embeddings": 64}, spelling="mlx", dtype="bfloat16"),
        made(base, "sizes", "A size that is taken for a constant, or key/value heads that are not repeated",
             ("image", "image-batch"), {"num_hidden_layers": 3, "vocab_size": 47, "num_attention_heads": 3,
                               "num_key_value_heads": 3, "head_dim": 20, "rope_theta": 500.0},
             {"patch_size": 5, "num_channels": 2}, dtype="float32"),
        made(base, "epsilons", "An epsilon of any norm", ("image",), {"num_hidden_layers": 1, "vocab_size": 47},
             weight_rules=FAINT_RULES, dtype="bfloat16", proves=("epsilons",)),
        made(base, "large-sinks", "A sink taken for the largest score, or sums of values in float16: sinks are above 88 and below -88, "
             "values are 60,000", ("image",), {"num_hidden_layers": 1, "vocab_size": 47}, weight_rules=large_sinks(base), typical=True,
             typical_layers=True),
        made(base, "lengths", LENGTHS_CATCH, LENGTHS_FEW_ROWS, {**LONG_TEXT, "vocab_size": 14, "intermediate_size": 51},
             weight_rules=((r"lm_head\.weight$", seldom_marks),), dtype="bfloat16"),
    ]


def draw_dims(rng: np.random.Generator) -> Config:
    dims = attention_dims(rng)
    return {**dims, "head_dim": pick(rng, (8, 12, 16, 20)),
            "vision": {"patch_size": pick(rng, (3, 4, 5)), "num_channels": 3}}


def random(rng: np.random.Generator, base: Config) -> Variant:
    return made(base, "", "A misread Falcon-OCR", (), {"rope_theta": pick(rng, (500.0, 10000.0))},
                spelling=pick(rng, ("old", "mlx")))


FAMILY = Family(
    name="falcon_ocr", package=rewrite, config_class="FalconOcrTextConfig",
    model_class="FalconOcrForConditionalGeneration", draw_dims=draw_dims, base=BASE, variants=variants, random=random,
    old_spelling=partial(flat, names=TEXT), old_names=old_names, mlx_spelling=partial(flat, names={}), mlx_names=mlx_names,
    weight_rules=RULES, multimodal_config_class="FalconOcrConfig",
    multimodal_model_class="FalconOcrForConditionalGeneration", multimodal_config=lambda _config, _towers: {},
    extra_tensors=extra_tensors, pictures=Patches(),
    published={
        "tiiuae/Falcon-OCR": ("base", {"": {"transformers_version": "4.57.1", "auto_map": {"AutoConfig": "configuration_falcon_ocr.FalconOCRConfig"}, "eos_id": 11}}),
    },
)
