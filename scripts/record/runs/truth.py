"""Runs a published model: entirely in float64 (the truth), or entirely in float32 (which defines the noise).
narrow.py has runs in narrower types."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only
from transformers import DynamicCache

from ..media.images import counts_mask, model_inputs, step_inputs
from ..media.audio import encode_alone
from .traces import Routing, hooks, text_model

NARROW = (torch.float32, torch.float16, torch.bfloat16)
STATEFUL_ROPES = ("dynamic", "longrope")


class WidenFloat32(TorchFunctionMode):
    """Turns every explicit request for float32 into one for float64.

    Published models force float32 in normalisations, softmax and rope tables (`.float()`, `dtype=` and
    positional dtypes). Without this mode, a `.double()` model still has 3e-6 of float32 noise.
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.Tensor.float:
            func = torch.Tensor.double
        widen = lambda dtype: torch.float64 if dtype is torch.float32 else dtype  # noqa: E731
        args, kwargs = tree_map_only(torch.dtype, widen, (args, kwargs or {}))
        return func(*args, **kwargs)


class RefuseNarrowFloats(TorchDispatchMode):
    """Raises RuntimeError if an operation returns a float narrower than float64."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(out):
            if isinstance(leaf, torch.Tensor) and leaf.dtype in NARROW:
                raise RuntimeError(f"{func} returned {leaf.dtype} inside the float64 truth")
        return out


class OtherLinear(TorchFunctionMode):
    """Replaces torch's `linear` by the method `linear`: in layers, heads, routers and experts."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is not functional.linear:
            return func(*args, **(kwargs or {}))
        return self.linear(*args, **(kwargs or {}))

    def linear(self, x, weight, bias=None):
        raise NotImplementedError


class OtherOrder(OtherLinear):
    """Sums the terms of each product in a drawn order."""

    def __init__(self, rng: np.random.Generator):
        super().__init__()
        self.rng = rng

    def linear(self, x, weight, bias=None):
        order = torch.from_numpy(self.rng.permutation(weight.shape[1]))
        return functional.linear(x[..., order], weight[:, order], bias)


class OneByOne(OtherOrder):
    """Sums them one after the other: torch sums in blocks, with about half the error of such a sum, which many engines
    make."""

    def linear(self, x, weight, bias=None):
        out = x.new_zeros(*x.shape[:-1], weight.shape[0])
        for k in self.rng.permutation(weight.shape[1]).tolist():
            out = out + x[..., k:k + 1] * weight[:, k]
        return out if bias is None else out + bias


@contextlib.contextmanager
def precision(dtype: torch.dtype) -> Iterator[None]:
    """Everything built or run inside uses `dtype`; for float64 this is enforced and checked."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch.no_grad())
            if dtype is torch.float64:
                stack.enter_context(RefuseNarrowFloats())
                stack.enter_context(WidenFloat32())
            yield
    finally:
        torch.set_default_dtype(before)


@dataclass(frozen=True)
class Limit:
    """The keys that a token attends to in layers without a window: the first `kept` (attention sink tokens) and
    the latest of the others, `limit` in total. mlx-lm's RotatingKVCache(max_size=limit, keep=kept)."""

    limit: int
    kept: int

    def visible(self, n: int) -> torch.Tensor:
        """[n, n]: the keys (columns) that the token at each position (row) attends to."""
        row, key = torch.arange(n)[:, None], torch.arange(n)[None]
        return (key <= row) & ((key < self.kept) | (row - key < self.limit - self.kept))


