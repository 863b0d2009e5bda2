"""Writes a checkpoint of a published model's shape with random weights, to measure speed on.

    python -m scripts.record.bench_checkpoint --shape qwen3-0.6b --dtype bfloat16 DIR

The same seed gives the same weights in every type: float16 and bfloat16 are rounded from float32.
"""

from __future__ import annotations

import argparse
import json
import math
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

# As the published config.json has it.
QWEN3: dict[str, Any] = {
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 151643, "eos_token_id": 151645, "hidden_act": "silu",
    "initializer_range": 0.02, "max_position_embeddings": 40960, "rms_norm_eps": 1e-06,
    "rope_scaling": None, "rope_theta": 1000000, "sliding_window": None,
    "use_sliding_window": False, "use_cache": True, "tie_word_embeddings": True,
    "vocab_size": 151936,
}
SHAPES: dict[str, dict[str, Any]] = {
    "qwen3-0.6b": QWEN3 | {
        "num_hidden_layers": 28, "max_window_layers": 28, "hidden_size": 1024, "head_dim": 128,
        "num_attention_heads": 16, "num_key_value_heads": 8, "intermediate_size": 3072},
    # For trying things out: two layers, and every size small.
    "qwen3-tiny": QWEN3 | {
        "num_hidden_layers": 2, "max_window_layers": 2, "hidden_size": 48, "head_dim": 16,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 80,
        "vocab_size": 200, "bos_token_id": 1, "eos_token_id": 2},
}
SAFETENSORS_TYPES = {"float32": ("F32", 4), "float16": ("F16", 2), "bfloat16": ("BF16", 2)}


def tensors(config: dict[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and shapes of a tied Qwen3 as it is published."""
    hidden, width = config["hidden_size"], config["intermediate_size"]
    head = config["head_dim"]
    q, kv = config["num_attention_heads"] * head, config["num_key_value_heads"] * head
    yield "model.embed_tokens.weight", (config["vocab_size"], hidden)
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        yield f"{layer}.input_layernorm.weight", (hidden,)
        yield f"{layer}.mlp.down_proj.weight", (hidden, width)
        yield f"{layer}.mlp.gate_proj.weight", (width, hidden)
        yield f"{layer}.mlp.up_proj.weight", (width, hidden)
        yield f"{layer}.post_attention_layernorm.weight", (hidden,)
        yield f"{layer}.self_attn.k_norm.weight", (head,)
        yield f"{layer}.self_attn.k_proj.weight", (kv, hidden)
        yield f"{layer}.self_attn.o_proj.weight", (hidden, q)
        yield f"{layer}.self_attn.q_norm.weight", (head,)
        yield f"{layer}.self_attn.q_proj.weight", (q, hidden)
        yield f"{layer}.self_attn.v_proj.weight", (kv, hidden)
    yield "model.norm.weight", (hidden,)


def draw(shape: tuple[int, ...], seed: int, index: int) -> np.ndarray:
    """float32: vectors (norms) near 1, matrices that keep the size of unit inputs."""
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, index])))
    values = rng.standard_normal(shape, dtype=np.float32)
    if len(shape) == 1:
        return np.float32(1) + np.float32(0.1) * values
    values *= np.float32(1 / math.sqrt(shape[-1]))
    return values


def stored(values: np.ndarray, dtype: str) -> np.ndarray:
    """As the file holds them, little-endian; rounded to nearest, ties to even."""
    if dtype == "float32":
        return values.astype("<f4", copy=False)
    if dtype == "float16":
        return values.astype("<f2")
    bits = values.view(np.uint32)
    bits += np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (bits >> np.uint32(16)).astype("<u2")


def write_weights(path: Path, config: dict[str, Any], dtype: str, seed: int) -> int:
    """One tensor after the other, so that memory holds one at a time. Returns the bytes of all."""
    name_of_type, size = SAFETENSORS_TYPES[dtype]
    shapes = dict(tensors(config))
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, shape in shapes.items():
        begin, end = end, end + math.prod(shape) * size
        header[name] = {"dtype": name_of_type, "shape": list(shape), "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for index, shape in enumerate(shapes.values()):
            stored(draw(shape, seed, index), dtype).tofile(file)
    return end


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.bench_checkpoint",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="qwen3-0.6b")
    parser.add_argument("--dtype", choices=SAFETENSORS_TYPES, default="bfloat16")
    parser.add_argument("--seed", type=int, default=0, help="of the weights (default: 0)")
    parser.add_argument("directory", type=Path, help="receives config.json and model.safetensors")
    options = parser.parse_args(arguments)
    config = SHAPES[options.shape] | {"torch_dtype": options.dtype}
    options.directory.mkdir(parents=True, exist_ok=True)
    size = write_weights(options.directory / "model.safetensors", config, options.dtype,
                         options.seed)
    text = json.dumps(config, indent=2, sort_keys=True)
    (options.directory / "config.json").write_text(text + "\n")
    print(f"{options.directory}: {options.shape}, {options.dtype}, {size} bytes of weights")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
