"""Repairs of mlx-vlm's HunYuanVL."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import mlx.core as mx
import numpy as np

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config

FAMILY = "hunyuan_vl"


def axes_of_elements(config: Config) -> Any:
    """The angles of all elements of a head are divided among the axes, as in transformers."""
    def rotate(original, q, k, cos, sin, position_ids, sections, output_size):
        # 2·section of each axis, where the original repeats the list: its own code then takes part i from axis i
        class Doubled(list):
            def __mul__(self, n: int) -> list:
                return [n * size for size in self]
        return original(q, k, cos, sin, position_ids, Doubled(sections), output_size)
    return wrapped(module(FAMILY, "language"), "apply_rotary_pos_emb_xdrope", rotate)


def table_taps(config: Config) -> Any:
    """The table is resampled as torch does without aligned corners: no tenth of a patch, no extrapolation at its border."""
    def resample(original, self, table, height, width):
        for axis, n in ((1, height), (2, width)):
            side = table.shape[axis]
            source = np.maximum((np.arange(n) + 0.5) * side / n - 0.5, 0)
            low = np.minimum(source.astype(int), side - 1)
            high, part = np.minimum(low + 1, side - 1), source - low
            shape = [1, 1, 1, 1]
            shape[axis] = n
            part = mx.array(part.reshape(shape).astype(np.float32))
            table = (1 - part) * mx.take(table, mx.array(low), axis) + part * mx.take(table, mx.array(high), axis)
        return table
    return wrapped(module(FAMILY, "vision").PatchEmbed, "_interpolate_pos_embed", resample)


@contextlib.contextmanager
def image_segments(config: Config) -> Iterator[None]:
    """The patches of an image attend to those of that image alone."""
    grids: list = []

    def tower(original, self, pixels, grid_thw):
        grids[:] = [int(np.prod(grid)) for grid in np.array(grid_thw)]
        return original(self, pixels, grid_thw)

    def attend(original, self, x, *args, **kwargs):
        ends = np.cumsum([0, *grids])
        return mx.concatenate([original(self, x[:, a:b], *args, **kwargs) for a, b in zip(ends, ends[1:])], axis=1)

    vision = module(FAMILY, "vision")
    with wrapped(vision.VisionModel, "__call__", tower), wrapped(vision.VisionAttention, "__call__", attend):
        yield


def image_numbers(config: Config) -> Any:
    """The last axis of an image's tokens is the number of the image; what the processor returns is not read."""
    def embed(original, self, input_ids, pixel_values=None, **kwargs):
        positions = kwargs.get("position_ids")
        if positions is not None and pixel_values is not None:
            kwargs["position_ids"] = numbered(np.array(positions), np.array(input_ids), self.config.image_token_id)
        made = original(self, input_ids, pixel_values, **kwargs)
        made.position_ids = kwargs.get("position_ids")
        return made
    return wrapped(module(FAMILY, FAMILY).Model, "get_input_embeddings", embed)


def numbered(positions: np.ndarray, ids: np.ndarray, image: int) -> Any:
    """positions [B, 4, n] with the number of the image on the last axis, in the runs of its tokens but the first and last."""
    positions = positions.copy()
    for row, tokens in enumerate(ids):
        places = np.flatnonzero(tokens == image)
        runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)
        for number, run in enumerate(runs):
            positions[row, 3, run[1:-1]] = number
    return mx.array(positions)


@contextlib.contextmanager
def request_positions(config: Config) -> Iterator[None]:
    """The positions of a request are padded as its embeddings are, those of another one are forgotten, and a decoded token is at the
    number of its own row's tokens."""
    from mlx_vlm.generate import ar
    language = module(FAMILY, "language")

    def join(original, key, rows):
        if key == "position_ids":
            rows = [row[:, -4:] for row in rows]  # the axes of a prompt of four tokens are padded, too
            longest = max(row.shape[-1] for row in rows)
            rows = [mx.pad(row, [(0, 0), (0, 0), (longest - row.shape[-1], 0)]) for row in rows]
        return original(key, rows)

    given: list = []  # the positions of the latest call

    def call(original, self, *args, **kwargs):
        self._position_ids = None
        given[:] = [kwargs.get("position_ids")]
        return original(self, *args, **kwargs)

    def place(original, self, input_ids=None, inputs_embeds=None, mask=None, cache=None, position_ids=None):
        rows, n = (input_ids if inputs_embeds is None else inputs_embeds).shape[:2]
        if given[0] is not None:  # of all columns of the prompt, of which some have been evaluated
            position_ids = given[0][..., cache[0]._idx:cache[0]._idx + n]
        if position_ids is None:
            first = mx.broadcast_to(mx.array(cache[0].offset), (rows,))
            position_ids = mx.broadcast_to((first[:, None] + mx.arange(n))[:, None], (rows, 4, n))
        return original(self, input_ids, inputs_embeds, mask, cache, position_ids)

    with (wrapped(ar, "_concat_prompt_kwarg_rows", join), wrapped(language.LanguageModel, "__call__", call),
          wrapped(language.HunyuanModel, "__call__", place),
          wrapped(language, "cache_position_offset", lambda original, cache: 0),
          wrapped(language.HunyuanRotaryEmbedding, "__call__", lambda original, self, x, seq_len: original(self, x, 4096))):
        yield
