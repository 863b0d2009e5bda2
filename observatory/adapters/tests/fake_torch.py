"""As much of torch as the hooks of the transformers adapter use, on numpy: for tests where torch is not installed."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np


class Tensor(np.ndarray):
    def dim(self) -> int:
        return self.ndim

    def float(self) -> Tensor:
        return self.astype(np.float32)

    def to(self, dtype: np.dtype) -> Tensor:
        return self.astype(dtype)

    def clone(self) -> Tensor:
        return self.copy()

    def numpy(self) -> np.ndarray:
        return self.view(np.ndarray)


class Handle:
    def __init__(self, hooks: list[Any], hook: Any):
        self.hooks, self.hook = hooks, hook

    def remove(self) -> None:
        self.hooks.remove(self.hook)


class Module:
    def __init__(self) -> None:
        self.before: list[Any] = []
        self.after: list[Any] = []

    def register_forward_pre_hook(self, hook: Any, with_kwargs: bool) -> Handle:
        self.before.append(hook)
        return Handle(self.before, hook)

    def register_forward_hook(self, hook: Any) -> Handle:
        self.after.append(hook)
        return Handle(self.after, hook)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for hook in self.before:
            args, kwargs = hook(self, args, kwargs) or (args, kwargs)
        out = self.forward(*args, **kwargs)  # type: ignore[attr-defined]
        for hook in self.after:
            made = hook(self, args, out)
            out = out if made is None else made
        return out


def module() -> ModuleType:
    torch = ModuleType("torch")
    torch.nn = ModuleType("torch.nn")  # type: ignore[attr-defined]
    torch.Tensor, torch.from_numpy = Tensor, lambda array: array.view(Tensor)  # type: ignore[attr-defined]
    torch.nn.Module, torch.nn.ModuleList = Module, list  # type: ignore[attr-defined]
    return torch
