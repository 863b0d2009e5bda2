"""The formats of quantised matrices in safetensors: for each, which tensors a matrix X has, and how they are fields."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import switched
from .layout import E2M1, E4M3, E8M0, Digit, Field, Matrix, Plane

Config = dict[str, Any]


@dataclass(frozen=True)
class Stored:
    """A tensor as it is in a file. dtype: safetensors' name. data: uint8 [bytes]."""

    dtype: str
    shape: tuple[int, ...]
    data: np.ndarray


Tensors = dict[str, Stored]

# dtype: kind, bits, table
PLAIN: dict[str, tuple[str, int, np.ndarray | None]] = {
    "F32": ("f32", 32, None), "F16": ("f16", 16, None), "BF16": ("bf16", 16, None), "F8_E4M3": ("table", 8, E4M3),
    "F8_E8M0": ("table", 8, E8M0), "I8": ("signed", 8, None), "U8": ("unsigned", 8, None), "I32": ("signed", 32, None),
}


def array(stored: Stored, *digits: tuple[str, int, int], **more: Any) -> Field:
    """A tensor of plain numbers. digits: (axis, stride in elements, divisor)."""
    kind, width, table = PLAIN[stored.dtype]
    planes = (Plane(width, 0, tuple(Digit(axis, stride * width, div) for axis, stride, div in digits)),)
    return replace(Field(kind, planes, stored.data, table=table), **more)


def grid(stored: Stored, rows: int, columns: int, **more: Any) -> Field:
    """Numbers for blocks of `rows` outputs and `columns` inputs; an axis of length 1 is one block."""
    n_rows, n_columns = ((1, 1) if not stored.shape else (stored.shape[0], 1) if len(stored.shape) == 1 else stored.shape[-2:])
    digits = [("o", n_columns, rows)] if n_rows > 1 else []
    digits += [("k", 1, columns)] if n_columns > 1 else []
    return array(stored, *digits, **more)


def stream(data: np.ndarray, kind: str, bits: int, row: int, **more: Any) -> Field:
    """Codes of consecutive inputs, lowest bit first; rows of `row` bits."""
    return Field(kind, (Plane(bits, 0, (Digit("o", row), Digit("k", bits))),), data, **more)


def fours(stored: Stored, n_in: int) -> Field:
    return stream(stored.data, "table", 4, 4 * n_in, table=E2M1)


def down_words(data: np.ndarray, axis: str, bits: int, words: int, *others: Digit, **more: Any) -> Field:
    """Codes in a stream of bits that goes down a column of 32-bit words, `words` a row: one plane a bit."""
    planes = tuple(Plane(1, 0, (Digit(axis, 32 * words, 32, 0, bits, j), Digit(axis, 1, 1, 32, bits, j), *others))
                   for j in range(bits))
    return Field("unsigned", planes, data, **more)


def size(stored: Stored) -> tuple[int, int]:
    return int(np.prod(stored.shape[:-1])), stored.shape[-1]


def numbers(stored: Stored) -> np.ndarray:
    kind, width, table = PLAIN[stored.dtype]
    n = stored.data.size * 8 // width
    return array(stored, ("k", 1, 1)).numbers(np.zeros(1, int), np.arange(n), n).reshape(stored.shape)


def as_plain(x: str, tensors: Tensors, _settings: Config) -> Matrix | None:
    weight = tensors[f"{x}.weight"]
    n_out, n_in = size(weight)
    return Matrix(n_out, n_in, array(weight, ("o", n_in, 1), ("k", 1, 1)))


def as_fp8(x: str, tensors: Tensors, settings: Config) -> Matrix | None:
    scale, weight = tensors.get(f"{x}.weight_scale_inv", tensors.get(f"{x}.weight_scale")), tensors.get(f"{x}.weight")
    if scale is None:
        return None
    if weight.dtype == "I8":  # experts of e2m1
        n_out, n_in = size(weight)
        return Matrix(n_out, 2 * n_in, fours(weight, 2 * n_in), grid(scale, 1, 32))
    rows, columns = settings.get("weight_block_size") or (1, 1)
    exponents = {"kind": "table", "table": E8M0} if scale.dtype == "U8" else {}
    return replace(as_plain(x, tensors, settings), scale=grid(scale, rows, columns, **exponents))


def scheme(x: str, settings: Config) -> Config:
    """The weights' settings of the group of compressed-tensors that has a module."""
    for group in settings["config_groups"].values():
        for target in group["targets"]:
            hit = re.match(target[3:], x) if target.startswith("re:") else target == "Linear" or x.endswith(target)
            if hit:
                return {"format": settings["format"], **{k: v for k, v in group.items() if v is not None}}
    raise RuntimeError(f"no group of config_groups has {x}")


