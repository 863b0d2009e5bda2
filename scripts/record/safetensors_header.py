"""The header of a safetensors file: which tensors it has, and where. Untrusted input."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path

HEADER_MOST = 100_000_000  # the limit of the published reader
SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U8": 1, "BOOL": 1}


class BadHeader(RuntimeError):
    """A file that is not as its format says; the text names it."""


@dataclass(frozen=True)
class Entry:
    """One tensor. offset: of its data, in the file."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    size: int


def read(path: Path) -> dict[str, Entry]:
    """The tensors of one file, by name."""
    size = path.stat().st_size
    with open(path, "rb") as file:
        start = file.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        if not 2 <= length <= min(size - 8, HEADER_MOST):
            raise BadHeader(f"{path}: found a header of {length} bytes in a file of {size}, expected a safetensors file")
        try:
            header = json.loads(file.read(length))
        except ValueError as error:
            raise BadHeader(f"{path}: header: {error}") from None
    if not isinstance(header, dict):
        raise BadHeader(f"{path}: header: found {type(header).__name__}, expected an object")
    return {name: read_entry(path, name, entry, 8 + length, size) for name, entry in header.items() if name != "__metadata__"}


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def read_entry(path: Path, name: str, entry: object, base: int, size: int) -> Entry:
    if not isinstance(entry, dict):
        raise BadHeader(f"{path}: {name}: found {type(entry).__name__}, expected an object")
    dtype, shape, places = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if not isinstance(dtype, str) or dtype not in SIZES:
        raise BadHeader(f"{path}: {name}: found type {dtype}, expected one of {', '.join(SIZES)}")
    if not isinstance(shape, list) or not all(map(is_count, shape)):
        raise BadHeader(f"{path}: {name}: found shape {shape}, expected a list of sizes")
    if not isinstance(places, list) or len(places) != 2 or not all(map(is_count, places)):
        raise BadHeader(f"{path}: {name}: found data_offsets {places}, expected two offsets")
    begin, end = places
    expected = math.prod(shape) * SIZES[dtype]
    if not begin <= end <= size - base or end - begin != expected:
        raise BadHeader(f"{path}: {name}: found bytes {begin} to {end} of {size - base}, expected {expected} bytes for shape {shape}")
    return Entry(dtype, tuple(shape), base + begin, expected)
