"""Tensors of a dump, by name: files of numpy, safetensors and torch."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np

HEADER_MAX = 100 << 20  # bytes of the header of a safetensors file
TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U8": "u1"}
SUFFIXES = (".npy", ".safetensors", ".pt", ".pth")

Tensors = dict[str, Callable[[], np.ndarray]]


class BadDump(Exception):
    """A file that is not as its format says; the text names it."""


def open_dump(path: Path) -> Tensors:
    """The tensors of a file, or of all files below a directory, which are read when they are called. A tensor of a file with
    several is named by its own name; the only one of a file by the file's path in the directory, without its suffix."""
    if not path.exists():
        raise BadDump(f"{path}: no such file or directory")
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES)
    if not files:
        raise BadDump(f"{path}: found no file that ends in {', '.join(SUFFIXES)}")
    found: Tensors = {}
    for file in files:
        stem = file.stem if path.is_file() else str(file.relative_to(path).with_suffix(""))
        for name, read in tensors_of(file, stem).items():
            if name in found:
                raise BadDump(f"{file}: a second tensor {name!r}")
            found[name] = read
    return found


def tensors_of(file: Path, stem: str) -> Tensors:
    if file.suffix == ".npy":
        return {stem: lambda: read_npy(file)}
    if file.suffix == ".safetensors":
        return safetensors(file)
    if file.suffix in (".pt", ".pth"):
        return torch_tensors(file, stem)
    raise BadDump(f"{file}: expected a name that ends in {', '.join(SUFFIXES)}")


def read_npy(file: Path) -> np.ndarray:
    try:
        return np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise BadDump(f"{file}: {error}") from error


def widened(bits: np.ndarray) -> np.ndarray:
    """The values of bfloat16."""
    return (bits.astype("<u4") << 16).view("<f4")


def safetensors(file: Path) -> Tensors:
    size = file.stat().st_size
    with open(file, "rb") as opened:
        start = opened.read(8)
        n = struct.unpack("<Q", start)[0] if len(start) == 8 else size
        if n > min(size, HEADER_MAX) - 8:
            raise BadDump(f"{file}: found a header of {n} bytes in a file of {size}")
        try:
            header = json.loads(opened.read(n))
        except ValueError as error:
            raise BadDump(f"{file}: header: {error}") from error
    header.pop("__metadata__", None)

    def reader(name: str, said: dict) -> Callable[[], np.ndarray]:
        def read() -> np.ndarray:
            try:
                kind, shape, (begin, end) = TYPES[said["dtype"]], said["shape"], said["data_offsets"]
                data = np.memmap(file, np.uint8, "r", 8 + n + begin, end - begin) if end > begin else np.empty(0, np.uint8)
                array = np.frombuffer(bytes(data), kind).reshape(shape)
            except (KeyError, TypeError, ValueError) as error:
                raise BadDump(f"{file}: {name}: {type(error).__name__}: {error}") from error
            return widened(array) if said["dtype"] == "BF16" else array
        return read

    return {name: reader(name, said) for name, said in header.items()}


def torch_tensors(file: Path, stem: str) -> Tensors:
    """A tensor, or a dictionary of tensors, which may be nested: names are joined with dots."""
    try:
        import torch
    except ImportError as error:
        raise BadDump(f"{file}: torch is needed to read it") from error
    try:
        value = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # of many kinds, by version
        raise BadDump(f"{file}: {str(error).splitlines()[0]:.200}") from error
    found: Tensors = {}

    def collect(name: str, value: object) -> None:
        if isinstance(value, torch.Tensor):
            found[name] = lambda: (value.float() if value.dtype == torch.bfloat16 else value).detach().numpy()
        elif isinstance(value, dict):
            for key, inner in value.items():
                collect(f"{name}.{key}" if name else str(key), inner)
        elif isinstance(value, (list, tuple)):
            for index, inner in enumerate(value):
                collect(f"{name}.{index}" if name else str(index), inner)

    collect(stem if isinstance(value, torch.Tensor) else "", value)
    return found
