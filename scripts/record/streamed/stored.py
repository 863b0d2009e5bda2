"""Reads tensors of safetensors files, a block of rows at a time.

The files are not mapped: a mapping counts as memory of the process, and a checkpoint may be larger than what it may use.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from ..formats import switched
from . import documents
from .documents import Unsupported

BLOCK_BYTES = 1 << 24
LENGTH_BYTES = 8  # of the number before a header
TYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
         "I64": torch.int64, "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8,
         "BOOL": torch.bool}


@dataclass(frozen=True)
class Tensor:
    """One tensor of a file. wide: the type in which `tensor[...]` returns it; None: the stored one."""

    name: str
    file: Path
    offset: int
    dtype: torch.dtype
    shape: tuple[int, ...]
    wide: torch.dtype | None = None

    def __getitem__(self, index: object) -> torch.Tensor:
        """The whole tensor, read as the published loader reads a slice; only `...` is supported."""
        if index is not Ellipsis:
            raise Unsupported(f"{self.file}: {self.name}: the published loader reads {index}, expected the whole tensor")
        if not self.shape:
            return self.rows(0, 1).reshape(())
        return self.rows(0, self.shape[0])

    def get_shape(self) -> list[int]:
        return list(self.shape)

    def get_dtype(self) -> str:
        return next(name for name, dtype in TYPES.items() if dtype is self.dtype)

    def rows(self, begin: int, end: int) -> torch.Tensor:
        """Rows [begin, end) of the first axis, converted block by block."""
        width = math.prod(self.shape[1:])
        wide = self.wide if self.wide is not None and self.dtype.is_floating_point else self.dtype
        out = torch.empty((end - begin, *self.shape[1:]), dtype=wide)
        flat = out.view(end - begin, width)
        step = max(1, BLOCK_BYTES // max(1, width * self.dtype.itemsize))
        with open(self.file, "rb") as file:
            for at in range(begin, end, step):
                n = min(step, end - at)
                flat[at - begin:at - begin + n] = self._block(file, at * width, n * width).view(n, width)
        return out

    def _block(self, file, first: int, n: int) -> torch.Tensor:
        size = self.dtype.itemsize
        file.seek(self.offset + first * size)
        data = np.fromfile(file, np.uint8, n * size)
        if len(data) != n * size:
            raise Unsupported(f"{self.file}: {self.name}: found {len(data)} bytes at {self.offset + first * size}, "
                              f"expected {n * size}")
        return torch.from_numpy(data).view(self.dtype) if n else torch.empty(0, dtype=self.dtype)


def read_header(path: Path, without: Collection[str] = ()) -> dict[str, Tensor]:
    """The tensors of one file, by name."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(LENGTH_BYTES), "little")
        entries = json.loads(file.read(length))
    entries = {name: entry for name, entry in switched.apart(entries).items() if name != "__metadata__" and name not in without}
    for name, entry in entries.items():
        if entry["dtype"] not in TYPES:
            raise Unsupported(f"{path}: tensor '{name}': found dtype {entry['dtype']}, expected one of {', '.join(TYPES)}")
    return {name: Tensor(name, path, LENGTH_BYTES + length + entry["data_offsets"][0], TYPES[entry["dtype"]], tuple(entry["shape"]))
            for name, entry in entries.items()}


def read_checkpoint(directory: Path, without: Collection[str] = ()) -> dict[str, Tensor]:
    """The tensors of a checkpoint that documents.check has accepted, by their stored names, without some."""
    return {name: tensor for file in documents.weight_files(directory) for name, tensor in read_header(file, without).items()}
