"""Checkpoints in MLX's affine groups: written by mlx-lm or mlx-vlm itself, read back in float64 by numpy.

A quantised matrix is stored as X.weight (uint32, packed codes), X.scales and X.biases; its numbers are
scale * code + bias. The truth treats the stored values as exact: product and sum in float64.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from ..variants.variant import Groups
from . import opening

ROUNDING = 2.0 ** -23  # rounding of a product and a sum in float32, relative to the largest term
PARTS = ("gate_proj", "up_proj", "down_proj")


def write(plain: Path, directory: Path, groups: Groups, towers: bool) -> None:
    """Quantises the checkpoint `plain` into `directory`, as `mlx_lm.convert --quantize` does or, with towers, that of
    mlx-vlm."""
    import mlx.core as mx
    mx.set_default_device(mx.cpu)
    if towers:
        from mlx_vlm import quant_utils, utils
        config = utils.load_config(plain)
        config.setdefault("vision_config", {})  # as `convert` does; a whole model has it in a member
        with opening.for_towers(config):
            model, quantize = utils.load_model(plain), quant_utils.quantize_model
    else:
        from mlx_lm import utils
        model, config = utils.load_model(plain)
        quantize = utils.quantize_model
    own = getattr(model, "quant_predicate", None)

    def predicate(path: str, module: Any) -> bool | dict:
        for pattern, said in groups.modules:
            if re.search(pattern, path):
                return dict(said) if said else False
        if towers and utils.skip_multimodal_module(path) and not groups.towers:
            return False
        return own(path, module) if own else True

    with contextlib.redirect_stdout(io.StringIO()):  # it prints the bits per weight
        model, config = quantize(model, config, groups.group_size, groups.bits, quant_predicate=predicate)
    (utils.save_weights if towers else utils.save_model)(directory, model)
    utils.save_config(config, directory / "config.json")
    for document in plain.glob("generation_config.json"):
        shutil.copy(document, directory)
    for file in directory.iterdir():
        file.chmod(0o644)


def shorten(directory: Path) -> None:
    """Rewrites config.json in a terse form that mlx-lm reads: only `quantization`, without MLX's default members
    in the entries of modules, and false for modules that are not quantised."""
    path = directory / "config.json"
    config = json.loads(path.read_text())
    config.pop("quantization_config")
    said, names = config["quantization"], load_file(directory / "model.safetensors")
    for own in said.values():
        if isinstance(own, dict):
            for member, default in (("group_size", 64), ("bits", 4), ("mode", "affine")):
                if own.get(member) == default:
                    del own[member]
    said |= {module: False for module in (name.removesuffix(".weight") for name in names)
             if module.endswith(("proj", "lm_head")) and f"{module}.scales" not in names}
    path.write_text(json.dumps(config, indent=4, sort_keys=True) + "\n")


def keep_copy(directory: Path) -> None:
    """Rewrites config.json: only `quantization_config`."""
    path = directory / "config.json"
    config = json.loads(path.read_text())
    del config["quantization"]
    path.write_text(json.dumps(config, indent=4, sort_keys=True) + "\n")


def store_head(directory: Path) -> None:
    """Adds a copy of the embedding as the tied head, which some unquantised checkpoints also store."""
    path = directory / "model.safetensors"
    tensors = load_file(path)
    embedding = "model.embed_tokens."
    tensors |= {"lm_head." + name.removeprefix(embedding): tensor.clone()
                for name, tensor in tensors.items() if name.startswith(embedding)}
    save_file(tensors, path)


def codes(packed: np.ndarray, bits: int) -> np.ndarray:
    """Codes [..., n] from words [..., n * bits / 32]: one stream of bits, lowest bit first."""
    stream = np.unpackbits(packed.astype("<u4").view(np.uint8), axis=-1, bitorder="little")
    stream = stream.reshape(*packed.shape[:-1], -1, bits)
    return (stream.astype(np.int64) << np.arange(bits)).sum(-1)


def widen(packed: np.ndarray, scales: np.ndarray, biases: np.ndarray, bits: int) -> np.ndarray:
    """Dequantised float64 [..., n]; scales and biases are float64 [..., n / group]."""
    numbers = codes(packed, bits)
    group = numbers.shape[-1] // scales.shape[-1]
    return scales.repeat(group, -1) * numbers + biases.repeat(group, -1)


def check(packed: np.ndarray, scales: np.ndarray, biases: np.ndarray, said: dict,
          name: str) -> None:
    """Checks that mlx unpacks the same codes, and dequantises to the same numbers within float32 rounding."""
    import mlx.core as mx
    mx.set_default_device(mx.cpu)
    how = {"group_size": said["group_size"], "bits": said["bits"]}
    ones, zeros = (mx.full(scales.shape, v, mx.float32) for v in (1, 0))
    theirs = np.array(mx.dequantize(mx.array(packed), ones, zeros, **how))
    if not np.array_equal(theirs, codes(packed, said["bits"])):
        raise RuntimeError(f"{name}: mlx finds other codes")
    single = [mx.array(part.astype(np.float32)) for part in (scales, biases)]
    theirs = np.array(mx.dequantize(mx.array(packed), *single, **how)).astype(np.float64)
    ours = widen(packed, scales, biases, said["bits"])
    terms = np.maximum(np.abs(ours), np.abs(biases).repeat(said["group_size"], -1))
    if (np.abs(theirs - ours) > 2 * ROUNDING * terms).any():
        raise RuntimeError(f"{name}: mlx finds other numbers")


def numbers(directory: Path) -> dict[str, torch.Tensor]:
    """All tensors of a checkpoint that mlx-lm wrote, by the module's path and `.weight`: quantised ones in
    float64, others in their stored type."""
    said = json.loads((directory / "config.json").read_text())["quantization"]
    tensors = load_file(directory / "model.safetensors")
    found: dict[str, torch.Tensor] = {}
    for name, tensor in tensors.items():
        path = name.removesuffix(".weight")
        if name.endswith((".scales", ".biases")):
            continue
        if f"{path}.scales" not in tensors:
            found[name] = tensor
            continue
        one = said.get(path, said)
        parts = [tensors[f"{path}.{part}"].to(torch.float64).numpy()
                 for part in ("scales", "biases")]
        packed = tensor.numpy()
        check(packed, *parts, one, name)
        found[name] = torch.from_numpy(widen(packed, *parts, one["bits"]))
    return found


def groups(directory: Path) -> dict[str, int]:
    """The group size of each quantised matrix, by the module's path and `.weight`."""
    said = json.loads((directory / "config.json").read_text())["quantization"]
    paths = [name.removesuffix(".scales") for name in load_file(directory / "model.safetensors")
             if name.endswith(".scales")]
    return {f"{path}.weight": said.get(path, said)["group_size"] for path in paths}


