"""Checkpoints that a published tool has quantised: their files, and their weights for the published model."""

from __future__ import annotations

from pathlib import Path

import torch

from ..variants.variant import Stored
from . import exact, gguf_names
from .exact import Inputs
from .gguf_names import ROPE_FACTORS as ROPE_FACTORS


def model_file(stored: Stored | None) -> str:
    """The file that a case names as its checkpoint; empty: its directory."""
    how = stored.how if stored else {}
    if "gguf" not in how:
        return ""
    return f"model-00001-of-{how['files']:05d}.gguf" if how.get("parts") else "model.gguf"


def read(stored: Stored, directory: Path) -> tuple[dict[str, torch.Tensor], dict[str, tuple[Inputs, ...]]]:
    """(weights, inputs of products) by the names of the published model; ROPE_FACTORS besides, where the file has them."""
    found, inputs = (gguf_names if "gguf" in stored.how else exact).read(directory)
    return exact.fused_state(found), exact.fused_inputs(inputs)


def divide_frequencies(model: torch.nn.Module, factors: torch.Tensor) -> None:
    """Gives a model the frequencies of rope without scaling, divided by these factors. Raises RuntimeError if they are not about those of its
    config."""
    rotary = model.model.rotary_emb
    size, theta = 2 * len(factors), rotary.config.rope_parameters["rope_theta"]
    powers = torch.arange(0, size, 2, dtype=torch.float64) / size
    plain = (1.0 / theta ** powers / factors).to(rotary.inv_freq.dtype)
    if not torch.allclose(plain, rotary.inv_freq, rtol=1e-6):
        raise RuntimeError(f"the factors of rope in the file are not those of {rotary.config.rope_parameters}")
    rotary.inv_freq, rotary.original_inv_freq = plain, plain.clone()
