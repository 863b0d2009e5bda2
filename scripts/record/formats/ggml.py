"""ggml's block types, as rows of data: blocks of `size` consecutive inputs in `length` bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .layout import E2M1, E8M0, IQ4NL, UE4M3, Digit, Field, Matrix, Plane

Place = tuple[int, int, tuple[tuple[int, int, int], ...]]  # width, base bit, (div, mod, stride) of inputs in a block


@dataclass(frozen=True)
class Part:
    """A field of a block."""

    kind: str
    planes: tuple[Place, ...]
    minus: float = 0.0
    times: float = 1.0
    table: Any = None


@dataclass(frozen=True)
class Type:
    name: str
    number: int
    size: int
    length: int
    parts: dict[str, Part]


def half(byte: int) -> Part:
    return Part("f16", ((16, 8 * byte, ()),))


def nibbles(byte: int, size: int = 16) -> Place:
    """Byte j of `size` has element j in its low and element j + size in its high nibble."""
    return 4, 8 * byte, ((1, size, 8), (size, 2, 4))


def codes(*planes: Place, **more: Any) -> Part:
    return Part("unsigned", planes, **more)


def plain(kind: str, width: int) -> dict[str, Part]:
    return {"codes": Part(kind, ((width, 0, ()),))}


TWO_BITS = ((128, 2, 256), (32, 4, 2), (1, 32, 8))
K_NIBBLES = ((64, 4, 256), (32, 2, 4), (1, 32, 8))
K_SCALES = {
    "scale": codes((4, 32, ((32, 4, 8), (128, 2, 64))), (2, 36, ((32, 4, 8), (128, 2, 2)))), "scale2": half(0),
    "minimum": codes((4, 64, ((32, 4, 8), (128, 2, 36))), (2, 68, ((32, 4, 8), (128, 2, 2)))), "minimum2": half(2)}
NEGATED = Part("f16", ((16, 16, ()),), times=-1.0)

ROWS = (
    Type("F32", 0, 1, 4, plain("f32", 32)), Type("F16", 1, 1, 2, plain("f16", 16)), Type("BF16", 30, 1, 2, plain("bf16", 16)),
    Type("Q4_0", 2, 32, 18, {"codes": codes(nibbles(2), minus=8), "scale": half(0)}),
    Type("Q4_1", 3, 32, 20, {"codes": codes(nibbles(4)), "scale": half(0), "minimum": NEGATED}),
    Type("Q5_0", 6, 32, 22, {"codes": codes(nibbles(6), (1, 16, ((1, 32, 1),)), minus=16), "scale": half(0)}),
    Type("Q5_1", 7, 32, 24, {"codes": codes(nibbles(8), (1, 32, ((1, 32, 1),))), "scale": half(0), "minimum": NEGATED}),
    Type("Q8_0", 8, 32, 34, {"codes": Part("signed", ((8, 16, ((1, 32, 8),)),)), "scale": half(0)}),
    Type("Q2_K", 10, 256, 84, {
        "codes": codes((2, 128, TWO_BITS)), "scale": codes((4, 0, ((16, 16, 8),))), "scale2": half(80),
        "minimum": codes((4, 4, ((16, 16, 8),))), "minimum2": half(82)}),
    Type("Q3_K", 11, 256, 110, {
        "codes": codes((2, 256, TWO_BITS), (1, 0, ((1, 32, 8), (32, 8, 1))), minus=4),
        "scale": codes((4, 768, ((16, 8, 8), (128, 2, 4))), (2, 832, ((16, 4, 8), (64, 4, 2))), minus=32), "scale2": half(108)}),
    Type("Q4_K", 12, 256, 144, {"codes": codes((4, 128, K_NIBBLES)), **K_SCALES}),
    Type("Q5_K", 13, 256, 176, {"codes": codes((4, 384, K_NIBBLES), (1, 128, ((1, 32, 8), (32, 8, 1)))), **K_SCALES}),
    Type("Q6_K", 14, 256, 210, {
        "codes": codes((4, 0, ((128, 2, 512), (64, 2, 4), (32, 2, 256), (1, 32, 8))),
                       (2, 1024, ((128, 2, 256), (1, 32, 8), (32, 4, 2))), minus=32),
        "scale": Part("signed", ((8, 1536, ((16, 16, 8),)),)), "scale2": half(208)}),
    Type("IQ4_NL", 20, 32, 18, {"codes": Part("table", (nibbles(2),), table=IQ4NL), "scale": half(0)}),
    Type("IQ4_XS", 23, 256, 136, {
        "codes": Part("table", ((4, 64, ((32, 8, 128), (1, 16, 8), (16, 2, 4))),), table=IQ4NL),
        "scale": codes((4, 32, ((32, 8, 4),)), (2, 16, ((32, 8, 2),)), minus=32), "scale2": half(0)}),
    Type("MXFP4", 39, 32, 17, {"codes": Part("table", (nibbles(1),), table=E2M1),
                               "scale": Part("table", ((8, 0, ()),), table=E8M0)}),
    Type("NVFP4", 40, 64, 36, {"codes": Part("table", ((4, 32, ((16, 4, 64), (1, 8, 8), (8, 2, 4))),), table=E2M1),
                               "scale": Part("table", ((8, 0, ((16, 4, 8),)),), table=UE4M3)}),
    Type("TQ2_0", 35, 256, 66, {"codes": codes((2, 0, TWO_BITS), minus=1), "scale": half(64)}),
    Type("Q1_0", 41, 128, 18, {"codes": codes((1, 16, ((1, 128, 1),)), minus=.5, times=2.0), "scale": half(0)}),
    Type("Q2_0", 42, 64, 18, {"codes": codes((2, 16, ((1, 64, 2),)), minus=1), "scale": half(0)}),
)
BY_NUMBER = {row.number: row for row in ROWS}
BY_NAME = {row.name: row for row in ROWS}


def field(part: Part, kind: Type, n_in: int, data: np.ndarray) -> Field:
    blocks = n_in // kind.size * 8 * kind.length
    digits = (Digit("o", blocks), Digit("k", 8 * kind.length, kind.size))
    planes = tuple(Plane(width, base, (*digits, *(Digit("k", stride, div, mod) for div, mod, stride in inner)))
                   for width, base, inner in part.planes)
    return Field(part.kind, planes, data, part.minus, part.times, part.table)


def matrix(kind: Type, n_out: int, n_in: int, data: np.ndarray, scale: Field | None = None) -> Matrix:
    """The matrix [n_out, n_in] of a tensor's bytes; a stack of matrices is one with all their rows. scale: of a tensor X.scale."""
    if n_in % kind.size or data.size != n_out * (n_in // kind.size) * kind.length:
        raise RuntimeError(f"{kind.name}: {n_out} rows of {n_in} numbers are not {data.size} bytes")
    made = {name: field(part, kind, n_in, data) for name, part in kind.parts.items()}
    if scale is not None:
        made["scale2"] = scale
    return Matrix(n_out, n_in, **made)
