"""transformers on torch, as `generate` calls it: with a cache, logits of the last position only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import transformers
from transformers import AutoModelForCausalLM

from . import Capacity


class Peer:
    def __init__(self, model: Path, capacity: Capacity):
        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(capacity.n_threads)
        self.cache = None
        self.model = AutoModelForCausalLM.from_pretrained(model, dtype=capacity.how or "auto").eval()

    def _run(self, tokens: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            out = self.model(torch.from_numpy(tokens.astype(np.int64)), use_cache=True,
                             past_key_values=self.cache, logits_to_keep=1)
        self.cache = out.past_key_values
        return out.logits[:, -1].float().numpy()

    def prefill(self, tokens: np.ndarray) -> np.ndarray:
        self.cache = None
        return self._run(tokens)

    def step(self, tokens: np.ndarray) -> np.ndarray:
        return self._run(tokens[:, None])


def version() -> str:
    return f"torch {torch.__version__}, transformers {transformers.__version__}"


def describe() -> str:
    return f"kernels for {torch.backends.cpu.get_cpu_capability()}, oneDNN " + (
        "with bf16" if torch.ops.mkldnn._is_mkldnn_bf16_supported() else "without bf16")
