"""How a matrix is stored, as data, and the one decoder that reads it.

    w(o, k) = (code - zero) * (scale * scale2 + offset) - min * min2

Each of these is a Field: numbers in a buffer of bytes, whose bits a few planes find. The value is exact up to one rounding to
float64 wherever there is no offset."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

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

    def bits(self, x: np.ndarray) -> np.ndarray:
        x = (x * self.mul + self.add) // self.div
        return (x % self.mod if self.mod else x) * self.stride

    def is_sum(self, n_in: int) -> bool:
        """Whether that of an element is a number of its output plus one of its input: each row has whole periods."""
        return self.axis != "e" or n_in * self.mul % (self.div * max(1, self.mod)) == 0

    def apart(self, o: np.ndarray, k: np.ndarray, n_in: int) -> tuple[Any, Any]:
        """What an output and what an input adds, where is_sum holds."""
        if self.axis == "e":
            return (0 if self.mod else o * (n_in * self.mul // self.div * self.stride)), self.bits(k)
        return (self.bits(o), 0) if self.axis == "o" else (0, self.bits(k))


@dataclass(frozen=True)
class Plane:
    """The next `width` bits of a number, lowest first: at base + the sum of the digits."""

    width: int
    base: int
    digits: tuple[Digit, ...]

    def offsets(self, o: np.ndarray, k: np.ndarray, n_in: int) -> tuple[np.ndarray, np.ndarray]:
        """The first bits of all numbers as a sum: of [o, 1] and [1, k], or, where they are none, of [o, k] and zeros."""
        down, across = np.zeros((len(o), 1), np.int64), np.full((1, len(k)), self.base)
        for digit in self.digits:
            if digit.is_sum(n_in):
                of_output, of_input = digit.apart(o[:, None], k[None, :], n_in)
                down, across = down + of_output, across + of_input
            else:
                down = down + digit.bits(o[:, None] * n_in + k[None, :])
        return down, across

    def words(self, data: np.ndarray, o: np.ndarray, k: np.ndarray, n_in: int) -> np.ndarray:
        """The bits of each number [o, k], as unsigned."""
        down, across = self.offsets(o, k, n_in)
        last = down.max(initial=0) + across.max(initial=0) + self.width
        if down.min(initial=0) + across.min(initial=0) < 0 or (down.size and across.size and last > 8 * data.size):
            raise RuntimeError(f"a number ends at bit {last} of {8 * data.size}")
        if self.width in (16, 32) and not ((down % self.width).any() or (across % self.width).any()):
            whole = data[:data.size * 8 // self.width * self.width // 8].view(f"<u{self.width // 8}")
            return pick(whole, down // self.width, across // self.width)
        if (down & 7).any() and (across & 7).any():
            down, across = down + across, np.zeros((1, 1), np.int64)
        shift = (down if (down & 7).any() else across) & 7
        n_bytes = (int(shift.max(initial=0)) + self.width + 7) // 8
        kind = np.uint8 if n_bytes == 1 else np.uint16 if n_bytes == 2 else np.uint64
        word = pick(data, down >> 3, across >> 3).astype(kind, copy=False)
        for byte in range(1, n_bytes):
            word |= pick(data, (down >> 3) + byte, across >> 3).astype(kind) << kind(8 * byte)
        return (word >> shift.astype(kind)) & kind(2 ** self.width - 1)


def pick(data: np.ndarray, down: np.ndarray, across: np.ndarray) -> np.ndarray:
    """data[down + across]; beyond the end, its last number."""
    n, step = len(down), int(down[1, 0] - down[0, 0]) if len(down) > 1 else 0
    begin = int(down[0, 0]) if down.size else 0
    if down.shape[1] == 1 and 0 < step > across.max(initial=0) and begin + n * step <= data.size and (np.diff(down[:, 0]) == step).all():
        return data[begin:begin + n * step].reshape(n, step).take(across[0], axis=1)
    return data.take(down + across, mode="clip")


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
        found, shift = None, 0
        for plane in self.planes:
            word = plane.words(self.data, o, k, n_in)
            if found is None:
                found = word
            else:
                kind = np.result_type(found, word, np.min_scalar_type(2 ** (shift + plane.width) - 1))
                found = found.astype(kind, copy=False) | word.astype(kind, copy=False) << kind.type(shift)
            shift += plane.width
        return np.broadcast_to(found, (len(o), len(k)))

    def numbers(self, o: np.ndarray, k: np.ndarray, n_in: int) -> np.ndarray:
        """float64 [o, k], exact."""
        words, width = self.words(o, k, n_in), sum(plane.width for plane in self.planes)
        if self.kind == "table":
            return (self.table.take(words) - self.minus) * self.times if self.minus or self.times != 1 else self.table.take(words)
        if self.kind == "f32":
            found = np.ascontiguousarray(words, np.uint32).view(np.float32)
        elif self.kind == "f16":
            found = np.ascontiguousarray(words, np.uint16).view(np.float16)
        elif self.kind == "bf16":
            found = (words.astype(np.uint32) << 16).view(np.float32)
        else:
            found = words
        found = found.astype(np.float64)
        if self.kind == "signed":
            found -= np.where(found >= 2.0 ** (width - 1), 2.0 ** width, 0)
        if self.minus:
            found -= self.minus
        if self.times != 1:
            found *= self.times
        return found

    def run(self, k: np.ndarray, n_in: int) -> int:
        """The largest number of consecutive columns that always share a number, and divides all of them."""
        changes = np.zeros(len(k), bool)
        for digit in (digit for plane in self.planes for digit in plane.digits):
            if not digit.is_sum(n_in):
                return 1
            of_input = np.broadcast_to(digit.apart(np.zeros(1, np.int64), k, n_in)[1], k.shape)
            changes[1:] |= of_input[1:] != of_input[:-1]
        return int(np.gcd.reduce(np.flatnonzero(changes), initial=len(k)))


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

    def fields(self) -> dict[str, Field | None]:
        return {name: getattr(self, name) for name in ("codes", "scale", "scale2", "zero", "offset", "minimum", "minimum2")}

    def columns(self, name: str) -> np.ndarray:
        """The input of each column by which a field is looked up."""
        if self.group_of is None or name not in ("scale", "scale2", "zero", "offset"):
            return np.arange(self.n_in)
        return np.asarray(self.group_of, np.int64)

    def parts(self, o: np.ndarray) -> dict[str, np.ndarray | None]:
        """The numbers of each field for the outputs o. A number that columns share is there once: the columns are divided into axes, which
        are 1 where they share it."""
        present = {name: field for name, field in self.fields().items() if field is not None}
        runs = {name: 1 if name == "codes" else field.run(self.columns(name), self.n_in) for name, field in present.items()}
        lengths = [self.n_in]
        for run in sorted(set(runs.values()), reverse=True):
            lengths.append(math.gcd(lengths[-1], run))
        found: dict[str, np.ndarray | None] = dict.fromkeys(self.fields())
        for name, field in present.items():
            run = next(length for length in lengths if runs[name] % length == 0)
            axes = [outer // inner if inner >= run else 1 for outer, inner in zip(lengths, [*lengths[1:], 1])]
            found[name] = field.numbers(o, self.columns(name)[::run], self.n_in).reshape(len(o), *axes)
        return found


def value(parts: dict, divides: bool):
    """The number that the parts of one or of all weights stand for, in their own arithmetic."""
    found = parts["codes"]
    if parts["zero"] is not None:
        found = found - parts["zero"]
    scale, scale2 = parts["scale"], parts["scale2"]
    if divides:
        found = found / scale2 if scale is None else found * scale / scale2
    elif scale is not None or scale2 is not None:
        scale = scale2 if scale is None else scale if scale2 is None else scale * scale2
        found = found * (scale if parts["offset"] is None else scale + parts["offset"])
    if parts["minimum"] is not None:
        low = parts["minimum"] if parts["minimum2"] is None else parts["minimum"] * parts["minimum2"]
        found = found - low
    return found


BLOCK = 15 << 13  # numbers that are decoded at once: less than a megabyte in float64, which glibc takes from its heap (own.return_freed_memory)


def decode(matrix: Matrix, begin: int = 0, end: int | None = None) -> np.ndarray:
    """float64 [n_out, n_in], or its rows begin … end - 1."""
    end = matrix.n_out if end is None else end
    out = np.empty((end - begin, matrix.n_in))
    step = max(1, BLOCK // max(1, matrix.n_in))
    with np.errstate(invalid="ignore", over="ignore"):
        for first in range(begin, end, step):
            o = np.arange(first, min(end, first + step))
            out[first - begin:first - begin + len(o)] = value(matrix.parts(o), matrix.divides).reshape(len(o), matrix.n_in)
    return out


def rounded(matrix: Matrix) -> np.ndarray:
    """The same by fractions: the exact value, rounded once to float64."""
    parts = matrix.parts(np.arange(matrix.n_out))
    made = decode(matrix)
    shape = np.broadcast_shapes(*(found.shape for found in parts.values() if found is not None))
    full = {name: None if found is None else np.broadcast_to(found, shape).reshape(made.shape) for name, found in parts.items()}
    finite = np.isfinite(made)
    for at in zip(*np.nonzero(finite)):
        one = {name: None if found is None else Fraction(float(found[at])) for name, found in full.items()}
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
