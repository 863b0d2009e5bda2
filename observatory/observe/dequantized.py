"""Runs bitsandbytes checkpoints of 4 bit with the weights that `model.dequantize()` of transformers gives: observations to compare, never goldens."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import torch

from . import stored

SYSTEM = "transformers-dequantized"


def load(model: Path, method: str | None) -> stored.Loaded:
    loaded = stored.load(model, method)
    loaded.model = loaded.model.dequantize()
    torch.nn.Module.float(loaded.model)  # it gives matrices in bfloat16
    return loaded


def observe(case: Path) -> str:
    return stored.observe_as(SYSTEM, load, f"bitsandbytes {version('bitsandbytes')}: weights of model.dequantize()", case)
