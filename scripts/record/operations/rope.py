"""Records every rope variant without a model: vectors of one head, positions up to 2^20."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from ..runs.truth import precision
from ..support import h5
from ..variants.variant import rng_for

LAST = 1 << 20


@dataclass(frozen=True)
class RopeCase:
    """One variant. parameters: the member rope_parameters of config.json.

    catches: the bugs of an engine that the case reveals; stored in the file. head_dim: numbers of a vector.
    model_type: selects the published module, and with it the M-RoPE layout. last: highest position.
    boundary: the length at which a length-dependent variant changes; positions on both sides are recorded.
    axes: 3 for M-RoPE.
    """

    name: str
    model_type: str
    head_dim: int
    parameters: dict[str, Any]
    catches: str
    max_position_embeddings: int = 4096
    last: int = LAST
    boundary: int = 4096
    axes: int = 1


# model_type: module below transformers.models, config class, rotary class
MODULES = {
    "llama": ("llama", "LlamaConfig", "LlamaRotaryEmbedding"),
    "phi3": ("phi3", "Phi3Config", "Phi3RotaryEmbedding"),
    "gemma4_text": ("gemma4", "Gemma4TextConfig", "Gemma4TextRotaryEmbedding"),
    "qwen2_vl_text": ("qwen2_vl", "Qwen2VLTextConfig", "Qwen2VLRotaryEmbedding"),
    "qwen3_vl_text": ("qwen3_vl", "Qwen3VLTextConfig", "Qwen3VLTextRotaryEmbedding"),
    "qwen3_5_text": ("qwen3_5", "Qwen3_5TextConfig", "Qwen3_5TextRotaryEmbedding"),
    "ernie4_5_vl_moe_text": ("ernie4_5_vl_moe", "Ernie4_5_VLMoeTextConfig",
                             "Ernie4_5_VLMoeTextRotaryEmbedding"),
}
LAYER_TYPE = "full_attention"  # used if rope_parameters are nested by layer type

SHORT = [1.0, 1.05, 1.1, 1.2, 1.4, 1.7]
LONG = [1.0, 1.3, 2.0, 3.5, 6.0, 9.5]
LONGROPE = {"rope_type": "longrope", "rope_theta": 10000.0, "short_factor": SHORT,
            "long_factor": LONG, "original_max_position_embeddings": 4096}
YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 16.0,
        "original_max_position_embeddings": 4096}
DYNAMIC = {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 4.0}


def plain(**parameters: Any) -> dict[str, Any]:
    return {"rope_type": "default", "rope_theta": 10000.0, **parameters}


CASES = (
    RopeCase("default", "llama", 12, plain(), "Angles computed in too narrow a type, or halves "
             "paired as neighbours"),
    RopeCase("default-theta", "llama", 20, plain(rope_theta=1000000.0), "rope_theta ignored"),
    RopeCase("linear", "llama", 12, plain(rope_type="linear", factor=2.5),
             "Positions that are not divided by the factor"),
    RopeCase("dynamic-below", "llama", 12, DYNAMIC, "Dynamic NTK that scales below its length",
             last=4095),
    RopeCase("dynamic-above", "llama", 12, DYNAMIC, "A dynamic NTK base that does not grow with "
             "the length"),
    RopeCase("dynamic-just-above", "llama", 12, DYNAMIC, "A dynamic NTK length that is off by one",
             last=4096),
    RopeCase("llama3", "llama", 32, {
        "rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
        "high_freq_factor": 4.0, "original_max_position_embeddings": 8192},
        "A wavelength band of llama3 that is missed or not smoothed", 131072, boundary=8192),
    RopeCase("yarn", "llama", 24, YARN, "A yarn ramp between wrong dimensions, or cos and sin "
             "without the attention factor", 65536),
    RopeCase("yarn-mscale", "llama", 24, {**YARN, "mscale": 0.9, "mscale_all_dim": 0.6},
             "mscale and mscale_all_dim ignored", 65536),
    RopeCase("yarn-mscale-alone", "llama", 24, {**YARN, "mscale": 0.9}, "mscale applied although "
             "mscale_all_dim is absent", 65536),
    RopeCase("yarn-attention-factor", "llama", 24, {**YARN, "attention_factor": 1.3},
             "A given attention_factor recomputed", 65536),
    RopeCase("yarn-no-truncate", "llama", 24, {**YARN, "truncate": False},
             "Correction dimensions rounded although truncate is false", 65536),
    RopeCase("yarn-betas", "llama", 24, {**YARN, "beta_fast": 12.0, "beta_slow": 2.5},
             "beta_fast and beta_slow ignored", 65536),
    RopeCase("yarn-shrunk", "llama", 24, {**YARN, "factor": 0.5}, "An attention factor below 1 made of "
             "a factor below 1", 2048),
    RopeCase("yarn-one-beta", "llama", 24, {**YARN, "beta_fast": 4.0, "beta_slow": 4.0, "truncate": False},
             "A ramp of no width divided by zero", 65536),
    RopeCase("yarn-partial", "qwen3_5_text", 64, {
        **YARN, "partial_rotary_factor": 0.5, "mrope_section": [6, 5, 5],
        "mrope_interleaved": True}, "A yarn ramp over the whole head where half of it rotates",
        65536, axes=3),
    RopeCase("longrope-short", "phi3", 12, LONGROPE, "Long factors used for a short sequence, or "
             "the attention factor left out of it", 131072, last=4095),
    RopeCase("longrope-boundary", "phi3", 12, LONGROPE, "A boundary that is off by one: position "
             "4096 is the first of a long sequence", 131072, last=4096),
    RopeCase("longrope-long", "phi3", 12, LONGROPE, "Short factors used for early positions of a "
             "long sequence", 131072),
    RopeCase("longrope-factor", "phi3", 12, {**LONGROPE, "factor": 8.0}, "A given factor replaced "
             "by the ratio of lengths", 131072),
    RopeCase("longrope-attention-factor", "phi3", 12, {**LONGROPE, "attention_factor": 1.25},
             "A given attention_factor recomputed", 131072),
    RopeCase("longrope-shrunk", "phi3", 12, LONGROPE, "An attention factor below 1 where the model is "
             "shorter than its first training", 2048),
    RopeCase("longrope-partial", "phi3", 16, {**LONGROPE, "partial_rotary_factor": 0.75},
             "Elements past the rotary dimension rotated or scaled", 131072),
    RopeCase("partial", "phi3", 20, plain(partial_rotary_factor=0.4), "Exponents taken over the "
             "whole head, or the tail rotated"),
    RopeCase("proportional", "gemma4_text", 16, plain(
        rope_type="proportional", rope_theta=1000000.0, partial_rotary_factor=0.25),
        "Exponents over the rotated share, or neighbours i, i + share/2 paired"),
    RopeCase("proportional-whole", "gemma4_text", 16, plain(
        rope_type="proportional", rope_theta=1000000.0),
        "A share that is not said taken for less than the whole head"),
    RopeCase("proportional-factor", "gemma4_text", 24, plain(
        rope_type="proportional", rope_theta=1000000.0, partial_rotary_factor=0.5, factor=8.0),
        "The factor of proportional rope ignored"),
    RopeCase("mrope-chunked", "qwen2_vl_text", 16, plain(
        rope_theta=1000000.0, mrope_section=[1, 3, 4]),
        "M-RoPE sections interleaved or shifted where Qwen2-VL has chunks", axes=3),
    RopeCase("mrope-not-interleaved", "qwen2_vl_text", 16, plain(
        rope_theta=1000000.0, mrope_section=[2, 3, 3], mrope_interleaved=False),
        "mrope_interleaved taken for true because it is there", axes=3),
    RopeCase("mrope-interleaved", "qwen3_vl_text", 20, plain(
        rope_theta=5000000.0, mrope_section=[4, 3, 3], mrope_interleaved=True),
        "M-RoPE sections in chunks where Qwen3-VL interleaves them", axes=3),
    RopeCase("mrope-interleaved-uneven", "qwen3_vl_text", 24, plain(
        rope_theta=5000000.0, mrope_section=[6, 4, 2], mrope_interleaved=True),
        "Interleaving that runs past the end of a short section", axes=3),
    RopeCase("mrope-interleaved-short", "qwen3_vl_text", 24, plain(
        rope_theta=5000000.0, mrope_section=[8, 2, 2], mrope_interleaved=True),
        "Interleaving that goes on where both height and width have ended", axes=3),
    RopeCase("mrope-interleaved-partial", "qwen3_5_text", 64, plain(
        rope_theta=10000000.0, mrope_section=[3, 3, 2], mrope_interleaved=True,
        partial_rotary_factor=0.25), "Interleaved sections counted over the whole head", axes=3),
    RopeCase("mrope-alternating", "ernie4_5_vl_moe_text", 16, plain(
        rope_theta=500000.0, mrope_section=[3, 3, 2]),
        "Height and width in blocks where Ernie 4.5 VL alternates them, time first, or halves "
        "paired where it pairs neighbours", axes=3),
)


def positions(case: RopeCase, rng: np.random.Generator) -> np.ndarray:
    """int32 [P], or [3, P] (time, height, width): small positions, those around the boundary, powers of two, and
    drawn ones."""
    edge = case.boundary
    fixed = {0, 1, 2, 3, 10, edge - 2, edge - 1, edge, edge + 1, case.last - 1, case.last,
             *(1 << power for power in range(2, 21, 2))}
    drawn = {int(p) for p in rng.integers(0, case.last, 5)}
    line = np.array(sorted(p for p in fixed | drawn if p <= case.last), dtype=np.int32)
    if case.axes == 1:
        return line
    step = np.array([[0], [3], [7]])
    moved = line + step * rng.integers(0, 40, (3, line.size))
    return np.minimum(moved, case.last).astype(np.int32)


def config_of(case: RopeCase) -> tuple[transformers.PreTrainedConfig, str | None]:
    """The published config, and the layer type if its rope_parameters are nested by layer type, else None."""
    name = MODULES[case.model_type][1]
    parameters = copy.deepcopy(case.parameters)
    layer_type = LAYER_TYPE if case.model_type.startswith("gemma") else None
    common = {"hidden_size": case.head_dim, "num_attention_heads": 1, "num_key_value_heads": 1,
              "head_dim": case.head_dim, "num_hidden_layers": 1,
              "max_position_embeddings": case.max_position_embeddings}
    if layer_type:
        common |= {"layer_types": [layer_type], "global_head_dim": case.head_dim}
        parameters = {layer_type: parameters}
    if "original_max_position_embeddings" in case.parameters and case.model_type == "phi3":
        common["original_max_position_embeddings"] = (
            case.parameters["original_max_position_embeddings"])
    kind = getattr(transformers, name, None) or getattr(
        import_module(f"transformers.models.{MODULES[case.model_type][0]}"), name)
    return kind(rope_parameters=parameters, **common), layer_type


def rotate(case: RopeCase, position: np.ndarray, x: np.ndarray,
           dtype: torch.dtype) -> dict[str, np.ndarray]:
    """A dict: `x`, the vectors x [P, head_dim], rotated by position [P] or [3, P]; `cos` and `sin` [P, rotary dim], as the
    published module returns them, including the attention factor."""
    package, _, rotary_name = MODULES[case.model_type]
    module = import_module(f"transformers.models.{package}.modeling_{package}")
    with precision(dtype):
        config, layer_type = config_of(case)
        rotary = getattr(module, rotary_name)(config)
        heads = torch.from_numpy(x).to(dtype)[None, None]
        ids = torch.from_numpy(position.astype(np.int64))
        ids = ids[:, None] if case.axes == 3 else ids[None]
        cos, sin = rotary(heads, ids, *([layer_type] if layer_type else []))
        if layer_type:
            rotated = module.apply_rotary_pos_emb(heads, cos, sin)
        else:
            rotated, _ = module.apply_rotary_pos_emb(heads, heads, cos, sin)
    made = {"x": rotated[0, 0], "cos": cos[0], "sin": sin[0]}
    return {name: tensor.numpy().copy() for name, tensor in made.items()}


def document(case: RopeCase) -> str:
    """The members of config.json that determine this rope, with upstream's names."""
    return json.dumps({"model_type": case.model_type, "head_dim": case.head_dim,
                       "max_position_embeddings": case.max_position_embeddings,
                       "rope_parameters": case.parameters}, sort_keys=True)


