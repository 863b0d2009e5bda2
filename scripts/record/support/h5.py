"""Writes numeric fixtures as HDF5 files whose bytes depend only on their content, and reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

SCHEMA = "assay/1"
COMPRESS_FROM_BYTES = 2048
CHUNK_BYTES = 1 << 22  # at most, unpacked: a reader holds whole chunks in memory, and several threads read several of them


def _fixed_strings(values: list[str]) -> np.ndarray:
    """Null-padded strings of one length: they need no HDF5 heap, which would take 4 KiB."""
    encoded = [value.encode() for value in values]
    size = max(map(len, encoded)) + 1
    return np.array(encoded, dtype=h5py.string_dtype("utf-8", size))


def set_attribute(target: h5py.HLObject, name: str, value: str | list[str] | int) -> None:
    if isinstance(value, int):
        target.attrs.create(name, np.int64(value))
    elif isinstance(value, str):
        data = _fixed_strings([value])
        target.attrs.create(name, data[0], shape=(), dtype=data.dtype)
    else:
        data = _fixed_strings(value)
        target.attrs.create(name, data, dtype=data.dtype)


def chunk_shape(shape: tuple[int, ...], item_bytes: int) -> tuple[int, ...]:
    """The longest run of whole rows, of whole samples if they fit, that takes at most CHUNK_BYTES."""
    left = CHUNK_BYTES // item_bytes
    chunk: list[int] = []
    for length in reversed(shape):
        chunk.insert(0, max(1, min(length, left)))
        left //= chunk[0]
    return tuple(chunk)


def _dataset(file: h5py.File, path: str, data: np.ndarray) -> h5py.Dataset:
    if data.nbytes < COMPRESS_FROM_BYTES:
        return file.create_dataset(path, data=data, track_times=False)
    return file.create_dataset(path, data=data, track_times=False, chunks=chunk_shape(data.shape, data.itemsize),
                               compression="gzip", compression_opts=9, shuffle=True)


def write(path: Path, attributes: dict[str, str | list[str] | int], datasets: dict[str, Any],
          noise: dict[str, float] | None = None) -> None:
    """Writes one case.

    datasets: by absolute name; a list of strings is stored as fixed-length UTF-8.
    noise: by dataset name, stored as the dataset's attribute `noise` (largest distance of the float32 run).
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        for name, value in {"schema": SCHEMA, **attributes}.items():
            set_attribute(file, name, value)
        for name, data in datasets.items():
            if isinstance(data, list):
                data = _fixed_strings(data)
                made = file.create_dataset(name, data=data, track_times=False, dtype=data.dtype)
            else:
                made = _dataset(file, name, np.ascontiguousarray(data))
            if noise and name in noise:
                made.attrs.create("noise", np.float64(noise[name]))


def read(path: Path, group: str = "/") -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """(numeric datasets by absolute name, string and integer attributes of the root) of a case, or of a group that holds one."""
    datasets: dict[str, np.ndarray] = {}

    def keep(name: str, member: h5py.HLObject) -> None:
        if isinstance(member, h5py.Dataset) and member.dtype.kind in "if":
            datasets["/" + name] = member[()]

    with h5py.File(path) as file:
        file[group].visititems(keep)
        attributes = {name: value.decode() if isinstance(value, bytes) else int(value)
                      for name, value in file[group].attrs.items()
                      if isinstance(value, (bytes, np.integer))}
    return datasets, attributes


def left_pad(rows: list[np.ndarray], fill: float) -> np.ndarray:
    """Rows [T_b, ...] as one array [B, T, ...], padded on the left."""
    longest = max(len(row) for row in rows)
    out = np.full((len(rows), longest, *rows[0].shape[1:]), fill, dtype=rows[0].dtype)
    for index, row in enumerate(rows):
        out[index, longest - len(row):] = row
    return out
