"""Tensors of a model of mlx-lm. mlx has no hooks, so __call__ of the classes of the tapped modules is replaced during a step."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import mlx.core as mx
import numpy as np

from ..engine import Tap


def decoder(model: Any) -> Any:
    """The nested module that has embed_tokens, layers and norm."""
    while "embed_tokens" not in model:
        model = model["language_model"] if "language_model" in model else model["model"]
    return model


def mixer(layer: Any) -> Any:
    """The module of a layer that mixes tokens: attention, or a delta net."""
    return layer["self_attn"] if "self_attn" in layer else layer["linear_attn"]


def places(text: Any) -> dict[int, tuple[Any, str | None, str]]:
    """By id of a module: the module, the name of its argument or None, and the name of its result."""
    found = {id(text.norm): (text.norm, None, "norm")}
    for index, layer in enumerate(text.layers):
        name = f"layer.{index:02d}"
        found[id(layer)] = layer, None if index else "embed", f"{name}.out"
        found[id(mixer(layer))] = mixer(layer), None, f"{name}.attn"
        found[id(layer.mlp)] = layer.mlp, None, f"{name}.mlp"
        if "experts" in layer:
            found[id(layer.experts)] = layer.experts, None, f"{name}.experts"
    return found


@contextlib.contextmanager
def tapped(model: Any, sample: int, tap: Tap | None) -> Iterator[None]:
    if tap is None:
        yield
        return
    text = decoder(model)
    modules = places(text)

    def give(name: str | None, tensor: Any) -> None:
        if name is None or not tap.wants(name):
            return
        if tensor.ndim == 4:  # AltUp: the active stream
            tensor = tensor[text.config.altup_active_idx]
        tap(sample, name, np.array(tensor.astype(mx.float32)).reshape(-1, tensor.shape[-1]))

    def wrap(call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(module: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
            _, before, after = modules.get(id(module), (None, None, None))
            give(before, x)
            out = call(module, x, *args, **kwargs)
            give(after, out[0] if isinstance(out, tuple) else out)
            return out
        return wrapped

    originals = {kind: kind.__call__ for kind in {type(module) for module, _, _ in modules.values()}}
    for kind, call in originals.items():
        kind.__call__ = wrap(call)
    try:
        yield
    finally:
        for kind, call in originals.items():
            kind.__call__ = call