def as_compressed(x: str, tensors: Tensors, settings: Config) -> Matrix | None:
    if f"{x}.weight_scale" not in tensors:
        return None
    scale, said = tensors[f"{x}.weight_scale"], scheme(x, settings)
    weights = said["weights"]
    bits, group = weights["num_bits"], weights.get("group_size") or 1
    if f"{x}.weight_packed" not in tensors:
        rows, columns = weights.get("block_structure") or (1, group)
        exponents = {"kind": "table", "table": E8M0} if scale.dtype == "U8" else {}
        made = replace(as_plain(x, tensors, settings), scale=grid(scale, rows, columns, **exponents))
        zero = tensors.get(f"{x}.weight_zero_point")
        return made if zero is None else replace(made, zero=grid(zero, rows, columns))
    packed = tensors[f"{x}.weight_packed"]
    if packed.dtype == "U8":
        n_out, n_in = size(packed)
        exponents = {"kind": "table", "table": E8M0} if scale.dtype == "U8" else {}
        made = Matrix(n_out, 2 * n_in, fours(packed, 2 * n_in), grid(scale, 1, group, **exponents))
        whole = tensors.get(f"{x}.weight_global_scale")
        return made if whole is None else replace(made, scale2=array(whole), divides=True)
    n_out, n_in = (int(n) for n in tensors[f"{x}.weight_shape"].data.view("<i8"))
    half, words = 2.0 ** (bits - 1), packed.shape[-1]
    made = Matrix(n_out, n_in, stream(packed.data, "unsigned", bits, 32 * words, minus=half), grid(scale, 1, group))
    zero = tensors.get(f"{x}.weight_zero_point")
    if zero is not None:
        groups = zero.shape[-1]
        digits = (Digit("k", 32, group),) if groups > 1 else ()
        made = replace(made, zero=down_words(zero.data, "o", bits, groups, *digits, minus=half))
    order = tensors.get(f"{x}.weight_g_idx")
    return made if order is None else replace(made, group_of=numbers(order).astype(int) * group)


TWOS = np.array([*range(8), *range(-8, 0)], np.float64)  # codes of 4 bits in two's complement
PAIRS = (Digit("o", 4, 1, 2),)


