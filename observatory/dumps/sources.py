"""Tensors of a dump, by name: files of numpy, safetensors and torch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from assay import BFloat16, safetensors_header
from assay.errors import EngineError
from assay.tensors import NUMPY

SUFFIXES = (".npy", ".safetensors", ".pt", ".pth")

Tensors = dict[str, Callable[[], np.ndarray]]


class BadDump(Exception):
    """A file that is not as its format says; the text names it."""


def open_dump(path: Path) -> Tensors:
    """The tensors of a file, or of all files below a directory, which are read when they are called. The only tensor of a file is
    named by the file's path in the directory, without its suffix; a tensor of several by its own name, and by PATH/NAME: only
    so if other files have one of the same name."""
    if not path.exists():
        raise BadDump(f"{path}: no such file or directory")
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES)
    if not files:
        raise BadDump(f"{path}: found no file that ends in {', '.join(SUFFIXES)}")
    found: Tensors = {}
    short: dict[str, list[Callable[[], np.ndarray]]] = {}
    for file in files:
        stem = file.stem if path.is_file() else str(file.relative_to(path).with_suffix(""))
        for name, read in tensors_of(file).items():
            full = f"{stem}/{name}" if name else stem
            if full in found:
                raise BadDump(f"{file}: a second tensor {full!r}")
            found[full] = read
            if name:
                short.setdefault(name, []).append(read)
    return {name: reads[0] for name, reads in short.items() if len(reads) == 1} | found


def tensors_of(file: Path) -> Tensors:
    """By name; a tensor without a name of its own has the name ""."""
    if file.suffix == ".npy":
        return {"": lambda: read_npy(file)}
    if file.suffix == ".safetensors":
        return safetensors(file)
    if file.suffix in (".pt", ".pth"):
        return torch_tensors(file)
    raise BadDump(f"{file}: expected a name that ends in {', '.join(SUFFIXES)}")


def read_npy(file: Path) -> np.ndarray:
    try:
        return np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise BadDump(f"{file}: {error}") from error


def safetensors(file: Path) -> Tensors:
    try:
        header = safetensors_header.read(file)
    except EngineError as error:
        raise BadDump(str(error)) from None

    def reader(entry: safetensors_header.Entry) -> Callable[[], np.ndarray]:
        def read() -> np.ndarray:
            data = np.fromfile(file, np.uint8, entry.size, offset=entry.offset)
            array = data.view(NUMPY[entry.dtype]).reshape(entry.shape)
            return BFloat16(array).widened() if entry.dtype == "BF16" else array
        return read

    return {name: reader(entry) for name, entry in header.items()}


def torch_tensors(file: Path) -> Tensors:
    """A tensor, or a dictionary of tensors, which may be nested: names are joined with dots. {"value": TENSOR, "meta": {...}}, as
    sglang's dumper writes it, is a tensor without a name of its own."""
    value = load_torch(file)
    if isinstance(value, dict) and set(value) == {"value", "meta"}:
        value = value["value"]
    found: Tensors = {}
    collect("", value, found)
    return found


def load_torch(file: Path) -> object:
    """What torch has saved. Its tensors stay in the file until they are read, if the file has the format that permits it."""
    try:
        import torch
    except ImportError as error:
        raise BadDump(f"{file}: torch is needed to read it") from error
    try:
        try:
            return torch.load(file, map_location="cpu", weights_only=True, mmap=True)
        except RuntimeError:  # the format before torch 1.6
            return torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # of many kinds, by version
        raise BadDump(f"{file}: {(str(error).splitlines() or [type(error).__name__])[0]:.200}") from error


def collect(name: str, value: object, found: Tensors) -> None:
    """The tensors in a value of torch.load, by name."""
    import torch
    if isinstance(value, torch.Tensor):
        found[name] = lambda: (value.float() if value.dtype == torch.bfloat16 else value).detach().numpy()
    elif isinstance(value, (dict, list, tuple)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            collect(f"{name}.{key}" if name else str(key), inner, found)