def record(out: Path, seed: int, only: list[str] | None = None) -> list[str]:
    """Writes all variants, or those in `only`; returns the file names."""
    made = []
    for case in CASES:
        if only and case.name not in only:
            continue
        rng = rng_for(seed, "rope", case.name)
        if seed:
            theta = round(float(case.parameters["rope_theta"] * rng.uniform(0.5, 2.0)), 1)
            case = replace(case, parameters={**case.parameters, "rope_theta": theta})
        position = positions(case, rng)
        x = rng.standard_normal((position.shape[-1], case.head_dim))
        truth = rotate(case, position, x, torch.float64)
        single = rotate(case, position, x, torch.float32)
        h5.write(out / f"{case.name}.h5", {
            "kind": "rope", "model": "", "config": document(case),
            "source": f"transformers {transformers.__version__}, torch "
                      f"{torch.__version__.split('+')[0]} on a CPU; truth float64 throughout",
            "recorder": f"scripts/record, seed {seed}, draw 1", "catches": case.catches + ".",
        }, {"/input/position": position, "/input/x": x,
            **{f"/expect/truth/{name}": value for name, value in truth.items()},
            **{f"/expect/float32/{name}": value for name, value in single.items()}})
        made.append(f"{case.name}.h5")
        noise = np.abs(truth["x"] - single["x"]).max()
        print(f"rope/{case.name}: {position.shape[-1]} positions to {position.max()}, "
              f"float32 noise {noise:.1e}", flush=True)
    return made
