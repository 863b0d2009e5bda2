"""Repairs of mlx-vlm's GLM-4.5V, besides those of GLM-4.1V's tower."""

from __future__ import annotations

from typing import Any

import mlx.core as mx

from scripts.record.checkpoint.opening import wrapped

from ..spelling import Config
from .glm import part


def choose(gates: mx.array, bias: mx.array, top_k: int, n_groups: int, n_active: int, factor: float, divides: bool, *,
           excluded: float, offset: float) -> tuple[mx.array, mx.array]:
    """group_expert_select. excluded: what stands for the scores of groups that are not chosen. offset: of the sum that
    divides."""
    shares = mx.sigmoid(gates.astype(mx.float32))
    scores = shares + bias
    if n_groups > 1:
        grouped = mx.unflatten(scores, axis=-1, shape=(n_groups, -1))
        best = mx.topk(grouped, 2, axis=-1).sum(axis=-1)
        limit = mx.sort(best, axis=-1)[..., n_groups - n_active, None]
        scores = mx.flatten(mx.where((best >= limit)[..., None], grouped, excluded), -2, -1)
    chosen = mx.argpartition(-scores, kth=top_k - 1, axis=-1)[..., :top_k]
    shares = mx.take_along_axis(shares, chosen, axis=-1)
    if divides:
        shares = shares / (shares.sum(axis=-1, keepdims=True) + offset)
    return chosen, shares * factor


def excluded_groups(config: Config) -> Any:
    """No expert of a group that is not chosen is chosen."""
    return wrapped(part(config, "language"), "group_expert_select",
                   lambda _original, *args: choose(*args, excluded=-float("inf"), offset=0))


def sum_offset(config: Config) -> Any:
    """The sum that divides is 1e-20 larger."""
    return wrapped(part(config, "language"), "group_expert_select",
                   lambda _original, *args: choose(*args, excluded=0, offset=1e-20))


def fused_experts(config: Config) -> Any:
    """The experts of a layer in two tensors, as transformers writes them, become three stacks."""
    def split(original, self, weights):
        made: dict[str, mx.array] = {}
        for name, tensor in original(self, weights).items():
            base, _, last = name.rpartition(".experts.")
            if last == "gate_up_proj":
                gate, up = mx.split(tensor, 2, axis=1)
                made |= {f"{base}.switch_mlp.gate_proj.weight": gate, f"{base}.switch_mlp.up_proj.weight": up}
            elif last == "down_proj":
                made[f"{base}.switch_mlp.down_proj.weight"] = tensor
            else:
                made[name] = tensor
        return made
    return wrapped(part(config, "language").LanguageModel, "sanitize", split)
