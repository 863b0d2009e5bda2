"""What the families with vision towers share: weights of towers, ids of marks, variants, drawn dimensions."""

from __future__ import annotations

import math

import numpy as np

from .dims import pick
from .variant import Config, Variant
from .weights import Rule, around, fan_in

# Members of the text config of long cases, all of whose rows are recorded
LONG_TEXT: Config = {"num_hidden_layers": 2, "vocab_size": 11, "max_position_embeddings": 2048}
# Of towers of 32 in MLX's groups: heads that divide it, and the only size of a Qwen2-VL's merger that mlx-vlm opens
MLX_TOWER: Config = {"num_heads": 2, "spatial_merge_size": 2}
FAINT = 0.03  # standard deviation of the inputs of norms whose epsilon must matter


def convolution(gain: float) -> Rule:
    """A patch embedding that multiplies the magnitude of unit inputs by `gain`."""
    return lambda rng, shape: rng.standard_normal(shape) * gain / math.sqrt(math.prod(shape[1:]))


RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embed\.proj\.weight$", convolution(1.0)),
    (r"pos_embed\.weight$", around(0.0, 0.7)),
    (r"ln_q\.weight$", around(1.0, 0.3)),
)

# Everything that adds to a residual stream, and what a norm follows, is small, and every norm gives it back its
# size: an epsilon of 1e-5 instead of 1e-6 changes an output by half a percent.
FAINT_RULES: tuple[tuple[str, Rule], ...] = (
    (r"patch_embed\.proj\.weight$", convolution(FAINT)),
    (r"pos_embed\.weight$", around(0.0, FAINT)),
    (r"(patch_embed|attn)\.proj\.bias$", around(0.0, FAINT / 3)),
    (r"(linear_fc2|mlp\.fc2|mlp\.2|down_proj|o_proj)\.bias$", around(0.0, FAINT / 3)),
    (r"(attn\.proj|linear_fc2|mlp\.fc2|mlp\.2|o_proj|down_proj)(\.weight)?$", fan_in(FAINT)),
    (r"embed_tokens\.weight$", lambda rng, shape: FAINT * rng.standard_normal(shape)),
    (r"(q|k)_proj\.weight$", fan_in(FAINT)),
    (r"(q|k)_norm\.weight$", around(1.4, 0.4)),
)


def marks(vocab_size: int) -> Config:
    """The members that name placeholders and marks of the Qwen families; the last id is a stop id."""
    return {"image_token_id": vocab_size - 4, "video_token_id": vocab_size - 3,
            "vision_start_token_id": vocab_size - 6, "vision_end_token_id": vocab_size - 5}


def split(base: Config) -> tuple[Config, Config]:
    """(text config, tower config) of a base that holds the tower's as `vision`."""
    return {name: value for name, value in base.items() if name != "vision"}, base["vision"]


def made(base: Config, name: str, catches: str, cases: tuple[str, ...], text: Config | None = None,
         vision: Config | None = None, outer: Config | None = None, width: str | None = "out_hidden_size",
         **more) -> Variant:
    """A variant with a tower; text, vision, outer: members that differ from base. width: the tower's member that states
    the width of its features, that of the text model; None: it has none."""
    config, tower = split(base)
    config |= text or {}
    tower = {**tower, **({width: config["hidden_size"]} if width else {}), **(vision or {})}
    return Variant(name, config, catches, cases, wrapper="towers", outer={
        "vision_config": tower, "tie_word_embeddings": False, **marks(config["vocab_size"]), **(outer or {})}, **more)


def sections(rng: np.random.Generator, half: int) -> list[int]:
    """Drawn sections of `half` angles of a head for time, height and width."""
    height, width = (int(rng.integers(1, half // 3 + 1)) for _ in range(2))
    return [half - height - width, height, width]


def tower_dims(rng: np.random.Generator, taken: set[int]) -> Config:
    """Drawn dimensions of a tower, in Qwen3-VL's spelling, none of them in `taken`."""
    while True:
        heads, head_dim = pick(rng, (1, 2, 3)), pick(rng, (4, 8, 12))
        hidden, inter = heads * head_dim, int(rng.integers(17, 40))
        merge, patch = pick(rng, (2, 2, 3)), pick(rng, (4, 5, 6))
        widths = {hidden, inter, hidden * merge * merge, 6 * patch * patch}
        if len(widths) == 4 and not widths & taken and 8 <= hidden <= 24:
            return {"hidden_size": hidden, "intermediate_size": inter, "num_heads": heads, "patch_size": patch,
                    "spatial_merge_size": merge, "depth": int(rng.integers(2, 5))}
