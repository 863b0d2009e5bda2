"""Repairs of mlx-vlm's Gemma 3n: of its copy of timm's encoder, and of its embeddings of ids. Each says what holds once it is made."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config

FAMILY = "gemma3n"
EPSILON = 1e-6


def vision() -> Any:
    return module(FAMILY, "vision")


def tower_epsilons(config: Config) -> Any:
    """Every norm of the encoder has an epsilon of 1e-6."""
    def make(original, self, *args, **kwargs):
        original(self, *args, **kwargs)
        self.eps = EPSILON
    return wrapped(vision().RMSNormAct2d, "__init__", make)


def tower_activations(config: Config) -> Any:
    """The encoder's GELU is the approximation by tanh."""
    def make(original, self, *args, **kwargs):
        original(self, *args, **kwargs)
        if isinstance(self.act, nn.GELU):
            self.act = nn.GELU(approx="tanh")
    return wrapped(vision().RMSNormAct2d, "__init__", make)


def key_padding(config: Config) -> Any:
    """The convolutions of keys and values have the padding of the other convolutions with a stride."""
    parts = vision()

    def make(original, in_channels, out_channels, kernel_size, stride=1, dilation=1, depthwise=False, bias=False, **others):
        if not depthwise:
            return original(in_channels, out_channels, kernel_size, stride=stride, dilation=dilation, bias=bias, **others)
        return parts.Conv2dSame(in_channels, out_channels, kernel_size=kernel_size, stride=stride, padding=0,
                                dilation=(dilation, dilation), groups=in_channels, bias=bias)
    return wrapped(parts, "create_conv2d", make)


def token_order(config: Config) -> Any:
    """The rows of the output are in the order of the image, row by row. They are means where the size of the output divides that of
    the image, else interpolated linearly. They are normalised in both cases."""
    def call(original, self, inputs):
        high = inputs[0].shape[1:3]
        rows = []
        for image in inputs:
            n = image.shape[1:3]
            at = [mx.array([int(i * (n[a] / high[a])) for i in range(high[a])]) for a in (0, 1)]
            rows.append(image[:, at[0]][:, :, at[1]])
        image = self.ffn(mx.concatenate(rows, axis=-1))
        for axis in (1, 2):
            image = resampled(image, axis, self.output_resolution[axis - 1], high, self.output_resolution)
        return self.norm(image)
    return wrapped(vision().MobileNetV5MultiScaleFusionAdapter, "__call__", call)


def resampled(image: mx.array, axis: int, side: int, high: tuple, out: tuple) -> mx.array:
    """One axis of an image [B, h, w, C]: means if the output divides the image, else two taps."""
    n = image.shape[axis]
    if high[0] % out[0] == 0 and high[1] % out[1] == 0:
        shape = (*image.shape[:axis], side, n // side, *image.shape[axis + 1:])
        return image.reshape(shape).mean(axis=axis + 1)
    places = [max((i + 0.5) * n / side - 0.5, 0) for i in range(side)]
    first = [int(place) for place in places]
    second = [min(i + 1, n - 1) for i in first]
    weight = mx.array([place - i for place, i in zip(places, first)]).reshape([side if a == axis else 1 for a in range(4)])
    return mx.take(image, mx.array(first), axis) * (1 - weight) + mx.take(image, mx.array(second), axis) * weight


class Scaled(nn.Module):
    """A table of embeddings, times a factor."""

    def __init__(self, table: nn.Module, factor: float):
        super().__init__()
        self.table, self.factor = table, factor

    def __call__(self, ids: mx.array) -> mx.array:
        return self.table(ids) * self.factor


def scaled_embeddings(config: Config) -> Any:
    """The embeddings of a prompt are scaled as those of decoded tokens are."""
    def embed(original, self, *args, **kwargs):
        text = self.language_model.model
        table = text.embed_tokens
        text.embed_tokens = Scaled(table, text.hidden_size ** 0.5)
        try:
            return original(self, *args, **kwargs)
        finally:
            text.embed_tokens = table
    return wrapped(module(FAMILY, FAMILY).Model, "get_input_embeddings", embed)


class Before:
    """A cache whose offset is `n` tokens smaller."""

    def __init__(self, cache: Any, n: int):
        self.cache, self.offset = cache, cache.offset - n

    def __getattr__(self, name: str) -> Any:
        return getattr(self.cache, name)


def shared_offset(config: Config) -> Any:
    """A layer that shares another layer's keys rotates its queries by the offset before this step; the other layer has advanced it
    already."""
    def attend(original, self, x, mask=None, cache=None):
        shares = self.is_kv_shared_layer and cache is not None
        return original(self, x, mask, Before(cache, x.shape[1]) if shares else cache)
    return wrapped(module(FAMILY, "language").Gemma3nAttention, "__call__", attend)


# The repairs of the encoder.
TOWER = (tower_epsilons, tower_activations, key_padding, token_order)
