"""Traces of vision towers. Rows are patches, or merged patches, in the order of the tower's input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from transformers.vision_utils import get_vision_window_index

ATTRIBUTES = ("visual", "vision_tower")  # of the multimodal model


def find(model: torch.nn.Module) -> torch.nn.Module | None:
    """The vision tower of a multimodal model."""
    return next((tower for name in ATTRIBUTES if (tower := getattr(model.model, name, None)) is not None), None)


def hear(trace: dict, name: str) -> Callable:
    """A pre-hook that traces a module's hidden states."""
    def store(_module, args, kwargs):
        states = args[0] if args else kwargs["hidden_states"]
        trace[name] = states.reshape(-1, states.shape[-1]).numpy().copy()
    return store


class Order:
    """The order of a tower's rows inside its layers: that of its input, or window by window (Qwen2.5-VL)."""

    def __init__(self, tower: torch.nn.Module):
        self.tower = tower
        self.back: np.ndarray | None = None  # by merged patch of the input: its place in the layers

    def begin(self, _module, args, kwargs) -> None:
        """A pre-hook of the tower."""
        if not hasattr(self.tower, "window_size"):
            return
        grids = kwargs.get("grid_thw", args[1] if len(args) > 1 else None)
        config = self.tower.config
        index, _ = get_vision_window_index(grids, config.spatial_merge_size, config.window_size, config.patch_size)
        self.back = np.argsort(index.numpy())

    def undo(self, rows: np.ndarray) -> np.ndarray:
        """rows [P, D] in the order of the input."""
        if self.back is None:
            return rows
        unit = len(rows) // len(self.back)
        return rows.reshape(len(self.back), unit, -1)[self.back].reshape(len(rows), -1)


def hooks(tower: torch.nn.Module, trace: dict[str, np.ndarray]) -> list:
    """Handles of hooks that trace `vision.patch` (after the patch embedding, before positions), `vision.NN.out`,
    `vision.merged` and `vision.deepstack.K`: of all images of a prompt, one after the other; [patches, D], or one
    row for each placeholder token."""
    order = Order(tower)

    def store(name: str, ordered: bool) -> Callable:
        def hook(_module, _args, out):
            out = out[0] if isinstance(out, tuple) else out
            rows = out.reshape(-1, out.shape[-1]).numpy().copy()
            trace[name] = rows if ordered else order.undo(rows)
        return hook

    modules = [(tower.patch_embed, "vision.patch", True), (tower.merger, "vision.merged", False)]
    modules += [(layer, f"vision.{i:02d}.out", False) for i, layer in enumerate(tower.blocks)]
    modules += [(merger, f"vision.deepstack.{i}", True)
                for i, merger in enumerate(getattr(tower, "deepstack_merger_list", ()))]
    return [tower.register_forward_pre_hook(order.begin, with_kwargs=True),
            *(module.register_forward_hook(store(name, ordered)) for module, name, ordered in modules)]