def of_tower(found: dict[str, Any], drawn: dict[str, torch.Tensor]) -> dict[str, Any]:
    """The dict with mlx-vlm's names of a tower changed to transformers', and its patch embedding [out, T, H, W, C] to
    [out, C, T, H, W]. drawn: the tensors that transformers' model has."""
    made: dict[str, Any] = {}
    for name, value in found.items():
        if not name.startswith("language_model.") and name not in drawn:
            name = next((to for prefix in ("visual.", "vision_tower.", "")
                         if (to := f"model.{prefix}{name.removeprefix('vision_tower.')}") in drawn), name)
        if isinstance(value, torch.Tensor) and value.dim() == 5:
            value = value.permute(0, 4, 1, 2, 3).contiguous()
        made[name] = value
    return made


def mlx_names(found: dict[str, Any]) -> dict[str, Any]:
    """The dict with the names of a multimodal model's language model changed to mlx-lm's."""
    return {re.sub("^lm_head", "language_model.lm_head", re.sub(
        r"^model\.language_model\.", "language_model.model.", name)): value for name, value in found.items()}


def published_names(found: dict[str, Any]) -> dict[str, Any]:
    """The inverse of mlx_names: transformers' names."""
    return {re.sub(r"^language_model\.lm_head", "lm_head", re.sub(
        r"^language_model\.model\.", "model.language_model.", name)): value for name, value in found.items()}


def experts_of(base: str, stack: str) -> str:
    """The module of the experts in a stack below `base`; a number after the name of a stack stays (ERNIE's second set)."""
    number = re.search(r"_\d+$", stack)
    return (base if base.endswith(".experts") else f"{base}.experts") + (number[0] if number else "")


def published_groups(found: dict[str, int], drawn: dict[str, torch.Tensor]) -> dict[str, tuple[int, ...]]:
    """Group sizes under transformers' names; a fused matrix has those of its parts, 0 if a part is not
    quantised."""
    found = published_names(of_tower(found, drawn))
    state = {name: (group,) for name, group in found.items() if ".switch_" not in name}
    for name in found:
        base, stack, part = re.fullmatch(r"(?:(.*)\.(switch_\w+)\.)?(.*)", name).groups()
        if base is None:
            continue
        gate, up, down = (found.get(f"{base}.{stack}.{part}.weight", 0) for part in PARTS)
        experts = experts_of(base, stack)
        state[f"{experts}.gate_up_proj"] = (gate, up)
        state[f"{experts}.down_proj"] = (down,)
    return state


def published(found: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Tensors under transformers' names; mlx-lm's stacks of experts become transformers' fused experts."""
    found = published_names(found)
    state = {name: tensor for name, tensor in found.items() if ".switch_" not in name}
    for name in found:
        base, stack, part = re.fullmatch(r"(?:(.*)\.(switch_\w+)\.)?(.*)", name).groups()
        if part != "gate_proj.weight" or base is None:
            continue
        gate, up, down = (found[f"{base}.{stack}.{part}.weight"] for part in PARTS)
        experts = experts_of(base, stack)
        wide = torch.promote_types(gate.dtype, up.dtype)
        state[f"{experts}.gate_up_proj"] = torch.cat([gate.to(wide), up.to(wide)], dim=1)
        state[f"{experts}.down_proj"] = down
    return state


def state(directory: Path, drawn: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights of a checkpoint that mlx-lm or mlx-vlm wrote, for the published model."""
    return published(of_tower(numbers(directory), drawn))
