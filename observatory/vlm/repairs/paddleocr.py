"""Repairs of mlx-vlm's PaddleOCR-VL."""

from __future__ import annotations

from typing import Any

import mlx.nn as nn

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config

FAMILY = "paddleocr_vl"


def projector_width(config: Config) -> Any:
    """The projector has as many outputs as the language model is wide."""
    def make(original, self, *args, **kwargs):
        original(self, *args, **kwargs | {"context_dim": config["hidden_size"]})
    return wrapped(module(FAMILY, "vision").PaddleOCRProjector, "__init__", make)


def projector_epsilon(config: Config) -> Any:
    """The norm of the projector has the epsilon of the published class."""
    def make(original, self, dim, *args, **kwargs):
        original(self, dim, *args, **kwargs)
        self.pre_norm = nn.LayerNorm(dim, eps=1e-5)
    return wrapped(module(FAMILY, "vision").PaddleOCRProjector, "__init__", make)


def request_positions(config: Config) -> Any:
    """The positions of a request and its delta of decode are returned with its embeddings."""
    def embed(original, self, input_ids, pixel_values=None, **kwargs):
        made = original(self, input_ids, pixel_values, **kwargs)
        positions, deltas = self.language_model.get_rope_index(
            input_ids, kwargs.get("image_grid_thw"), None, kwargs.get("mask"))
        made.position_ids, made.rope_deltas = positions, deltas
        return made
    return wrapped(module(FAMILY, FAMILY).Model, "get_input_embeddings", embed)


def mlp_biases(config: Config) -> Any:
    """The MLPs of the language model have the biases that use_bias states."""
    def make(original, self, dim, hidden_dim, bias=False):
        original(self, dim, hidden_dim, bias=config["use_bias"])
    return wrapped(module(FAMILY, "language").MLP, "__init__", make)


def no_biases(config: Config) -> Any:
    """Without use_bias no product of the language model has a bias."""
    def read(original, params):
        params.setdefault("use_bias", False)
        return original(params)
    return wrapped(module(FAMILY, "config").ModelConfig, "from_dict", read)


def tied_head(config: Config) -> Any:
    """Without lm_head.weight the head is the embedding."""
    def rename(original, self, weights):
        head = {"lm_head.weight": weights["model.embed_tokens.weight"]}
        return original(self, (head if "lm_head.weight" not in weights else {}) | weights)
    return wrapped(module(FAMILY, FAMILY).Model, "sanitize", rename)
