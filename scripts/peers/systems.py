"""The peers: how each opens a checkpoint, prefills and decodes. Imported only where they run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Protocol

import numpy as np


class Peer(Protocol):
    """A model that is open. Both calls return when the logits of the last position are there.

    prefill: int32 [B, T], replacing what was there. step: int32 [B], one more token of each.
    """

    def prefill(self, tokens: np.ndarray) -> None: ...
    def step(self, tokens: np.ndarray) -> None: ...


class Torch:
    """transformers on torch, as `generate` calls it: a cache, logits of the last position alone."""

    def __init__(self, directory: Path):
        import torch
        import transformers
        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(len(os.sched_getaffinity(0)))
        self.torch, self.cache = torch, None
        kind = transformers.AutoModelForCausalLM
        self.model = kind.from_pretrained(directory, dtype="auto").eval()

    @staticmethod
    def version() -> str:
        import torch
        import transformers
        return f"torch {torch.__version__}, transformers {transformers.__version__}"

    def _run(self, tokens: np.ndarray) -> None:
        with self.torch.inference_mode():
            out = self.model(self.torch.from_numpy(tokens.astype(np.int64)), use_cache=True,
                             past_key_values=self.cache, logits_to_keep=1)
        self.cache = out.past_key_values

    def prefill(self, tokens: np.ndarray) -> None:
        self.cache = None
        self._run(tokens)

    def step(self, tokens: np.ndarray) -> None:
        self._run(tokens[:, None])


class MlxLm:
    """mlx-lm on the CPU, as its generate calls it: the prompt fills the cache in pieces of 2048,
    and its last token alone is asked for logits."""

    PIECE = 2048

    def __init__(self, directory: Path):
        import mlx.core as mx
        from mlx_lm.models.cache import make_prompt_cache
        from mlx_lm.utils import load_model
        mx.set_default_device(mx.cpu)
        self.mx, self.make_cache = mx, make_prompt_cache
        self.model: Any = load_model(directory)[0]
        self.cache: list[Any] = []

    @staticmethod
    def version() -> str:
        import importlib.metadata as metadata
        return f"mlx {metadata.version('mlx')}, mlx-lm {metadata.version('mlx-lm')}"

    def prefill(self, tokens: np.ndarray) -> None:
        self.cache = self.make_cache(self.model)
        for start in range(0, tokens.shape[1] - 1, self.PIECE):
            self.model(self.mx.array(tokens[:, start:-1][:, :self.PIECE]), cache=self.cache)
            self.mx.eval([c.state for c in self.cache])
        self.step(tokens[:, -1])

    def step(self, tokens: np.ndarray) -> None:
        logits = self.model(self.mx.array(tokens[:, None]), cache=self.cache)
        self.mx.eval(logits)


SYSTEMS: dict[str, type] = {"torch": Torch, "mlx-lm": MlxLm}
