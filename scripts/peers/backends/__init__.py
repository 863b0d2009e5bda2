"""The peers: how each opens a model, prefills and decodes. A module is imported only inside of the
venv of its peer; what its imports take is told apart from what its model takes."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

MODULES = {"torch": "torch_lm", "llama.cpp": "llama", "openvino": "openvino_lm", "mlx-lm": "mlx"}


class Room(NamedTuple):
    """The most that a peer will be asked for."""
    group: str
    n_samples: int
    n_tokens: int  # of each sample, decoded ones included
    n_threads: int
    how: str = ""  # cells.System


class Peer(Protocol):
    """A model that is open. Both calls return logits of the last position of each sample, float32
    [B, vocabulary], when they are there; they may be overwritten by the next call.

    prefill: int32 [B, T], replacing what was there. step: int32 [B], one more token of each.
    """

    def __init__(self, model: Path, room: Room): ...
    def prefill(self, tokens: np.ndarray) -> Any: ...
    def step(self, tokens: np.ndarray) -> Any: ...


def load(name: str) -> Any:
    """The module of a peer: Peer, version() and describe()."""
    return importlib.import_module(f".{MODULES[name]}", __name__)
