"""Tensors of one forward pass of a published model, by our names: the places are those at which scripts/record/runs/traces.py
records them. Rows of padding are cut off, and each sample gets its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from assay.engine import Tap
from assay.requests import Step

TOWERS = ("visual", "vision_tower")


def first(out: Any) -> torch.Tensor:
    return out[0] if isinstance(out, tuple) else out


def replaced(out: Any, made: torch.Tensor | None) -> Any:
    """What a hook returns: a module's output with another tensor, or None, which changes nothing."""
    return made if made is None or not isinstance(out, tuple) else (made, *out[1:])


class Hooks:
    """Hooks of one pass over a batch of `n` columns."""

    def __init__(self, model: torch.nn.Module, tap: Tap, steps: list[Step], n: int):
        self.model, self.tap, self.steps, self.n = model, tap, steps, n
        self.text = getattr(model.model, "language_model", model.model)
        self.handles: list[Any] = []

    def show(self, name: str, out: torch.Tensor, factor: float = 1.0) -> torch.Tensor | None:
        """out: [batch, n, width], [batch * n, width], or of AltUp [streams, batch, n, width]. Returns what the pass is to continue with, if
        the tap has written."""
        seen = out[self.text.config.altup_active_idx] if out.dim() == 4 else out
        rows = (seen * factor if factor != 1.0 else seen).reshape(len(self.steps), self.n, -1).float().numpy()
        written: np.ndarray | None = None
        for b, step in enumerate(self.steps):
            begin = self.n - len(step.tokens)
            values = self.tap(step.sample, name, np.ascontiguousarray(rows[b, begin:]))
            if values is not None:
                written = rows.copy() if written is None else written
                written[b, begin:] = values
        if written is None:
            return None
        made = torch.from_numpy(written / np.float32(factor)).to(out.dtype).reshape(seen.shape)
        if out.dim() != 4:
            return made
        whole = out.clone()
        whole[self.text.config.altup_active_idx] = made
        return whole

    def output(self, module: torch.nn.Module, name: str, factor: float = 1.0) -> None:
        if self.tap.wants(name):
            self.handles.append(module.register_forward_hook(
                lambda _m, _a, out: replaced(out, self.show(name, first(out), factor))))

    def input(self, module: torch.nn.Module, name: str) -> None:
        def hook(_module: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            made = self.show(name, args[0] if args else kwargs["hidden_states"])
            if made is None:
                return None
            return ((made, *args[1:]), kwargs) if args else (args, kwargs | {"hidden_states": made})
        if self.tap.wants(name):
            self.handles.append(module.register_forward_pre_hook(hook, with_kwargs=True))

    def add_text(self) -> None:
        layers = self.text.layers
        if any(hasattr(self.model.model, name) for name in TOWERS):
            # features of the tower replace embeddings, and are added between layers
            names = ("embed", *(f"layer.{i:02d}.out" for i in range(len(layers))))
            for module, name in zip((*layers, self.text.norm), names):
                self.input(module, name)
        else:
            self.output(self.text.embed_tokens, "embed", getattr(self.text.config, "embedding_multiplier", 1.0))
            for i, layer in enumerate(layers):
                self.output(layer, f"layer.{i:02d}.out")
        for i, layer in enumerate(layers):
            self.output(layer.self_attn if hasattr(layer, "self_attn") else layer.linear_attn, f"layer.{i:02d}.attn")
            self.output(layer.mlp, f"layer.{i:02d}.mlp")
            if hasattr(layer, "experts"):
                self.output(layer.experts, f"layer.{i:02d}.experts")
        self.output(self.text.norm, "norm")

    # ---- Towers with grids ----

    def shares(self) -> list[tuple[int, int]]:
        """(sample, patches) of the samples whose images and videos begin in this pass."""
        found = []
        for step in self.steps:
            grids = [grid for item in step.items for name, grid in item.tensors.items() if name.endswith("_grid_thw")]
            if grids:
                found.append((step.sample, sum(int(np.prod(row)) for grid in grids for row in grid)))
        return found

    def show_tower(self, name: str) -> Callable[..., Any]:
        def hook(_module: object, _args: object, out: Any) -> Any:
            rows = first(out).reshape(-1, first(out).shape[-1]).float().numpy()
            written: np.ndarray | None = None
            total, begin = sum(patches for _, patches in self.shares()), 0
            for sample, patches in self.shares():
                end = begin + patches * len(rows) // total
                values = self.tap(sample, name, np.ascontiguousarray(rows[begin:end]))
                if values is not None:
                    written = rows.copy() if written is None else written
                    written[begin:end] = values
                begin = end
            made = None if written is None else torch.from_numpy(written).to(first(out).dtype).reshape(first(out).shape)
            return replaced(out, made)
        return hook

    def add_tower(self, tower: torch.nn.Module) -> None:
        """Only of towers whose rows are in the order of the images: Qwen2.5-VL's windows are not, and steps with images and
        videos, which are two calls of the tower, are not divided."""
        kinds = {item.kind for step in self.steps for item in step.items}
        if not hasattr(tower, "blocks") or hasattr(tower, "window_size") or len(kinds) != 1:
            return
        merger = tower.merger if hasattr(tower, "merger") else self.model.model.resampler_model  # ERNIE's
        modules = [(tower.patch_embed, "vision.patch"), (merger, "vision.merged")]
        modules += [(block, f"vision.{i:02d}.out") for i, block in enumerate(tower.blocks)]
        modules += [(one, f"vision.deepstack.{i}") for i, one in enumerate(getattr(tower, "deepstack_merger_list", ()))]
        for module, name in modules:
            if self.tap.wants(name):
                self.handles.append(module.register_forward_hook(self.show_tower(name)))


@contextlib.contextmanager
def taps(model: torch.nn.Module, tap: Tap | None, steps: list[Step], n: int) -> Iterator[None]:
    if tap is None:
        yield
        return
    hooks = Hooks(model, tap, steps, n)
    try:
        hooks.add_text()
        for name in TOWERS:
            if (tower := getattr(model.model, name, None)) is not None:
                hooks.add_tower(tower)
        yield
    finally:
        for handle in hooks.handles:
            handle.remove()
