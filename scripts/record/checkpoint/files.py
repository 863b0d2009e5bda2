"""Files of weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file


def save_shards(directory: Path, state: dict[str, torch.Tensor], n_shards: int, form: str = "pt") -> None:
    """Writes model.safetensors, or shards with an index; the tensors of a layer go to different shards. form: as in save."""
    for old in directory.glob("model*.safetensors*"):
        old.unlink()
    if n_shards == 1:
        save(state, directory / "model.safetensors", form)
        return
    weight_map: dict[str, str] = {}
    for shard in range(n_shards):
        file = f"model-{shard + 1:05d}-of-{n_shards:05d}.safetensors"
        names = sorted(state)[shard::n_shards]
        save({name: state[name] for name in names}, directory / file, form)
        weight_map |= dict.fromkeys(names, file)
    total = sum(tensor.numel() * tensor.element_size() for tensor in state.values())
    index: dict[str, Any] = {"metadata": {"total_size": total},
                             "weight_map": dict(sorted(weight_map.items()))}
    text = json.dumps(index, indent=2)
    (directory / "model.safetensors.index.json").write_text(text + "\n")


def save(state: dict[str, torch.Tensor], path: Path, form: str = "pt") -> None:
    """Writes one file, readable by all users (the library makes it private). form: pt or mlx, whose reader takes names and
    layouts of mlx files as they are."""
    save_file(state, path, {"format": form})
    path.chmod(0o644)
