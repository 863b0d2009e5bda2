"""Writes a checkpoint with random weights in the shape of a published model, for benchmarks.

    python -m scripts.record.bench_checkpoint --shape qwen3-0.6b --dtype bfloat16 DIR
    python -m scripts.record.bench_checkpoint --shape qwen3-0.6b --dtype bfloat16 --bits 4 DIR

The same seed gives the same weights in every type: float16 and bfloat16 are rounded from float32. With
--bits every matrix is quantised in MLX's groups, whose scales and biases are rounded likewise.
"""

from __future__ import annotations

import argparse
import json
import math
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

# Members of the published config.json.
QWEN3: dict[str, Any] = {
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 151643, "eos_token_id": 151645, "hidden_act": "silu",
    "initializer_range": 0.02, "max_position_embeddings": 40960, "rms_norm_eps": 1e-06,
    "rope_scaling": None, "rope_theta": 1000000, "sliding_window": None,
    "use_sliding_window": False, "use_cache": True, "tie_word_embeddings": True,
    "vocab_size": 151936,
}
# A text model and the tower before it, as in Qwen2-VL-2B.
QWEN2_VL: dict[str, Any] = {
    "architectures": ["Qwen2VLForConditionalGeneration"], "model_type": "qwen2_vl",
    "attention_dropout": 0.0, "bos_token_id": 151643, "eos_token_id": 151645,
    "vision_start_token_id": 151652, "vision_end_token_id": 151653, "vision_token_id": 151654,
    "image_token_id": 151655, "video_token_id": 151656, "hidden_act": "silu", "hidden_size": 1536,
    "initializer_range": 0.02, "intermediate_size": 8960, "max_position_embeddings": 32768,
    "max_window_layers": 28, "num_attention_heads": 12, "num_hidden_layers": 28,
    "num_key_value_heads": 2, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0,
    "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}, "sliding_window": 32768,
    "use_cache": True, "use_sliding_window": False, "tie_word_embeddings": True,
    "vocab_size": 151936,
    "vision_config": {
        "depth": 32, "embed_dim": 1280, "hidden_act": "quick_gelu", "hidden_size": 1536,
        "in_chans": 3, "mlp_ratio": 4, "num_heads": 16, "patch_size": 14,
        "spatial_merge_size": 2, "spatial_patch_size": 14, "temporal_patch_size": 2},
}
SHAPES: dict[str, dict[str, Any]] = {
    "qwen3-0.6b": QWEN3 | {
        "num_hidden_layers": 28, "max_window_layers": 28, "hidden_size": 1024, "head_dim": 128,
        "num_attention_heads": 16, "num_key_value_heads": 8, "intermediate_size": 3072},
    "qwen3-8b": QWEN3 | {
        "num_hidden_layers": 36, "max_window_layers": 36, "hidden_size": 4096, "head_dim": 128,
        "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 12288,
        "tie_word_embeddings": False},
    # Small models for experiments, two layers each: the first has sizes that suit every quantised format.
    "qwen3-small": QWEN3 | {
        "num_hidden_layers": 2, "max_window_layers": 2, "hidden_size": 256, "head_dim": 64,
        "num_attention_heads": 8, "num_key_value_heads": 4, "intermediate_size": 768,
        "vocab_size": 1000, "bos_token_id": 1, "eos_token_id": 2},
    "qwen3-tiny": QWEN3 | {
        "num_hidden_layers": 2, "max_window_layers": 2, "hidden_size": 48, "head_dim": 16,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 80,
        "vocab_size": 200, "bos_token_id": 1, "eos_token_id": 2},
    "qwen2-vl-2b": QWEN2_VL,
    # Two layers each, and a small vocabulary, for experiments.
    "qwen2-vl-tiny": QWEN2_VL | {
        "hidden_size": 48, "intermediate_size": 80, "max_window_layers": 2,
        "num_attention_heads": 3, "num_hidden_layers": 2, "num_key_value_heads": 1,
        "rope_scaling": {"type": "mrope", "mrope_section": [2, 3, 3]}, "vocab_size": 200,
        "bos_token_id": 1, "eos_token_id": 2, "vision_start_token_id": 195,
        "vision_end_token_id": 196, "vision_token_id": 197, "image_token_id": 198,
        "video_token_id": 199,
        "vision_config": QWEN2_VL["vision_config"] | {
            "depth": 2, "embed_dim": 32, "hidden_size": 48, "num_heads": 2}},
}
SAFETENSORS_TYPES = {"float32": ("F32", 4), "float16": ("F16", 2), "bfloat16": ("BF16", 2)}
GROUP = 64    # elements that share a scale and a bias
PIECE = 4096  # rows quantised per step


