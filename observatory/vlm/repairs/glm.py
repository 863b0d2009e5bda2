"""Repairs of mlx-vlm's GLM-4.1V, GLM-4.5V and GLM-OCR."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config
from .general import FUNCTIONS, both

# How the names of their classes begin
PREFIXES = {"glm4v": "Glm4v", "glm4v_moe": "Glm4vMoe", "glm_ocr": "GlmOcr"}


def part(config: Config, name: str) -> Any:
    """A module of the family."""
    return module(config["model_type"], name)


def tower_class(config: Config, name: str) -> type:
    """A class of the tower."""
    return getattr(part(config, "vision"), PREFIXES[config["model_type"]] + name)


def cubic(distance: np.ndarray) -> np.ndarray:
    """Keys' kernel with a = -0.75, of distances below 2."""
    a = -0.75
    near = ((a + 2) * distance - (a + 3)) * distance ** 2 + 1
    return np.where(distance <= 1, near, ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a)


def bicubic(x: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """x [1, H, W, C] at grid [1, N, 1, 2], as torch's grid_sample with padding_mode="border"."""
    taps = []
    for axis, side in ((1, x.shape[1]), (0, x.shape[2])):
        source = ((grid[0, :, 0, axis].astype(np.float64) + 1) * side - 1) / 2
        places = np.floor(source)[:, None] + np.arange(-1, 3)
        taps.append((np.clip(places, 0, side - 1).astype(int), cubic(np.abs(source[:, None] - places))))
    (rows, down), (columns, across) = taps
    read = x[0][rows[:, :, None], columns[:, None, :]]
    return np.einsum("nijc,ni,nj->nc", read, down, across)[None, :, None]


def table(config: Config) -> Any:
    """The table of positions is resampled as published."""
    def sample(_original, x, grid):
        return mx.array(bicubic(np.array(x), np.array(grid)).astype(np.float32))
    return wrapped(part(config, "vision"), "grid_sample", sample)


def block_epsilon(config: Config) -> Any:
    """The norms of the tower's layers have the epsilon of the config."""
    def make(original, self, tower):
        original(self, tower)
        self.norm1.eps = self.norm2.eps = tower.rms_norm_eps
    return wrapped(tower_class(config, "VisionBlock"), "__init__", make)


def segments(config: Config) -> Any:
    """Each frame attends to itself alone, however many there are."""
    def attend(original, self, x, cu_seqlens, rotary_pos_emb=None):
        bounds = cu_seqlens.tolist()
        parts = [original(self, x[first:last], mx.array([0, last - first]), rotary_pos_emb[first:last])
                 for first, last in zip(bounds, bounds[1:])]
        return mx.concatenate(parts, axis=0)
    return wrapped(tower_class(config, "VisionAttention"), "__call__", attend)


def start_token(config: Config) -> Any:
    """The token before an image is image_start_token_id."""
    def read(original, self, *args, **kwargs):
        self.config.vision_start_token_id = config["image_start_token_id"]
        return original(self, *args, **kwargs)
    return wrapped(part(config, "language").LanguageModel, "get_rope_index", read)


def request_positions(config: Config) -> Any:
    """The positions of a request and its delta of decode are returned with its embeddings."""
    def embed(original, self, input_ids, pixel_values=None, **kwargs):
        given = dict(kwargs)
        made = original(self, input_ids, pixel_values, **kwargs)
        made.position_ids, made.rope_deltas = self.language_model.get_rope_index(
            input_ids, given.get("image_grid_thw"), None, given.get("mask"))
        return made
    return wrapped(module(config["model_type"], config["model_type"]).Model, "get_input_embeddings", embed)


def text_positions(config: Config) -> Any:
    """A token of text has as many tokens before it as its position says: padding does not count."""
    def call(original, self, inputs, *args, cache=None, **kwargs):
        offset = cache[0].offset if cache and cache[0] is not None else None
        if kwargs.get("position_ids") is None and isinstance(offset, mx.array) and offset.size > 1:
            positions = offset[:, None] + mx.arange(inputs.shape[1])[None]
            kwargs["position_ids"] = mx.broadcast_to(positions[None], (3, *positions.shape))
        return original(self, inputs, *args, cache=cache, **kwargs)
    return wrapped(module(config["model_type"], "language").LanguageModel, "__call__", call)


def rope_parameters(config: Config) -> Any:
    """The text model reads rope_parameters."""
    def read(original, params):
        rope = dict(params.get("rope_parameters") or {})
        stated = {name: rope[name] for name in ("rope_theta", "partial_rotary_factor") if name in rope}
        return original({**params, **stated, **({"rope_scaling": rope} if rope else {})})
    return wrapped(part(config, "config").TextConfig, "from_dict", read)


def tower_biases(config: Config) -> Any:
    """The products of queries, keys and values in the tower have the biases that attention_bias states."""
    def make(original, self, dim, num_heads=16):
        original(self, dim, num_heads)
        self.qkv = nn.Linear(dim, 3 * dim, bias=config["vision_config"]["attention_bias"])
    return wrapped(tower_class(config, "VisionAttention"), "__init__", make)


def tower_activation(config: Config) -> Any:
    """The MLPs of the tower and of its merger use the activation of the config."""
    function = FUNCTIONS[config["vision_config"]["hidden_act"]]

    def mlp(_original, self, x):
        return self.down_proj(function(self.gate_proj(x)) * self.up_proj(x))

    def merge(_original, self, x):
        return mlp(None, self, nn.gelu(self.post_projection_norm(self.proj(x))))
    return both(wrapped(tower_class(config, "VisionMLP"), "__call__", mlp),
                wrapped(tower_class(config, "VisionPatchMerger"), "__call__", merge))


def tied_head(config: Config) -> Any:
    """Without lm_head.weight the head is the embedding."""
    def rename(original, self, weights):
        made = original(self, weights)
        if "language_model.lm_head.weight" not in made:
            made["language_model.lm_head.weight"] = made["language_model.model.embed_tokens.weight"]
        return made
    return wrapped(module(config["model_type"], config["model_type"]).Model, "sanitize", rename)


def table_of_groups(config: Config) -> Any:
    """A table of positions in groups is read as numbers."""
    def read(original, self, *args, **kwargs):
        stored = self.position_embedding
        if isinstance(stored, nn.QuantizedEmbedding):
            self.position_embedding = nn.Embedding(stored.num_embeddings, stored.dims)
            self.position_embedding.weight = mx.dequantize(stored.weight, stored.scales, stored.biases,
                                                           stored.group_size, stored.bits)
        return original(self, *args, **kwargs)
    return wrapped(part(config, "vision").Glm4vVisionEmbeddings, "__call__", read)


def ignored_rope(config: Config) -> Any:
    """The tower's rope_parameters, which transformers writes, are no error."""
    def read(original, params):
        tower = {name: value for name, value in params["vision_config"].items() if name != "rope_parameters"}
        return original({**params, "vision_config": tower})
    return wrapped(module(config["model_type"], "config").ModelConfig, "from_dict", read)
