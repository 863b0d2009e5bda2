"""transformers on torch, prefill of prompts with images: the tower, and logits of the last position only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
import transformers
from transformers import AutoModelForImageTextToText

from . import Capacity, Images
from .torch_lm import describe, version

__all__ = ["Peer", "describe", "version"]


class Peer:
    """Attention by torch's fused function, in tower and text model."""

    def __init__(self, model: Path, capacity: Capacity):
        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        torch.set_num_threads(capacity.n_threads)
        self.model = AutoModelForImageTextToText.from_pretrained(
            model, dtype="auto", attn_implementation=capacity.how or "sdpa").eval()

    def prefill(self, tokens: np.ndarray, images: Images) -> np.ndarray:
        ids = torch.from_numpy(tokens.astype(np.int64))
        with torch.inference_mode():
            out = self.model(
                input_ids=ids, mm_token_type_ids=(ids == self.model.config.image_token_id).int(),
                pixel_values=torch.from_numpy(images.pixels),
                image_grid_thw=torch.from_numpy(images.grid), use_cache=True, logits_to_keep=1)
        return out.logits[:, -1].float().numpy()