def tensors(config: dict[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Published names and shapes of a Qwen3, or of a tied Qwen2-VL."""
    hidden, width = config["hidden_size"], config["intermediate_size"]
    pictures = "vision_config" in config
    head = config.get("head_dim", hidden // config["num_attention_heads"])
    q, kv = config["num_attention_heads"] * head, config["num_key_value_heads"] * head
    yield "model.embed_tokens.weight", (config["vocab_size"], hidden)
    for i in range(config["num_hidden_layers"]):
        layer = f"model.layers.{i}"
        yield f"{layer}.input_layernorm.weight", (hidden,)
        yield f"{layer}.mlp.down_proj.weight", (hidden, width)
        yield f"{layer}.mlp.gate_proj.weight", (width, hidden)
        yield f"{layer}.mlp.up_proj.weight", (width, hidden)
        yield f"{layer}.post_attention_layernorm.weight", (hidden,)
        if not pictures:
            yield f"{layer}.self_attn.k_norm.weight", (head,)
        yield f"{layer}.self_attn.k_proj.weight", (kv, hidden)
        yield f"{layer}.self_attn.o_proj.weight", (hidden, q)
        if not pictures:
            yield f"{layer}.self_attn.q_norm.weight", (head,)
        yield f"{layer}.self_attn.q_proj.weight", (q, hidden)
        yield f"{layer}.self_attn.v_proj.weight", (kv, hidden)
        if pictures:
            for name, size in (("k", kv), ("q", q), ("v", kv)):
                yield f"{layer}.self_attn.{name}_proj.bias", (size,)
    yield "model.norm.weight", (hidden,)
    if not config["tie_word_embeddings"]:
        yield "lm_head.weight", (config["vocab_size"], hidden)
    if pictures:
        yield from tower_tensors(config["vision_config"])


def tower_tensors(vision: dict[str, Any]) -> Iterator[tuple[str, tuple[int, ...]]]:
    width, patch = vision["embed_dim"], vision["patch_size"]
    inner, merged = width * vision["mlp_ratio"], width * vision["spatial_merge_size"]**2
    products = {"attn.qkv": (3 * width, width), "attn.proj": (width, width),
                "mlp.fc1": (inner, width), "mlp.fc2": (width, inner)}
    yield ("visual.patch_embed.proj.weight",
           (width, vision["in_chans"], vision["temporal_patch_size"], patch, patch))
    for i in range(vision["depth"]):
        for norm in ("norm1", "norm2"):
            yield f"visual.blocks.{i}.{norm}.weight", (width,)
            yield f"visual.blocks.{i}.{norm}.bias", (width,)
        for name, shape in products.items():
            yield f"visual.blocks.{i}.{name}.weight", shape
            yield f"visual.blocks.{i}.{name}.bias", shape[:1]
    yield "visual.merger.ln_q.weight", (width,)
    yield "visual.merger.ln_q.bias", (width,)
    for name, rows in (("mlp.0", merged), ("mlp.2", vision["hidden_size"])):
        yield f"visual.merger.{name}.weight", (rows, merged)
        yield f"visual.merger.{name}.bias", (rows,)


def draw(name: str, shape: tuple[int, ...], seed: int, index: int) -> np.ndarray:
    """float32: weights of norms near 1, biases near 0; matrices that preserve the magnitude of unit inputs."""
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, index])))
    values = rng.standard_normal(shape, dtype=np.float32)
    if len(shape) == 1:
        return np.float32(0 if name.endswith("bias") else 1) + np.float32(0.1) * values
    values *= np.float32(1 / math.sqrt(math.prod(shape[1:])))
    return values


def stored(values: np.ndarray, dtype: str) -> np.ndarray:
    """The values in the file's type, little-endian; rounded to nearest, ties to even. bfloat16 overwrites them."""
    if dtype == "float32":
        return values.astype("<f4", copy=False)
    if dtype == "float16":
        return values.astype("<f2")
    bits = values.view(np.uint32)
    bits += np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (bits >> np.uint32(16)).astype("<u2")


def quantised(values: np.ndarray, bits: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Packed words, scales and biases of float32 rows, as mx.quantize computes them (mode affine): the end of
    a group's range that is farther from zero is represented exactly, and so is zero."""
    groups = values.reshape(len(values), -1, GROUP)
    low, high = groups.min(-1), groups.max(-1)
    most = np.float32(2**bits - 1)
    down = np.abs(low) > np.abs(high)
    scale = np.maximum((high - low) / most, np.float32(1e-7)) * np.where(down, 1, -1).astype("f4")
    edge = np.where(down, low, high)
    steps = np.rint(edge / scale)
    scale = np.where(steps != 0, edge / np.where(steps != 0, steps, 1), scale)
    bias = np.where(steps != 0, edge, 0).astype(np.float32)
    codes = np.rint((groups - bias[..., None]) / scale[..., None]).clip(0, most).astype(np.uint8)
    codes = codes.reshape(len(values), -1)
    if bits == 4:
        codes = codes[:, 0::2] | codes[:, 1::2] << 4
    return np.ascontiguousarray(codes).view("<u4"), scale, bias


def parts(name: str, shape: tuple[int, ...], dtype: str,
          bits: int) -> Iterator[tuple[str, str, list[int], int]]:
    """The stored parts of a tensor: names, types, shapes and sizes in bytes."""
    kind, size = SAFETENSORS_TYPES[dtype]
    if not bits or len(shape) == 1:
        yield name, kind, list(shape), math.prod(shape) * size
        return
    rows, columns = shape
    yield name, "U32", [rows, columns * bits // 32], rows * columns * bits // 8
    for part in ("scales", "biases"):
        other = f"{name.removesuffix('weight')}{part}"
        yield other, kind, [rows, columns // GROUP], rows * columns // GROUP * size


def write_tensor(file: BinaryIO, values: np.ndarray, dtype: str, bits: int) -> None:
    if not bits or values.ndim == 1:
        stored(values, dtype).tofile(file)
        return
    pieces = [quantised(values[at:at + PIECE], bits) for at in range(0, len(values), PIECE)]
    for words, _, _ in pieces:
        words.tofile(file)
    for index in (1, 2):
        for piece in pieces:
            stored(piece[index], dtype).tofile(file)


def write_weights(path: Path, config: dict[str, Any], dtype: str, seed: int, bits: int) -> int:
    """Writes one tensor after the other, so that only one is in memory. Returns the total size in bytes."""
    shapes = dict(tensors(config))
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for tensor, whole in shapes.items():
        for name, kind, shape, size in parts(tensor, whole, dtype, bits):
            begin, end = end, end + size
            header[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for index, (tensor, shape) in enumerate(shapes.items()):
            write_tensor(file, draw(tensor, shape, seed, index), dtype, bits)
    return end


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.bench_checkpoint",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--shape", choices=SHAPES, default="qwen3-0.6b")
    parser.add_argument("--dtype", choices=SAFETENSORS_TYPES, default="bfloat16")
    parser.add_argument("--bits", type=int, choices=(4, 8), default=0,
                        help=f"of MLX's groups of {GROUP} (default: not quantised)")
    parser.add_argument("--layers", type=int, help="the first layers of the shape only (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the weights (default: 0)")
    parser.add_argument("directory", type=Path, help="receives config.json and model.safetensors")
    options = parser.parse_args(arguments)
    config = SHAPES[options.shape] | {"torch_dtype": options.dtype}
    if options.layers is not None:
        if not 1 <= options.layers <= config["num_hidden_layers"]:
            parser.error(f"--layers: found {options.layers}, expected 1 to {config['num_hidden_layers']}")
        config |= {"num_hidden_layers": options.layers, "max_window_layers": options.layers}
    if options.bits:
        if "vision_config" in config:
            parser.error(f"--bits: {options.shape} has a tower, which is written unquantised only")
        if config["hidden_size"] % GROUP or config["intermediate_size"] % GROUP:
            parser.error(f"--bits: {options.shape} has rows that are no multiple of {GROUP}")
        config["quantization"] = {"group_size": GROUP, "bits": options.bits}
    options.directory.mkdir(parents=True, exist_ok=True)
    size = write_weights(options.directory / "model.safetensors", config, options.dtype,
                         options.seed, options.bits)
    text = json.dumps(config, indent=2, sort_keys=True)
    (options.directory / "config.json").write_text(text + "\n")
    groups = f" with {options.bits}-bit groups" if options.bits else ""
    print(f"{options.directory}: {options.shape}, {options.dtype}{groups}, {size} bytes of weights")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