class Run:
    """A published model in one precision, run on one unpadded sample at a time; calls are independent.

    build: makes the model (called inside the precision).
    state: the stored weights in their stored type, upcast exactly; quantised weights in float64.
    """

    def __init__(self, build: Callable[[], torch.nn.Module], state: dict, dtype: torch.dtype):
        self.dtype = dtype
        with precision(dtype):
            self.model = build().eval()
            with torch.no_grad():
                own = self.model.state_dict()
                for name, tensor in state.items():
                    if own[name].shape != tensor.shape:
                        raise RuntimeError(f"{name}: {tuple(own[name].shape)} in the model, "
                                           f"{tuple(tensor.shape)} drawn")
                    own[name].copy_(upcast(tensor, own[name].dtype))
        encode_alone(self.model)
        self._refuse_other_types()
        self.text = text_model(self.model)
        self.config = self.text.config
        self.length_dependent = bool(rope_types(self.config) & set(STATEFUL_ROPES))

    def _refuse_other_types(self) -> None:
        for name, tensor in (*self.model.named_parameters(), *self.model.named_buffers()):
            if tensor.is_floating_point() and tensor.dtype is not self.dtype:
                raise RuntimeError(f"{name} is {tensor.dtype}, not {self.dtype}")

    def running(self) -> contextlib.AbstractContextManager:
        """The context in which the model is called."""
        return precision(self.dtype)

    def forget(self) -> None:
        """Drops what earlier calls left in the model: M-RoPE's delta, and the rotary module, because those of dynamic
        and longrope keep tables."""
        if hasattr(self.model.model, "rope_deltas"):
            self.model.model.rope_deltas = None
        if self.length_dependent:
            with precision(self.dtype):
                self.text.rotary_emb = type(self.text.rotary_emb)(config=self.config)

    def mask(self, n: int, limit: Limit | None) -> torch.Tensor | dict[str, torch.Tensor] | None:
        """The attention_mask for n tokens: full-attention layers are limited to `limit`, sliding layers to their
        window. Without a limit None, the model makes its own mask, or ones, if its positions need them."""
        if limit is None:
            return torch.ones(1, n, dtype=torch.int64) if counts_mask(self.model) else None

        def additive(visible: torch.Tensor) -> torch.Tensor:
            mask = torch.zeros(n, n, dtype=self.dtype)
            return mask.masked_fill(~visible, torch.finfo(self.dtype).min)[None, None]

        limited = additive(limit.visible(n))
        if "linear_attention" in (getattr(self.config, "layer_types", None) or ()):
            return {"full_attention": limited, "linear_attention": None}  # states have no keys to limit
        if "sliding_attention" not in (getattr(self.config, "layer_types", None) or ()):
            return limited
        window = Limit(self.config.sliding_window, 0)
        return {"full_attention": limited, "sliding_attention": additive(window.visible(n))}

    def logits(self, tokens: list[int], trace: dict | None = None,
               routings: list[Routing] | None = None, limit: Limit | None = None) -> np.ndarray:
        """Logits [len(tokens), V] of one forward pass over the whole sequence, no cache.

        trace: filled with tensors [len(tokens), D] by name, see hooks().
        routings: receives one Routing for each call of a router.
        """
        self.forget()
        with self.running(), hooks(self, trace, routings):
            out = self.model(**model_inputs(self.model, tokens), attention_mask=self.mask(len(tokens), limit),
                             use_cache=False).logits[0]
        return array(out).copy()

    def rows(self, prompt: list[int], decode: list[int], trace: dict | None = None,
             routings: list[Routing] | None = None,
             limit: Limit | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(prefill [T, V], decode [N, V]); a decode row is the last row of a pass over all tokens up to it.

        If rope does not depend on the length, row t of one long pass equals the last row of the pass over
        t + 1 tokens; this is checked on the prompt instead of recomputing every row.
        """
        prefill = self.logits(prompt, trace, routings, limit)
        if not decode:
            return prefill, prefill[:0]
        if self.length_dependent:
            steps = [self.logits(prompt + decode[:n + 1], None, routings, limit)[-1]
                     for n in range(len(decode))]
            return prefill, np.stack(steps)
        whole = self.logits(prompt + decode, None, routings, limit)
        if self.dtype is torch.float64:
            drift = np.abs(whole[:len(prompt)] - prefill).max()
            if drift > 1e-12 * max(1.0, np.abs(prefill).max()):
                raise RuntimeError(f"logits of a prompt change by {drift:.1e} when more follows")
        return prefill, whole[len(prompt):]

    def cached(self, prompt: list[int], decode: list[int],
               limit: Limit | None = None) -> np.ndarray:
        """Logits [N, V] of the published cached decode: prefill, then one token at a time. The published cache has
        no limit, so a mask hides the keys that a limited cache would no longer hold."""
        self.forget()
        with precision(self.dtype):
            everything = self.unlimited_cache() if limit else None
            out = self.model(**model_inputs(self.model, prompt), attention_mask=self.mask(len(prompt), limit),
                             past_key_values=everything, use_cache=True)
            rows = []
            for n, token in enumerate(decode, len(prompt) + 1):
                mask = self.mask(n, limit) if limit else None  # without one, positions go on after those of the prompt
                mask = tree_map_only(torch.Tensor, lambda m: m[:, :, -1:], mask)
                more = step_inputs(self.model, prompt + decode[:n - len(prompt)])
                out = self.model(input_ids=torch.tensor([[token]], dtype=torch.int64),
                                 attention_mask=mask,
                                 past_key_values=out.past_key_values, use_cache=True, **more)
                rows.append(out.logits[0, -1].numpy().copy())
        return np.stack(rows)

    def unlimited_cache(self) -> DynamicCache:
        """A cache that keeps all keys, also those that a window or a limit hides, and the states of delta nets."""
        if "linear_attention" in (getattr(self.config, "layer_types", None) or ()):
            return DynamicCache(config=self.config)
        return DynamicCache()

    def generate(self, prompt: list[int], n_tokens: int, stop_ids: list[int]) -> list[int]:
        """The new tokens of the published greedy generate(), including the stop id."""
        self.forget()
        with precision(self.dtype):
            inputs = model_inputs(self.model, prompt)
            out = self.model.generate(**inputs, attention_mask=torch.ones_like(inputs["input_ids"]), do_sample=False,
                                      max_new_tokens=n_tokens, eos_token_id=stop_ids, pad_token_id=0)
        return out[0, len(prompt):].tolist()


def upcast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The stored value, converted exactly to a type that is at least as wide; dequantised float64 values are
    rounded to dtype."""
    return tensor.to(dtype)


def array(tensor: torch.Tensor) -> np.ndarray:
    """The tensor as numpy array; bfloat16, which numpy lacks, exactly as float32."""
    return (tensor.float() if tensor.dtype is torch.bfloat16 else tensor).numpy()


def rope_types(config) -> set[str]:
    """The rope types of all layers of a config; `alpha`: HunYuan's dynamic rope, whose base does not depend on the
    length."""
    parameters = getattr(config, "rope_parameters", None) or getattr(config, "rope_scaling", None) or {}
    nested = [p for p in parameters.values() if isinstance(p, dict)] or [parameters]
    return {"alpha" if p.get("alpha") else p.get("rope_type", "default") for p in nested}
