"""mlx-lm on the CPU, as its generate calls it: the prompt fills the cache in pieces of 2048 tokens, and
logits are computed only for its last token."""

from __future__ import annotations

import importlib.metadata as metadata
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.utils import load_model

from . import Capacity

PIECE = 2048


class Peer:
    def __init__(self, model: Path, capacity: Capacity):
        mx.set_default_device(mx.cpu)
        self.model: Any = load_model(model)[0]
        self.cache: list[Any] = []

    def prefill(self, tokens: np.ndarray) -> np.ndarray:
        self.cache = make_prompt_cache(self.model)
        for start in range(0, tokens.shape[1] - 1, PIECE):
            self.model(mx.array(tokens[:, start:-1][:, :PIECE]), cache=self.cache)
            mx.eval([c.state for c in self.cache])
        return self.step(tokens[:, -1])

    def step(self, tokens: np.ndarray) -> np.ndarray:
        logits = self.model(mx.array(tokens[:, None]), cache=self.cache)[:, -1]
        return np.array(logits.astype(mx.float32))


def version() -> str:
    return f"mlx {metadata.version('mlx')}, mlx-lm {metadata.version('mlx-lm')}"


def describe() -> str:
    return "its processor backend"
