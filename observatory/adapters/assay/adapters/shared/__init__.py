"""What several adapters do alike."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from assay.errors import FormatError, Unsupported

AUDIO = ("input_features", "feature_attention_mask")  # tensors of audio clips, of different lengths


def new_number(samples: Collection[int]) -> int:
    """The smallest number that no sample has."""
    return next(n for n in range(len(samples) + 1) if n not in samples)


def sorted_ids(ids: int | list[int] | None) -> list[int]:
    """The ids of a member such as eos_token_id."""
    return [] if ids is None else [ids] if isinstance(ids, int) else sorted(set(ids))


def padded(arrays: list[np.ndarray]) -> np.ndarray:
    """Arrays [1, ...] one after the other, with zeros at the end of the last axis of those that are shorter there."""
    width = max(array.shape[-1] for array in arrays)
    return np.concatenate([np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, width - a.shape[-1])]) for a in arrays])


def refuse_quantised(config: dict[str, Any]) -> None:
    if "quantization" in config or "quantization_config" in config:
        raise Unsupported("config.json: quantization is not supported")


def refuse_attention_to_images(config: dict[str, Any]) -> None:
    """Of models whose layers attend to images (mllama): decoded tokens need a mask of images, and placeholders have ids beyond the
    vocabulary."""
    if "cross_attention_layers" in config.get("text_config", {}):
        raise Unsupported("config.json: attention to images (cross_attention_layers) is not supported")


def refuse_random_weights(directory: str, name: str, info: dict[str, Iterable[Any]]) -> None:
    """info: of from_pretrained with output_loading_info. transformers would go on with random weights in place of those that are
    missing or do not fit the class `name`."""
    for what in ("missing_keys", "mismatched_keys"):
        if found := sorted(map(str, info[what])):
            raise FormatError(f"{directory}: {what} of {name}: {found[:3]}")
