"""Draws weights with which every part of a model affects the logits and float32 noise stays small."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import torch

Rule = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
TORCH_TYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}


def around(centre: float, spread: float) -> Rule:
    """Values near `centre`, at least a third of it in magnitude, so that a forgotten scale changes the result."""
    def draw(rng, shape):
        values = centre + spread * rng.standard_normal(shape)
        return np.where(np.abs(values) < abs(centre) / 3, centre, values)
    return draw


def fan_in(gain: float) -> Rule:
    """A matrix [..., out, in] that multiplies the magnitude of unit inputs by `gain`."""
    return lambda rng, shape: rng.standard_normal(shape) * gain / math.sqrt(shape[-1])


RULES: tuple[tuple[str, Rule], ...] = (
    (r"layer_scalar$", lambda rng, shape: rng.uniform(0.6, 0.95, shape)),
    (r"(q|k)_norm\.weight$", around(1.0, 0.25)),
    (r"norm\w*\.weight$", around(1.0, 0.3)),
    (r"\.bias$", around(0.0, 0.3)),
    (r"(embed_tokens|lm_head)\.weight$", fan_in(2.0)),
    (r"(q|k)_proj\.weight$", fan_in(1.2)),
    (r"(router\.proj|mlp\.gate)\.weight$", fan_in(2.0)),
    (r"(scale|scalar)$", around(1.0, 0.3)),
    (r"", fan_in(1.0)),
)


def unused_kv(text: torch.nn.Module, prefix: str, rng: np.random.Generator,
              dtype: str) -> dict[str, torch.Tensor]:
    """Key and value weights of layers that share another layer's KV: published, but never read.

    text: the decoder; prefix: of its layers' names in the file.
    """
    made: dict[str, torch.Tensor] = {}
    layers = list(text.layers)
    for index, layer in enumerate(layers):
        if not getattr(layer.self_attn, "is_kv_shared_layer", False):
            continue
        twin = next(other.self_attn for other in layers
                    if other.self_attn.is_sliding == layer.self_attn.is_sliding)
        for part, tensor in twin.state_dict().items():
            if part.startswith(("k_proj", "v_proj", "k_norm")):
                values = torch.from_numpy(rng.standard_normal(tuple(tensor.shape)))
                made[f"{prefix}.{index}.self_attn.{part}"] = values.to(TORCH_TYPES[dtype])
    return made


def draw_state(model: torch.nn.Module, rng: np.random.Generator, dtype: str,
               family_rules: tuple[tuple[str, Rule], ...] = ()) -> dict[str, torch.Tensor]:
    """Draws every tensor of a model's state, in the stored type, without tied copies."""
    tied = set(getattr(model, "all_tied_weights_keys", None) or {})
    state: dict[str, torch.Tensor] = {}
    for name, tensor in model.state_dict().items():
        if name in tied:
            continue
        rule = next(rule for pattern, rule in (*family_rules, *RULES) if re.search(pattern, name))
        values = np.asarray(rule(rng, tuple(tensor.shape)), dtype=np.float32)
        state[name] = torch.from_numpy(values.reshape(tuple(tensor.shape))).to(TORCH_TYPES[dtype])
    return state