def as_modelopt(x: str, tensors: Tensors, settings: Config) -> Matrix | None:
    """pre_quant_scale multiplies the inputs first."""
    scale, scale2, smooth = (tensors.get(f"{x}.{name}") for name in ("weight_scale", "weight_scale_2", "pre_quant_scale"))
    if scale is None:
        return None
    weight = tensors[f"{x}.weight"]
    n_out, n_in = size(weight)
    if settings["quant_algo"] in ("W4A16_AWQ", "W4A8_AWQ"):
        codes = Field("table", (Plane(4, 0, (Digit("o", 8 * n_in, 2), *PAIRS, Digit("k", 8))),), weight.data, table=TWOS)
        made = Matrix(2 * n_out, n_in, codes, grid(scale, 1, n_in // scale.shape[-1]))
    elif weight.dtype == "U8":
        n_in *= 2
        exponents = {"kind": "table", "table": E8M0} if scale.dtype == "U8" else {}
        made = Matrix(n_out, n_in, fours(weight, n_in), grid(scale, 1, n_in // scale.shape[-1], **exponents))
        if scale2 is not None and smooth is None:
            return replace(made, scale2=array(scale2))
        if scale2 is not None:
            return replace(made, scale2=array(smooth, ("k", 1, 1), times=float(numbers(scale2).reshape(()))))
    elif len(scale.shape) == 4:
        made = replace(as_plain(x, tensors, settings), scale=array(scale, ("o", scale.shape[2], 128), ("k", 1, 128)))
    else:
        exponents = {"kind": "table", "table": E8M0} if scale.dtype == "U8" else {}
        columns = n_in // scale.shape[-1] if len(scale.shape) == 2 else 1
        made = replace(as_plain(x, tensors, settings), scale=grid(scale, 1, columns, **exponents))
    return made if smooth is None else replace(made, scale2=array(smooth, ("k", 1, 1)))


def as_mxfp4(x: str, tensors: Tensors, _settings: Config) -> Matrix | None:
    """gpt-oss's stacks: a matrix of all their rows."""
    if f"{x}_blocks" not in tensors:
        return None
    blocks, scales = tensors[f"{x}_blocks"], tensors[f"{x}_scales"]
    n_out, n_in = int(np.prod(blocks.shape[:-2])), blocks.shape[-2] * 32
    return Matrix(n_out, n_in, fours(blocks, n_in),
                  array(scales, ("o", n_in // 32, 1), ("k", 1, 32), kind="table", table=E8M0))


def as_awq(x: str, tensors: Tensors, settings: Config) -> Matrix | None:
    if f"{x}.qweight" not in tensors:
        return None
    codes, zeros, scales = (tensors[f"{x}.{name}"] for name in ("qweight", "qzeros", "scales"))
    n_in, n_out = codes.shape[0], codes.shape[1] * 8
    group = n_in // scales.shape[0]
    column = (Digit("o", 32, 8), Digit("o", 16, 1, 2), Digit("o", 4, 2, 4))

    def found(stored: Stored, div: int) -> Field:
        return Field("unsigned", (Plane(4, 0, (Digit("k", 4 * n_out, div), *column)),), stored.data)
    return Matrix(n_out, n_in, found(codes, 1), array(scales, ("k", n_out, group), ("o", 1, 1)), zero=found(zeros, group))


def as_gptq(x: str, tensors: Tensors, settings: Config) -> Matrix | None:
    if f"{x}.qweight" not in tensors:
        return None
    codes, zeros, scales, order = (tensors.get(f"{x}.{name}") for name in ("qweight", "qzeros", "scales", "g_idx"))
    bits, n_out = settings["bits"], codes.shape[1]
    n_in = codes.shape[0] * 32 // bits
    form = settings.get("checkpoint_format") or settings.get("format") or "gptq"
    group = 1 if order is not None else n_in // scales.shape[0]
    zero = Field("unsigned", (Plane(bits, 0, (Digit("k", n_out * bits, group), Digit("o", bits))),), zeros.data,
                 minus=-1.0 if form == "gptq" else 0.0)
    return Matrix(n_out, n_in, down_words(codes.data, "k", bits, n_out, Digit("o", 32)),
                  array(scales, ("k", n_out, group), ("o", 1, 1)), zero=zero,
                  group_of=None if order is None else numbers(order).astype(int))


def as_bitsandbytes(x: str, tensors: Tensors, settings: Config) -> Matrix | None:
    weight = tensors[f"{x}.weight"]
    if f"{x}.SCB" in tensors:
        whole = array(Stored("F32", (1,), np.array([127], "<f4").view(np.uint8)))
        return replace(as_plain(x, tensors, settings), scale=array(tensors[f"{x}.SCB"], ("o", 1, 1)), scale2=whole, divides=True)
    name = next((n for n in tensors if n.startswith(f"{x}.weight.quant_state.bitsandbytes__")), None)
    if name is None:
        return None
    state = json.loads(tensors[name].data.tobytes())
    n_out, n_in = state["shape"]
    table = numbers(tensors[f"{x}.weight.quant_map"])
    codes = Field("table", (Plane(4, 0, (Digit("e", 8, 2), Digit("e", 4, 1, 2, 1, 1))),), weight.data, table=table)
    absmax = array(tensors[f"{x}.weight.absmax"], ("e", 1, state["blocksize"]))
    if "nested_blocksize" not in state:
        return Matrix(n_out, n_in, codes, absmax)
    nested = array(tensors[f"{x}.weight.nested_absmax"], ("e", 1, state["blocksize"] * state["nested_blocksize"]))
    offset = Stored("F32", (1,), np.array([state["nested_offset"]], "<f4").view(np.uint8))
    return Matrix(n_out, n_in, codes, replace(absmax, kind="table", table=numbers(tensors[f"{x}.weight.nested_quant_map"])),
                  nested, offset=array(offset))


def group_of_mlx(x: str, settings: Config) -> int:
    """Inputs that have a scale and a bias."""
    own = settings.get(x, settings.get(switched.stack_of(x)))
    return (own if isinstance(own, dict) else settings).get("group_size", 64)  # MLX's default


def as_mlx(x: str, tensors: Tensors, settings: Config) -> Matrix | None:
    """MLX's affine groups."""
    if f"{x}.scales" not in tensors:
        return None
    codes, scales, biases = (tensors[f"{x}.{name}"] for name in ("weight", "scales", "biases"))
    group = group_of_mlx(x, settings)
    (n_out, words), groups = size(codes), scales.shape[-1]
    return Matrix(n_out, groups * group, stream(codes.data, "unsigned", 32 * words // (groups * group), 32 * words),
                  array(scales, ("o", groups, 1), ("k", 1, group)), minimum=array(biases, ("o", groups, 1), ("k", 1, group), times=-1.0))


METHODS: dict[str, Callable[[str, Tensors, Config], Matrix | None]] = {
    "fp8": as_fp8, "compressed-tensors": as_compressed, "modelopt": as_modelopt, "mxfp4": as_mxfp4, "awq": as_awq,
    "gptq": as_gptq, "bitsandbytes": as_bitsandbytes, "mlx": as_mlx,
}


def matrix(x: str, tensors: Tensors, settings: Config) -> Matrix | None:
    """The matrix X as `settings` (quantization_config) stores it; None: it is not quantised."""
    return METHODS[settings["quant_method"]](x, tensors, settings)
