"""RoPE of config.json as values and tensors of a GGUF file, for llama.cpp."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from assay.errors import FormatError, Unsupported

from .write import File

THETA = 10000.0


def parameters(config: dict[str, Any], layer_type: str | None = None) -> dict[str, Any]:
    """The members of a RoPE in the newer spelling, from either one; `rope_type` and `rope_theta` are always there."""
    newer = config.get("rope_parameters") or {}
    if layer_type is not None:
        newer = newer.get(layer_type) or {}
    members = {**(config.get("rope_scaling") or {}), **newer}
    theta = float(members.get("rope_theta", config.get("rope_theta", THETA)))
    return {**members, "rope_type": members.get("rope_type", members.get("type", "default")), "rope_theta": theta}


def original_length(config: dict[str, Any], rope: dict[str, Any]) -> int:
    for holder in (config, rope):
        if holder.get("original_max_position_embeddings"):
            return int(holder["original_max_position_embeddings"])
    return int(config["max_position_embeddings"])


def needed(rope: dict[str, Any], name: str) -> Any:
    if name not in rope:
        raise FormatError(f"rope_parameters: {rope['rope_type']} without {name}")
    return rope[name]


def add_linear(file: File, config: dict[str, Any], rope: dict[str, Any], n_rotated: int) -> None:
    file.value("{arch}.rope.scaling.type", "linear")
    file.value("{arch}.rope.scaling.factor", float(needed(rope, "factor")))


def magnitude(factor: float, mscale: float = 1.0) -> float:
    return 0.1 * mscale * math.log(factor) + 1 if factor > 1 else 1.0


def add_yarn(file: File, config: dict[str, Any], rope: dict[str, Any], n_rotated: int) -> None:
    """llama.cpp multiplies cos and sin by magnitude(factor); attn_factor is what is left of the attention factor."""
    if rope.get("truncate") is False:
        raise Unsupported("rope_parameters.truncate: false: llama.cpp rounds the range of YaRN's ramp to whole pairs")
    original = original_length(config, rope)
    factor = float(rope.get("factor") or config["max_position_embeddings"] / original)
    mscales = rope.get("mscale"), rope.get("mscale_all_dim")
    wanted = rope.get("attention_factor")
    if wanted is None:
        wanted = magnitude(factor, mscales[0]) / magnitude(factor, mscales[1]) if all(mscales) else magnitude(factor)
    for key, value in (("type", "yarn"), ("factor", factor), ("original_context_length", original), ("attn_factor", wanted / magnitude(factor)),
                       ("yarn_beta_fast", float(rope.get("beta_fast") or 32)), ("yarn_beta_slow", float(rope.get("beta_slow") or 1))):
        file.value(f"{{arch}}.rope.scaling.{key}", value)


def add_llama3(file: File, config: dict[str, Any], rope: dict[str, Any], n_rotated: int) -> None:
    """A tensor of what divides each frequency."""
    factor, low, high = (float(needed(rope, name)) for name in ("factor", "low_freq_factor", "high_freq_factor"))
    wavelength = 2 * np.pi * rope["rope_theta"] ** (np.arange(0, n_rotated, 2) / n_rotated)
    share = np.clip((original_length(config, rope) / wavelength - low) / (high - low), 0, 1)
    file.tensor("rope_freqs.weight", (1 / ((1 - share) / factor + share)).astype(np.float32))


def add_longrope(file: File, config: dict[str, Any], rope: dict[str, Any], n_rotated: int) -> None:
    original = original_length(config, rope)
    scale = float(rope.get("factor") or config["max_position_embeddings"] / original)
    wanted = rope.get("attention_factor")
    if wanted is None:
        wanted = math.sqrt(1 + math.log(scale) / math.log(original)) if scale > 1 else 1.0
    file.value("{arch}.rope.scaling.type", "longrope")
    file.value("{arch}.rope.scaling.original_context_length", original)
    file.value("{arch}.rope.scaling.attn_factor", float(wanted))
    for which in ("long", "short"):
        factors = np.array(needed(rope, f"{which}_factor"), np.float32)
        if factors.shape != (n_rotated // 2,):
            raise FormatError(f"rope_parameters.{which}_factor: {len(factors)} numbers; expected {n_rotated // 2}")
        file.tensor(f"rope_factors_{which}.weight", factors)


def add_nothing(file: File, config: dict[str, Any], rope: dict[str, Any], n_rotated: int) -> None:
    pass


Add = Callable[[File, "dict[str, Any]", "dict[str, Any]", int], None]
SCALINGS: dict[str, Add] = {"default": add_nothing, "mrope": add_nothing, "linear": add_linear, "yarn": add_yarn, "llama3": add_llama3,
                            "longrope": add_longrope}


def add_rope(file: File, config: dict[str, Any], supported: tuple[str, ...], head_dim: int, partial: bool,
        long_names: tuple[str, ...] = ()) -> None:
    """supported: the types that llama.cpp has for this architecture; long_names: other names of longrope. partial: whether a part of a
    head may rotate."""
    rope = parameters(config)
    kind = "longrope" if rope["rope_type"] in long_names else rope["rope_type"]
    if kind not in supported:
        raise Unsupported(f"rope_type {kind!r:.40}: llama.cpp's {file.architecture} has {', '.join(supported)}")
    share = float(rope.get("partial_rotary_factor", config.get("partial_rotary_factor", 1.0)))
    if share != 1 and not partial:
        raise Unsupported(f"partial_rotary_factor {share:g}: llama.cpp's {file.architecture} rotates whole heads")
    n_rotated = int(head_dim * share)
    if n_rotated % 2:
        raise Unsupported(f"partial_rotary_factor {share:g} of a head of {head_dim}: {n_rotated} elements, an odd number")
    file.value("{arch}.rope.dimension_count", n_rotated)
    file.value("{arch}.rope.freq_base", rope["rope_theta"])
    SCALINGS[kind](file, config, rope, n_rotated)
