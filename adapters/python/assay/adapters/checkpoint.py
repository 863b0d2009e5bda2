"""Reads checkpoints of Hugging Face: config.json, and the tensors of safetensors files as memory maps."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileUnreadable, FormatError, Unsupported

HEADER_MOST = 100 << 20  # bytes of the header of a safetensors file
TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


@dataclass(frozen=True)
class Stored:
    """A tensor as it is stored. values: read-only, bfloat16 as uint16."""

    dtype: str
    values: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def float32(self) -> np.ndarray:
        return widened(self.values) if self.dtype == "BF16" else np.asarray(self.values, np.float32)


def widened(bits: np.ndarray) -> np.ndarray:
    """bfloat16, given as uint16, in float32, which holds the same values."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def read_json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text())
    except OSError as error:
        raise FileUnreadable(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from error
    if not isinstance(document, dict):
        raise FormatError(f"{path}: expected an object, found {type(document).__name__}")
    return document


def header(path: Path) -> tuple[dict[str, Any], int]:
    """The descriptions of the tensors of a file, and where its data begins."""
    try:
        with open(path, "rb") as file:
            start = file.read(8)
            size = struct.unpack("<Q", start)[0] if len(start) == 8 else HEADER_MOST + 1
            document = json.loads(file.read(size)) if size <= HEADER_MOST else None
    except OSError as error:
        raise FileUnreadable(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise FormatError(f"{path}: header: {error}") from error
    if not isinstance(document, dict):
        raise FormatError(f"{path}: expected a header of at most {HEADER_MOST} bytes with an object")
    document.pop("__metadata__", None)
    return document, 8 + size


def tensors(path: Path) -> Iterator[tuple[str, Stored]]:
    """The tensors of one file, in the order of its header."""
    described, start = header(path)
    size = path.stat().st_size
    for name, said in described.items():
        if said["dtype"] not in TYPES:
            raise Unsupported(f"{path}: {name} is {said['dtype']}; expected one of {', '.join(TYPES)}")
        kind, shape, (begin, end) = np.dtype(TYPES[said["dtype"]]), tuple(said["shape"]), said["data_offsets"]
        if end - begin != math.prod(shape) * kind.itemsize or start + end > size:
            raise FormatError(f"{path}: {name}: data_offsets {[begin, end]} do not fit {said['dtype']} {list(shape)} in a file of {size} bytes")
        yield name, Stored(said["dtype"], np.memmap(path, kind, "r", start + begin, shape) if shape else
                                             np.fromfile(path, kind, 1, offset=start + begin).reshape(()))


def checkpoint(directory: Path) -> dict[str, Stored]:
    """All tensors of a checkpoint, of one file or of those that its index names."""
    index = directory / "model.safetensors.index.json"
    files = sorted(set(read_json(index)["weight_map"].values())) if index.exists() else ["model.safetensors"]
    return {name: tensor for file in files for name, tensor in tensors(directory / file)}
