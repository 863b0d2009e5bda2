"""Runs compressed-tensors' own forward on its checkpoints: transformers loads the codes as they are stored, without `dequantize`; the package decompresses a
matrix at its first product, and rounds the inputs of products as `config_groups` says: observations to compare, never goldens."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import torch
import transformers

from scripts.record.checkpoint.checkpoint import quiet

from . import stored

SYSTEM = "compressed-tensors"


def load(model: Path, _method: str | None) -> stored.Loaded:
    quiet()
    torch.manual_seed(0)  # for weights that the loader leaves random
    return stored.Loaded(lambda: transformers.AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32, attn_implementation="eager"),
                         {}, torch.float32)


def observe(case: Path) -> str:
    return stored.observe_as(SYSTEM, load, f"compressed-tensors {version('compressed-tensors')}: stored codes, decompressed by its forward", case)
