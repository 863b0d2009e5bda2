"""Tensors of a step of mlx-lm."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from assay.engine import Tap

from .hooks import active_stream, decoder, float32, hooked, text_places


@contextlib.contextmanager
def tapped(model: Any, sample: int, tap: Tap | None) -> Iterator[None]:
    if tap is None:
        yield
        return
    text = decoder(model)

    def give(name: str, tensor: Any) -> None:
        if tap.wants(name):
            tap(sample, name, float32(active_stream(text, tensor)).reshape(-1, tensor.shape[-1]))

    with hooked(text_places(text), give):
        yield
