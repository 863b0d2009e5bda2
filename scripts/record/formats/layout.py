"""How a matrix is stored, as data, and the one decoder that reads it.

    w(o, k) = (code - zero) * (scale * scale2 + offset) - min * min2

Each of these is a Field: numbers in a buffer of bytes, whose bits a few planes find. The value is exact up to one rounding to
float64 wherever there is no offset."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Digit:
    """((x * mul + add) // div % mod) * stride bits; x is an output o, an input k, or the element e = o * n_in + k. mod 0: no remainder."""

    axis: str
    stride: int
    div: int = 1
    mod: int = 0
    mul: int = 1
    add: int = 0

    def bits(self, o: np.ndarray, k: np.ndarray, n_in: int) -> np.ndarray:
        x = {"o": o, "k": k, "e": o * n_in + k}[self.axis] * self.mul + self.add
        x = x // self.div
        return (x % self.mod if self.mod else x) * self.stride


@dataclass(frozen=True)
class Plane:
    """The next `width` bits of a number, lowest first: at base + the sum of the digits."""

    width: int
    base: int
    digits: tuple[Digit, ...]


@dataclass(frozen=True)
class Field:
    """(number - minus) * times. kind: unsigned, signed, f16, bf16, f32 or table. data: uint8 [n]."""

    kind: str
    planes: tuple[Plane, ...]
    data: np.ndarray
    minus: float = 0.0
    times: float = 1.0
    table: np.ndarray | None = None

    def words(self, o: np.ndarray, k: np.ndarray, n_in: int) -> np.ndarray:
        """The stored bits of each number, as unsigned."""
        padded = np.concatenate([self.data, np.zeros(8, np.uint8)])
        found, shift = np.zeros(np.broadcast(o, k).shape, np.uint64), 0
        for plane in self.planes:
            bit = plane.base + sum(digit.bits(o, k, n_in) for digit in plane.digits)
            bit = np.broadcast_to(np.asarray(bit, np.int64), found.shape)
            if bit.size and (bit.min() < 0 or bit.max() + plane.width > 8 * self.data.size):
                raise RuntimeError(f"a number ends at bit {bit.max() + plane.width} of {8 * self.data.size}")
            word = np.zeros(found.shape, np.uint64)
            for byte in range((plane.width + 14) // 8):
                word |= padded[(bit >> 3) + byte].astype(np.uint64) << np.uint64(8 * byte)
            word = (word >> (bit & 7).astype(np.uint64)) & np.uint64(2 ** plane.width - 1)
            found |= word << np.uint64(shift)
            shift += plane.width
        return found

    def numbers(self, o: np.ndarray, k: np.ndarray, n_in: int) -> np.ndarray:
        """float64 [o, k], exact."""
        words, width = self.words(o, k, n_in), sum(plane.width for plane in self.planes)
        if self.kind == "table":
            found = self.table[words.astype(np.int64)]
        elif self.kind == "f32":
            found = words.astype(np.uint32).view(np.float32)
        elif self.kind == "f16":
            found = words.astype(np.uint16).view(np.float16)
        elif self.kind == "bf16":
            found = (words.astype(np.uint32) << 16).view(np.float32)
        else:
            found = words.astype(np.int64)
            if self.kind == "signed":
                found = found - ((found >> (width - 1)) << width)
        return (found.astype(np.float64) - self.minus) * self.times


@dataclass(frozen=True)
class Matrix:
    """A stored matrix [n_out, n_in]. group_of: [n_in], the input that stands for k where scale, zero and offset are looked up."""

    n_out: int
    n_in: int
    codes: Field
    scale: Field | None = None
    scale2: Field | None = None
    divides: bool = False  # scale2 divides
    zero: Field | None = None
    offset: Field | None = None
    minimum: Field | None = None
    minimum2: Field | None = None
    group_of: np.ndarray | None = None

    def parts(self) -> dict[str, np.ndarray | None]:
        o, k = np.arange(self.n_out)[:, None], np.arange(self.n_in)[None, :]
        g = k if self.group_of is None else np.asarray(self.group_of, np.int64)[None, :]

        def numbers(field: Field | None, column: np.ndarray) -> np.ndarray | None:
            return None if field is None else np.broadcast_to(field.numbers(o, column, self.n_in), (self.n_out, self.n_in))
        return {"codes": numbers(self.codes, k), "scale": numbers(self.scale, g), "scale2": numbers(self.scale2, g),
                "zero": numbers(self.zero, g), "offset": numbers(self.offset, g), "minimum": numbers(self.minimum, g),
                "minimum2": numbers(self.minimum2, g)}


def value(parts: dict, divides: bool):
    """The number that the parts of one or of all weights stand for, in their own arithmetic."""
    found = parts["codes"]
    if parts["zero"] is not None:
        found = found - parts["zero"]
    if parts["offset"] is not None:
        scale = parts["scale"] if parts["scale2"] is None else parts["scale"] * parts["scale2"]
        found = found * (scale + parts["offset"])
    else:
        if parts["scale"] is not None:
            found = found * parts["scale"]
        if parts["scale2"] is not None:
            found = found / parts["scale2"] if divides else found * parts["scale2"]
    if parts["minimum"] is not None:
        low = parts["minimum"] if parts["minimum2"] is None else parts["minimum"] * parts["minimum2"]
        found = found - low
    return found


def decode(matrix: Matrix) -> np.ndarray:
    """float64 [n_out, n_in]."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.array(value(matrix.parts(), matrix.divides))


def rounded(matrix: Matrix) -> np.ndarray:
    """The same by fractions: the exact value, rounded once to float64."""
    parts = matrix.parts()
    made = decode(matrix)
    finite = np.isfinite(made)
    for at in zip(*np.nonzero(finite)):
        one = {name: None if found is None else Fraction(float(found[at])) for name, found in parts.items()}
        if (exact := value(one, matrix.divides)) != 0:  # a zero keeps its sign
            made[at] = float(exact)
    return made


E2M1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6])
E2M1 = np.concatenate([E2M1, -E2M1])
IQ4NL = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], float)


def _e4m3() -> np.ndarray:
    code = np.arange(256)
    power, part = code >> 3 & 15, code & 7
    found = np.where(power == 0, part * 2.0 ** -9, (8 + part) * 2.0 ** (power - 10.0))
    found[(code & 127) == 127] = np.nan
    return np.where(code & 128, -found, found)


def _ue4m3() -> np.ndarray:
    """ggml's: the sign is ignored, 0x7f is 0 and 0xff 480."""
    found = np.abs(_e4m3())
    found[127], found[255] = 0, 480
    return found


E4M3, UE4M3 = _e4m3(), _ue4m3()
E8M0 = 2.0 ** (np.arange(256) - 127.0)  # of compressed-tensors and ggml, which give 2^128 for 255
E8M0_OCP = np.where(np.arange(256) == 255, np.nan, E8M0)
