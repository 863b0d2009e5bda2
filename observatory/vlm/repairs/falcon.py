"""Repairs of mlx-vlm's Falcon-OCR."""

from __future__ import annotations

from typing import Any

import mlx.core as mx

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config

FAMILY = "falcon_ocr"


def all_grids(config: Config) -> Any:
    """The patches of every image of a prompt have places, not those of the first alone."""
    def index(original, self, input_ids, image_grid_hw=None):
        return original(self, input_ids.reshape(-1), image_grid_hw)
    return wrapped(module(FAMILY, "language").LanguageModel, "get_rope_index", index)


def own_deltas(config: Config) -> Any:
    """A prompt without images does not take the positions of the prompt before it."""
    def embed(original, self, input_ids=None, pixel_values=None, **kwargs):
        if pixel_values is None:
            self.language_model._rope_deltas = None
        return original(self, input_ids, pixel_values, **kwargs)
    return wrapped(module(FAMILY, FAMILY).Model, "get_input_embeddings", embed)


def text_positions(config: Config) -> Any:
    """A token of a batch of text has as many tokens before it as its position says: padding does not count."""
    def call(original, self, inputs, *args, cache=None, **kwargs):
        offset = cache[0].offset if cache and cache[0] is not None else None
        if isinstance(offset, mx.array) and offset.size > 1 and kwargs.get("rope_deltas") is None:
            kwargs["rope_deltas"] = mx.zeros((offset.size, 1), dtype=mx.int32)
        return original(self, inputs, *args, cache=cache, **kwargs)
    return wrapped(module(FAMILY, "language").LanguageModel, "__call__", call)
