"""One forward pass of a published model in which one decoder layer computes: the layers before it return what they
returned earlier, and the pass ends behind it. What the model does between layers is the published code.

The output of the last layer before it is the stored one. Those of earlier layers are NaN: if a model used them again, its
result would be NaN, and it cannot be cut into layers.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves, tree_map_only


class CannotCut(RuntimeError):
    """The published model does not call its layers one after the other; the message says what it does."""


class Reached(Exception):
    """Ends the pass behind the layer."""


@dataclass
class After:
    """What a layer leaves behind: its output, and the mappings that layers share (the keys and values that later
    layers use again)."""

    out: Any
    shared: dict[str, dict] = field(default_factory=dict)


def has_nan(value: Any) -> bool:
    return any(bool(leaf.isnan().any()) for leaf in tree_leaves(value)
               if isinstance(leaf, torch.Tensor) and leaf.is_floating_point())


def poisoned(value: Any) -> Any:
    return tree_map_only(torch.Tensor, lambda t: torch.full_like(t, torch.nan) if t.is_floating_point() else t.clone(), value)


def mappings(kwargs: dict) -> dict[str, dict]:
    return {name: dict(value) for name, value in kwargs.items() if isinstance(value, MutableMapping)}


def changed(before: dict[str, dict], after: dict[str, dict]) -> set[str]:
    return {name for name, now in after.items()
            if now.keys() != before[name].keys() or any(now[k] is not before[name][k] for k in now)}


class Replay:
    """stage: the layer that computes; len(layers): none, and the pass ends as usual. before: of the layer before it; None for
    the first one. After the pass, `hidden` is the input of the layer, and `after` what it leaves."""

    def __init__(self, layers: nn.ModuleList, stage: int, before: After | None):
        self.layers, self.stage, self.before = layers, stage, before
        self.n_called = 0
        self.hidden: torch.Tensor | None = None
        self.after: After | None = None

    def _forward(self, index: int, original: Callable) -> Callable:
        def forward(*args, **kwargs):
            if index != self.n_called:
                raise CannotCut(f"it calls layer {index} after {self.n_called} layers")
            self.n_called += 1
            if index < self.stage - 1:
                return poisoned(self.before.out)
            if index == self.stage - 1:
                return self._restore(kwargs)
            self._compute(original, args, kwargs)
            raise Reached

        return forward

    def _restore(self, kwargs: dict) -> Any:
        for name, content in self.before.shared.items():
            kwargs[name].update(content)
        return tree_map_only(torch.Tensor, torch.clone, self.before.out)

    def _compute(self, original: Callable, args: tuple, kwargs: dict) -> None:
        hidden = args[0] if args else kwargs.get("hidden_states")
        if not isinstance(hidden, torch.Tensor):
            raise CannotCut(f"the first argument of layer {self.stage} is {type(hidden).__name__}, not a tensor")
        if self.before is not None and has_nan(hidden):
            raise CannotCut(f"the input of layer {self.stage} depends on layers before layer {self.stage - 1}")
        self.hidden = hidden.clone()
        known = mappings(kwargs)
        out = original(*args, **kwargs)
        names = changed(known, mappings(kwargs)) | (self.before.shared.keys() if self.before else set())
        self.after = After(out, {name: dict(kwargs[name]) for name in names})
        if has_nan(out):
            raise CannotCut(f"layer {self.stage} returns NaN: it depends on layers before layer {self.stage - 1}, or the "
                            "checkpoint has NaN")

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Inside, the layers of the model are replaced."""
        for index, layer in enumerate(self.layers):
            layer.forward = self._forward(index, layer.forward)
        try:
            yield
        finally:
            for layer in self.layers:
                del layer.forward

    def run(self, call: Callable[[], Any]) -> Any:
        """Calls the model. Returns its result behind the last layer, otherwise None."""
        with self.installed():
            try:
                result = call()
            except Reached:
                return None
        if self.n_called != len(self.layers):
            raise CannotCut(f"it calls {self.n_called} of {len(self.layers)} layers")
        return result


class Memo:
    """The results of the modules beside the text model (a tower, its projector): computed in the first pass over a prompt, and
    returned from then on. Modules that the model calls only behind its layers (the head) are never replaced."""

    def __init__(self, modules: list[nn.Module]):
        self.modules = modules

    @contextlib.contextmanager
    def recorded(self, results: dict[int, list[Any]]) -> Iterator[None]:
        """Appends the results of the calls inside, by the index of the module."""
        def keep(index: int) -> Callable:
            return lambda _module, _inputs, out: results.setdefault(index, []).append(copy.deepcopy(out))

        handles = [module.register_forward_hook(keep(index)) for index, module in enumerate(self.modules)]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    @contextlib.contextmanager
    def returned(self, results: dict[int, list[Any]]) -> Iterator[None]:
        def stub(left: Iterator[Any]) -> Callable:
            return lambda *_, **__: copy.deepcopy(next(left))

        for index, calls in results.items():
            self.modules[index].forward = stub(iter(calls))
        try:
            yield
        finally:
            for index in results:
                del self.modules[index].forward
