"""The header of a safetensors file: which tensors it has, and where. Untrusted input."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .errors import FileUnreadable, FormatError, Unsupported
from .tensors import NUMPY, is_count

HEADER_MOST = 100_000_000  # the limit of the published reader


@dataclass(frozen=True)
class Entry:
    """One tensor. offset: of its data, in the file. size: in bytes."""

    dtype: str
    shape: tuple[int, ...]
    offset: int
    size: int


def read(path: Path, known: Collection[str] = NUMPY) -> dict[str, Entry]:
    """The tensors of one file, by name. Raises FileUnreadable, FormatError, or, for a tensor of a type that is not in `known` (some of
    NUMPY), Unsupported."""
    try:
        size = path.stat().st_size
        with open(path, "rb") as file:
            start = file.read(8)
            length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
            if not 2 <= length <= min(size - 8, HEADER_MOST):
                raise FormatError(f"{path}: found a header of {length} bytes in a file of {size}, expected a safetensors file")
            header = json.loads(file.read(length))
    except OSError as error:
        raise FileUnreadable(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: header: {error}") from error
    if not isinstance(header, dict):
        raise FormatError(f"{path}: header: found {type(header).__name__}, expected an object")
    return {name: read_entry(f"{path}: {name}", entry, known, 8 + length, size) for name, entry in header.items() if name != "__metadata__"}


def read_entry(place: str, entry: object, known: Collection[str], base: int, size: int) -> Entry:
    if not isinstance(entry, dict):
        raise FormatError(f"{place}: found {type(entry).__name__}, expected an object")
    dtype, shape, places = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
    if not isinstance(dtype, str):
        raise FormatError(f"{place}: found type {dtype}, expected one of {', '.join(known)}")
    if dtype not in known:
        raise Unsupported(f"{place}: found type {dtype}, expected one of {', '.join(known)}")
    if not isinstance(shape, list) or not all(map(is_count, shape)):
        raise FormatError(f"{place}: found shape {shape}, expected a list of sizes")
    if not isinstance(places, list) or len(places) != 2 or not all(map(is_count, places)):
        raise FormatError(f"{place}: found data_offsets {places}, expected two offsets")
    begin, end = places
    expected = math.prod(shape) * np.dtype(NUMPY[dtype]).itemsize
    if not begin <= end <= size - base or end - begin != expected:
        raise FormatError(f"{place}: data_offsets: found bytes {begin} to {end} of {size - base}, expected {expected} bytes for {dtype} {shape}")
    return Entry(dtype, tuple(shape), base + begin, expected)
