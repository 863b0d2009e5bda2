"""The format of the checkpoint of a case."""

from __future__ import annotations

import json
from pathlib import Path

from scripts.record.support import h5


def method_of(case: Path) -> str | None:
    """Of the checkpoint of a case: gguf, the quant_method of config.json, or None: it is not quantised, or by mlx-lm."""
    model = case.parent / str(h5.read(case)[1].get("model", "model"))
    if model.suffix == ".gguf":
        return "gguf"
    config = model / "config.json"
    return (json.loads(config.read_text()).get("quantization_config") or {}).get("quant_method") if config.exists() else None
