"""The exact weights of a quantised checkpoint, for the published model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from . import packed, published
from .layout import decode
from .packed import Stored, Tensors

PART = re.compile(r"\.(weight_scale_inv|weight_scale|weight_scale_2|weight_packed|weight_shape|weight_zero_point|weight_global_scale|weight_g_idx|"
                  r"input_scale|input_global_scale|activation_scale|qweight|qzeros|scales|g_idx|SCB|weight_format|weight\..+)$")


@dataclass(frozen=True)
class Inputs:
    """How the inputs of a product with a stored matrix may be rounded: the name of ggml's type, or the static scale, 0 if there is none."""

    kind: str = ""
    scale: float = 0.0


def tensors(path: Path) -> Tensors:
    """The tensors of a safetensors file as they are stored."""
    data = np.fromfile(path, np.uint8)
    length = int(data[:8].view("<u8")[0])
    header = json.loads(data[8:8 + length].tobytes())
    header.pop("__metadata__", None)
    return {name: Stored(said["dtype"], tuple(said["shape"]), data[8 + length:][slice(*said["data_offsets"])]) for name, said in header.items()}


def matrices(found: Tensors, settings: packed.Config) -> Iterator[tuple[str, Any]]:
    """(X, its matrix) of all quantised matrices. The published dequantisers that are installed must give the same numbers."""
    paths = dict.fromkeys(PART.sub("", name).removesuffix(".weight") for name in found)
    for x in paths:
        own = {name: stored for name, stored in found.items() if name.startswith(f"{x}.")}
        plain = own.get(f"{x}.weight")
        if len(own) == 1 and plain is not None:
            continue
        matrix = packed.matrix(x, own, settings)
        if matrix is not None:
            exact = decode(matrix)
            for numbers in published.METHODS[settings["quant_method"]](x, own, settings):
                if why := published.differences(exact, numbers):
                    raise RuntimeError(f"{x}: {why}")
            yield x, exact


def static_scale(x: str, found: Tensors) -> float:
    """The scale of inputs that a file has: of modelopt's and of compressed-tensors' NVFP4 what the scales of groups are multiplied by."""
    for name in ("input_scale", "activation_scale", "input_global_scale"):
        if (stored := found.get(f"{x}.{name}")) is not None:
            number = float(packed.numbers(stored).reshape(-1)[0])
            return 1 / number if name == "input_global_scale" else number
    return 0.0


def read(directory: Path) -> tuple[dict[str, torch.Tensor], dict[str, Inputs]]:
    """(tensors, inputs of products) by the names of the file: matrices in float64, other tensors as they are stored."""
    settings = json.loads((directory / "config.json").read_text())["quantization_config"]
    found = tensors(directory / "model.safetensors")
    exact = dict(matrices(found, settings))
    state = {f"{x}.weight": torch.from_numpy(numbers) for x, numbers in exact.items()}
    state |= {name: published.tensor(stored) for name, stored in found.items()
              if not any(name.startswith(f"{x}.") for x in exact) and not PART.search(name)}
    return state, {f"{x}.weight": Inputs("", static_scale(x, found)) for x in exact}


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
