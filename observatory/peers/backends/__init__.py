"""The peers: how each opens a model, prefills and decodes. A module is imported only inside the venv of
its peer; its import time is measured separately from its model's loading time."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

IMAGE_MODULES = {"torch": "torch_vlm", "openvino-images": "openvino_vlm"}
MODULES = {"torch": "torch_lm", "llama.cpp": "llama", "openvino": "openvino_lm", "mlx-lm": "mlx"}


class Capacity(NamedTuple):
    """The capacity that a peer has to provide."""
    group: str
    n_samples: int
    n_tokens: int  # of each sample, including decoded tokens
    n_threads: int
    how: str = ""  # cells.System


class Peer(Protocol):
    """An open model. Both calls compute and return the logits of the last position of each sample, float32
    [B, vocabulary]; the next call may overwrite them.

    prefill: int32 [B, T], replaces the contents of the cache. step: int32 [B], one more token of each
    sample.
    """

    def __init__(self, model: Path, capacity: Capacity): ...
    def prefill(self, tokens: np.ndarray) -> Any: ...
    def step(self, tokens: np.ndarray) -> Any: ...


class Images(NamedTuple):
    """The images of one prompt. pixels: float32 [patches of all, row]. grid: int64 [n, 3]."""
    pixels: np.ndarray
    grid: np.ndarray


class ImagePeer(Protocol):
    """An open model with a tower. prefill: int32 [1, T] with placeholders; logits as of Peer."""

    def __init__(self, model: Path, capacity: Capacity): ...
    def prefill(self, tokens: np.ndarray, images: Images) -> Any: ...


def load(name: str, images: bool = False) -> Any:
    """The module of a peer, with Peer (ImagePeer if for images), version() and describe()."""
    return importlib.import_module(f".{(IMAGE_MODULES if images else MODULES)[name]}", __name__)
