"""Repairs of mlx-vlm's Moondream 3."""

from __future__ import annotations

from typing import Any

import mlx.core as mx

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config

FAMILY = "moondream3"


def prefix_mask(config: Config) -> Any:
    """The language model takes the mask that the model makes for a prompt with an image, the part of it for each step."""
    def call(original, self, inputs, *args, cache=None, mask=None, attention_mask_4d=None, **kwargs):
        if attention_mask_4d is not None and mask is None:
            embeds = kwargs.get("inputs_embeds")
            n, first = (inputs if embeds is None else embeds).shape[1], cache[0].offset if cache else 0
            rows = attention_mask_4d[:, :, first:first + n, :first + n]
            mask = rows if rows.shape[2] == n else None
        return original(self, inputs, *args, cache=cache, mask=mask, **kwargs)
    return wrapped(module(FAMILY, "language").LanguageModel, "__call__", call)


def no_padding(config: Config) -> Any:
    """Padding, whose positions are negative, has the scales of the first position."""
    def scale(original, self, qkv_cat, positions):
        return original(self, qkv_cat, mx.maximum(positions, 0))
    return wrapped(module(FAMILY, "language").Tau, "__call__", scale)
