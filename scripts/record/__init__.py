"""Records the goldens: tiny checkpoints, their float64 truth, and the results of other systems on them."""

from __future__ import annotations

import sys
from pathlib import Path

# The package `assay` has the places of tensors in models of MLX (assay.adapters.mlx_hooks).
PACKAGE = str(Path(__file__).parents[2] / "adapters/python")
if PACKAGE not in sys.path:
    sys.path.append(PACKAGE)
