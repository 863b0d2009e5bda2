"""Reads checkpoints of Hugging Face: config.json, and the tensors of safetensors files as memory maps."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .errors import FileUnreadable, FormatError
from .tensors import NUMPY, BFloat16
from . import safetensors_header

TYPES = ("F64", "F32", "F16", "BF16")


@dataclass(frozen=True)
class Stored:
    """A tensor as it is stored. values: read-only, bfloat16 as uint16."""

    dtype: str
    values: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def float32(self) -> np.ndarray:
        return BFloat16(self.values).widened() if self.dtype == "BF16" else np.asarray(self.values, np.float32)


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


def tensors(path: Path) -> Iterator[tuple[str, Stored]]:
    """The tensors of one file, in the order of its header."""
    for name, entry in safetensors_header.read(path, TYPES).items():
        kind = np.dtype(NUMPY[entry.dtype])
        yield name, Stored(entry.dtype, np.memmap(path, kind, "r", entry.offset, entry.shape) if entry.shape and entry.size else
                           np.fromfile(path, kind, math.prod(entry.shape), offset=entry.offset).reshape(entry.shape))


def checkpoint(directory: Path) -> dict[str, Stored]:
    """All tensors of a checkpoint, of one file or of those that its index names."""
    index = directory / "model.safetensors.index.json"
    files = sorted(set(read_json(index)["weight_map"].values())) if index.exists() else ["model.safetensors"]
    return {name: tensor for file in files for name, tensor in tensors(directory / file)}
