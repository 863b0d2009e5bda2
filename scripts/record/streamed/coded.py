"""The tensors of a checkpoint for the published model. Those that are stored quantised are decoded when they are read, exactly."""

from __future__ import annotations

import functools
import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

import torch

from ..formats import exact, gguf_names, packed, rounding
from . import documents, stored
from .documents import Unsupported
from .stored import Tensor

SETTINGS, OF_MLX = "quantization_config", "quantization"


@dataclass(frozen=True)
class Coded(Tensor):
    """part: what reads and decodes its rows; for the published model they are float64."""

    part: exact.Part | gguf_names.Part | None = None

    def rows(self, begin: int, end: int) -> torch.Tensor:
        found = torch.from_numpy(self.part.rows(begin, end))
        return found if self.wide is None else found.to(self.wide)


def coded(part: exact.Part | gguf_names.Part, file: Path) -> Coded:
    return Coded(part.name, file, 0, torch.float64, part.shape, part=part)


def gguf_files(file: Path) -> list[Path]:
    """The file, or all parts of a checkpoint of several."""
    return sorted(file.parent.glob(re.sub(r"-00001-of-(\d{5})\.gguf$", r"-?????-of-\1.gguf", file.name)))


def settings_of(directory: Path) -> packed.Config | None:
    """How the matrices of a directory are quantised; None: they are not."""
    config = json.loads((directory / "config.json").read_text())
    if found := config.get(OF_MLX) or config.get(SETTINGS):
        return {"quant_method": "mlx"} | found
    alone = directory / "hf_quant_config.json"
    return {"quant_method": "modelopt"} | json.loads(alone.read_text())["quantization"] if alone.exists() else None


@functools.lru_cache(maxsize=1)
def read(checkpoint: Path) -> dict[str, Tensor]:
    """The tensors of a checkpoint that documents.check has accepted, a directory or a GGUF file, by their published names."""
    if checkpoint.is_file():
        return read_gguf(checkpoint)
    settings = settings_of(checkpoint)
    if settings is None:
        return stored.read_checkpoint(checkpoint)
    if (method := settings["quant_method"]) not in packed.METHODS:
        raise Unsupported(f"{checkpoint}/config.json: {SETTINGS}: found {method}, expected {', '.join(packed.METHODS)}")
    places = {name: place for file in documents.weight_files(checkpoint) for name, place in exact.places(file).items()}
    try:
        made = {part.name: coded(part, places[next(iter(part.own))].file) for part in exact.parts(places, settings)}
    except (KeyError, ValueError, IndexError) as error:
        raise Unsupported(f"{checkpoint}: {type(error).__name__}: {error}, expected the tensors of {method}") from error
    taken = {name for tensor in made.values() for name in tensor.part.own}
    if not made:
        raise Unsupported(f"{checkpoint}/config.json: {SETTINGS}: found quant_method {method}, but no tensor is stored by it")
    plain = stored.read_checkpoint(checkpoint, without=taken)
    for name, tensor in plain.items():
        if exact.PART.search(name) or (name.endswith(".weight") and not tensor.dtype.is_floating_point):
            raise Unsupported(f"{tensor.file}: {name}: found a part of a quantised matrix, expected all parts that {method} has")
    return plain | made


def usual_types(checkpoint: Path) -> tuple[str, ...]:
    """The types of runs by which most engines are judged: bfloat16; of a GGUF file those in which llama.cpp computes products with most of its numbers, with
    its usual cache, too."""
    if not checkpoint.is_file():
        return ("bfloat16",)
    sizes: dict[str, int] = {}
    for tensor in read(checkpoint).values():
        kind = tensor.part.kind.name
        compute = "q8_1" if rounding.GGML[kind] is rounding.Q8_1 else "q8_K" if rounding.GGML[kind] is rounding.q8_k else "q8_0"
        sizes[compute] = sizes.get(compute, 0) + math.prod(tensor.shape) * (len(tensor.shape) > 1)
    usual = max(sizes, key=sizes.__getitem__)
    return usual, f"{usual}+f16"


def read_gguf(file: Path) -> dict[str, Tensor]:
    try:
        return {part.name: coded(part, file) for part in gguf_names.parts(gguf_files(file)) if part.name != gguf_names.ROPE_FACTORS}
    except ImportError as error:
        raise Unsupported(f"{file}: {error}: install the package of that name") from error
