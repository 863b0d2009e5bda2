"""The exact weights of a quantised checkpoint, for the published model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import packed, published, switched
from .layout import Matrix, decode
from .packed import Stored, Tensors

PART = re.compile(r"\.(weight_scale_inv|weight_scale|weight_scale_2|weight_packed|weight_shape|weight_zero_point|weight_global_scale|weight_g_idx|pre_quant_scale|"
                  r"input_scale|input_global_scale|activation_scale|qweight|qzeros|scales|biases|g_idx|SCB|weight_format|weight\..+)$")
STACK = re.compile(r"_(blocks|scales)$")  # of the stacks of gpt-oss


@dataclass(frozen=True)
class Inputs:
    """How the inputs of a product with a stored matrix may be rounded: the name of ggml's type, or the static scale, 0 if there is none.
    minimums: [outputs, blocks], of Q4_1 and Q5_1 what is added to each number of a block."""

    kind: str = ""
    scale: float = 0.0
    minimums: torch.Tensor | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Place:
    """Where a tensor is in a safetensors file."""

    dtype: str
    shape: tuple[int, ...]
    file: Path
    offset: int
    size: int  # bytes

    def read(self) -> Stored:
        return Stored(self.dtype, self.shape, np.fromfile(self.file, np.uint8, self.size, offset=self.offset))


def places(path: Path) -> dict[str, Place]:
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    return {name: Place(said["dtype"], tuple(said["shape"]), path, 8 + length + said["data_offsets"][0], said["data_offsets"][1] - said["data_offsets"][0])
            for name, said in switched.apart(header).items()}


def tensors(path: Path) -> Tensors:
    """The tensors of a safetensors file as they are stored."""
    return {name: place.read() for name, place in places(path).items()}


@dataclass(frozen=True)
class Part:
    """A quantised matrix X, which is read and decoded when its rows are asked for. name: of the tensor that it is for the published model."""

    name: str
    x: str
    own: dict[str, Place]
    settings: packed.Config
    shape: tuple[int, ...]

    def inputs(self) -> Inputs:
        return Inputs("", static_scale(self.x, self.own))

    def matrix(self) -> Matrix:
        return packed.matrix(self.x, {name: place.read() for name, place in self.own.items()}, self.settings)

    def rows(self, begin: int, end: int) -> np.ndarray:
        """float64 [end - begin, …], exact."""
        if len(self.shape) == 2:
            return decode(self.matrix(), begin, end)
        _, n_in, n_out = self.shape  # a stack, whose matrices the published model has transposed
        return decode(self.matrix(), begin * n_out, end * n_out).reshape(-1, n_out, n_in).swapaxes(1, 2)


def part(x: str, own: dict[str, Place], settings: packed.Config, seed: int) -> Part | None:
    """The matrix X; None: it is stored as plain numbers. The published dequantisers that are installed must give the same numbers in a sample of
    its rows (published.sample)."""
    stored = {name: place.read() for name, place in own.items()}
    matrix = packed.matrix(x, stored, settings)
    if matrix is None:
        return None
    found = list(published.METHODS.get(settings["quant_method"], lambda *_: ())(x, stored, settings))
    for begin, end in published.sample(matrix.n_out, matrix.n_in, seed):
        exact = decode(matrix, begin, end)
        for who, numbers, n_rounded in found:
            if why := published.differences(exact, (who, numbers[begin:end], n_rounded)):
                raise RuntimeError(f"{x}, from row {begin} on: {why}")
    if f"{x}_blocks" in own:
        blocks = own[f"{x}_blocks"].shape
        return Part(x, x, own, settings, (blocks[0], matrix.n_in, matrix.n_out // blocks[0]))
    return Part(f"{x}.weight", x, own, settings, (matrix.n_out, matrix.n_in))


def parts(found: dict[str, Place], settings: packed.Config) -> Iterator[Part]:
    """All quantised matrices."""
    grouped: dict[str, dict[str, Place]] = {}
    for name, place in found.items():
        if name.endswith(".bias") or not (PART.search(name) or STACK.search(name) or name.endswith(".weight")):
            continue
        grouped.setdefault(STACK.sub("", PART.sub("", name)).removesuffix(".weight"), {})[name] = place
    for seed, (x, own) in enumerate(grouped.items()):
        if own.keys() - {f"{x}.weight"} and (made := part(x, own, settings, seed)) is not None:
            yield made


def static_scale(x: str, found: dict[str, Place]) -> float:
    """The scale of inputs that a file has: of modelopt's and of compressed-tensors' NVFP4 what the scales of groups are multiplied by."""
    for name in ("input_scale", "activation_scale", "input_global_scale"):
        if (place := found.get(f"{x}.{name}")) is not None:
            number = float(packed.numbers(place.read()).reshape(-1)[0])
            return 1 / number if name == "input_global_scale" else number
    return 0.0


def read(directory: Path) -> tuple[dict[str, torch.Tensor], dict[str, Inputs]]:
    """(tensors, inputs of products) by the names of the file: matrices in float64, other tensors as they are stored."""
    settings = json.loads((directory / "config.json").read_text())["quantization_config"]
    found = places(directory / "model.safetensors")
    made = list(parts(found, settings))
    state = {one.name: torch.from_numpy(one.rows(0, one.shape[0])) for one in made}
    taken = {name for one in made for name in one.own}
    state |= {name: published.tensor(place.read()) for name, place in found.items() if name not in taken and not PART.search(name)}
    return state, {one.name: one.inputs() for one in made}


def fuse(found: dict[str, Any], join: Any) -> dict[str, Any]:
    """One entry for each matrix of an expert becomes that of the published fused parameters: `join` is given a list, an entry an expert,
    of (gate, up) or (down,)."""
    made, experts = {}, {}
    for name, value in found.items():
        if hit := re.fullmatch(r"(.*\.experts)\.(\d+)\.(\w+)\.weight", name):
            experts.setdefault(hit[1], {}).setdefault(int(hit[2]), {})[hit[3]] = value
        else:
            made[name] = value
    for stem, parts in experts.items():
        rows = [parts[i] for i in sorted(parts)]
        made[f"{stem}.gate_up_proj"] = join([(row["gate_proj"], row["up_proj"]) for row in rows])
        made[f"{stem}.down_proj"] = join([(row["down_proj"],) for row in rows])
    return made


def fused_state(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return fuse(state, lambda rows: torch.stack([torch.cat(row) for row in rows]))


def fused_inputs(inputs: dict[str, Inputs]) -> dict[str, tuple[Inputs, ...]]:
    return {name: value if isinstance(value, tuple) else (value,) for name, value in fuse(inputs, lambda rows: rows[0]).items()}
