"""Repairs of mlx-vlm's ERNIE 4.5 VL."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import mlx.core as mx

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config

FAMILY = "ernie4_5_moe_vl"
IDS = ("im_patch_id", "image_start_token_id", "image_end_token_id")


def experts_by_token(config: Config) -> Any:
    """The tokens and the marks of an image have the experts of images."""
    def call(original, self, inputs, *args, **kwargs):
        own = sum((inputs == config[name]).astype(mx.int32) for name in IDS)
        return original(self, inputs, *args, **kwargs | {"token_type_ids": own})
    return wrapped(module(FAMILY, "language").Ernie4_5Model, "__call__", call)


@contextlib.contextmanager
def request_positions(config: Config) -> Iterator[None]:
    """The positions of a request and its delta of decode are returned with its embeddings, [3, B, T] as the batch generator
    joins them, and are [B, T, 3] where the language model takes them."""
    def embed(original, self, input_ids, pixel_values=None, **kwargs):
        made = original(self, input_ids, pixel_values, **kwargs)
        positions, made.rope_deltas = self.language_model.get_rope_index(
            input_ids, kwargs.get("image_grid_thw"), None, kwargs.get("mask"))
        made.position_ids = positions.transpose(2, 0, 1)
        return made

    def call(original, self, *args, position_ids=None, **kwargs):
        if position_ids is None:
            return original(self, *args, **kwargs)
        made = original(self, *args, position_ids=position_ids.transpose(1, 2, 0), **kwargs)
        self._rope_deltas = kwargs.get("rope_deltas")  # without one, decoded tokens are placed as a prompt of their own
        return made

    with (wrapped(module(FAMILY, FAMILY).Model, "get_input_embeddings", embed),
          wrapped(module(FAMILY, "language").LanguageModel, "__call__", call)):
        yield


def image_segments(config: Config) -> Any:
    """Each image has a segment of its own, also the third and those after it."""
    def attend(original, self, x, cu_seqlens, rotary_pos_emb=None):
        ends = cu_seqlens.tolist()
        return mx.concatenate([original(self, x[start:end], mx.array([0, end - start]), rotary_pos_emb[start:end])
                               for start, end in zip(ends, ends[1:])])
    return wrapped(module(FAMILY, "vision").VisionAttention, "__call__", attend)


def experts_without_biases(config: Config) -> Any:
    """use_bias is not of the experts."""
    def make(original, self, *args, bias=False, **kwargs):
        original(self, *args, **kwargs)
    return wrapped(module(FAMILY, "language").SwitchGLU, "__init__", make)
