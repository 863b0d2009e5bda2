"""Tensors of a step of mlx-vlm: of the decoder, and of the tower in the step that gives a sample its images."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.engine import Tap

from .hooks import active_stream, float32, hooked, text_places, tower_places, tower_rows


def adds_features(model: Any) -> bool:
    """Whether features of the tower are added between layers."""
    return bool(getattr(getattr(model, "vision_tower", None), "deepstack_merger_list", None))


@contextlib.contextmanager
def tapped(model: Any, sample: int, tap: Tap | None, media: dict[str, np.ndarray]) -> Iterator[None]:
    """media: the tensors of the sample's images and videos in this step. A step with both is two calls of the tower, or one whose
    result is not that of both: its tower is left out."""
    if tap is None:
        yield
        return
    text = model.language_model.model
    places = text_places(text, adds_features(model))
    if not {"pixel_values", "pixel_values_videos"} <= set(media):
        places |= tower_places(model)

    def give(name: str, tensor: Any) -> None:
        if not tap.wants(name):
            return
        if name.startswith("vision."):
            rows = tower_rows(model, name, float32(tensor).reshape(-1, tensor.shape[-1]), media)
        else:
            rows = float32(active_stream(text, tensor)).reshape(-1, tensor.shape[-1])
        tap(sample, name, np.ascontiguousarray(rows))

    with hooked(places, give):
        yield
