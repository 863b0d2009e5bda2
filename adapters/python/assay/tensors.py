"""Tensors of a frame's body, described as in safetensors.

numpy has no bfloat16: a BF16 tensor is read as float32, which holds each of its values exactly, and is written from a
`BFloat16`, whose bits are uint16.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from .errors import ProtocolError

RANK_MOST = 8
NUMPY = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1",
         "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1"}
NAMES = {np.dtype(code): name for name, code in NUMPY.items() if name != "BF16"}


@dataclass(frozen=True)
class BFloat16:
    """Values in bfloat16. bits: uint16, the upper half of the float32."""

    bits: np.ndarray

    def widened(self) -> np.ndarray:
        return (self.bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


Array = Union[np.ndarray, BFloat16]


class Body:
    """The body of a frame that is being written."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, array: Array) -> dict[str, Any]:
        """Appends the data of an array; returns its description."""
        values = array.bits if isinstance(array, BFloat16) else np.asarray(array)
        little = values.dtype.newbyteorder("<")
        name = "BF16" if isinstance(array, BFloat16) else NAMES.get(little)
        if name is None or isinstance(array, BFloat16) and values.dtype != np.uint16:
            raise TypeError(f"a tensor of type {values.dtype} cannot be sent")
        padding = -self.size % little.itemsize
        data = values.astype(little).tobytes()
        begin = self.size + padding
        self.parts += [bytes(padding), data]
        self.size = begin + len(data)
        return {"dtype": name, "shape": list(values.shape), "data_offsets": [begin, self.size]}


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def member(given: Mapping[str, Any], name: str, where: str) -> Any:
    if name not in given:
        raise ProtocolError(f"{where}: no member {name}")
    return given[name]


class Reader:
    """Takes tensors out of the body of a frame, and knows whether the body is longer than they are."""

    def __init__(self, body: bytes):
        self.body = body
        self.end = 0  # the largest end of a tensor

    def take(self, given: object, where: str) -> np.ndarray:
        """The tensor that `given` describes; read-only."""
        if not isinstance(given, dict):
            raise ProtocolError(f"{where}: expected a tensor's description, found {type(given).__name__}")
        dtype, shape, offsets = (member(given, name, where) for name in ("dtype", "shape", "data_offsets"))
        if not isinstance(dtype, str) or dtype not in NUMPY:
            raise ProtocolError(f"{where}.dtype: expected one of {', '.join(NUMPY)}, found {dtype!r:.60}")
        if not isinstance(shape, list) or len(shape) > RANK_MOST or not all(map(is_count, shape)):
            raise ProtocolError(f"{where}.shape: expected at most {RANK_MOST} counts, found {shape!r:.100}")
        if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(is_count, offsets)):
            raise ProtocolError(f"{where}.data_offsets: expected two offsets, found {offsets!r:.100}")
        return self._slice(np.dtype(NUMPY[dtype]), dtype, shape, offsets, where)

    def _slice(self, element: np.dtype, dtype: str, shape: list[int], offsets: list[int], where: str) -> np.ndarray:
        begin, end = offsets
        n_bytes = math.prod(shape) * element.itemsize
        if end - begin != n_bytes:
            raise ProtocolError(f"{where}: {dtype} of shape {shape} has {n_bytes} bytes, data_offsets {offsets} have {end - begin}")
        if end > len(self.body):
            raise ProtocolError(f"{where}: data_offsets end at {end}, the body has {len(self.body)} bytes")
        if begin % element.itemsize:
            raise ProtocolError(f"{where}: data_offsets begin at {begin}, which is no multiple of {element.itemsize}")
        self.end = max(self.end, end)
        data = self.body[begin:end]
        if dtype == "BOOL" and any(byte > 1 for byte in data):
            raise ProtocolError(f"{where}: a BOOL that is neither 0 nor 1")
        values = np.frombuffer(data, element).reshape(shape)
        return BFloat16(values).widened() if dtype == "BF16" else values

    def finish(self, where: str) -> None:
        """Fails if the body is longer than its tensors; up to 7 bytes may pad it."""
        if self.end + 7 < len(self.body):
            raise ProtocolError(f"{where}: the body has {len(self.body)} bytes, its tensors end at {self.end}")
