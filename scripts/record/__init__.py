"""Records the goldens: tiny checkpoints, their float64 truth, and the results of other systems on them."""

from __future__ import annotations

# The package `assay` has the places of tensors in models of MLX (assay.adapters.mlx_hooks).
from scripts import engines_package  # noqa: F401 # makes assay importable

from . import timm_models

timm_models.prepare()
