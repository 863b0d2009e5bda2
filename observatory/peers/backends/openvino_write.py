"""Writes models for OpenVINO: optimum-intel exports the checkpoint with its cache as state, NNCF makes the
quantised models from the float32 one. The head computes only the last position of a prompt, as with
openvino-genai."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optimum.intel import OVConfig

os.environ["HF_HUB_OFFLINE"] = "1"

import nncf  # noqa: E402
import openvino  # noqa: E402

from .openvino_lm import MODEL, keep_last_position  # noqa: E402

GROUP = 128  # group size of int4, the default of optimum-cli


def write(models: Path, name: str, path: Path) -> None:
    base = name.removesuffix(".openvino")
    if "vision_config" in json.loads((models / "float32" / "config.json").read_text()):
        export_images(models / base, path)
        return
    if base in ("float32", "bfloat16"):
        export(models / base, path)
        return
    model = openvino.Core().read_model(models / "float32.openvino" / MODEL)
    if base == "int8":
        model = nncf.compress_weights(model, mode=nncf.CompressWeightsMode.INT8_ASYM)
    else:
        model = nncf.compress_weights(model, mode=nncf.CompressWeightsMode.INT4_ASYM, ratio=1.0,
                                      group_size=GROUP)
    path.mkdir()
    openvino.save_model(model, path / MODEL, compress_to_fp16=False)


def in_own_type(checkpoint: Path) -> OVConfig:
    """By default the exporter stores float32 as float16, and what has more than 1e9 weights in 8 bits."""
    from optimum.intel import OVConfig
    return OVConfig(dtype="fp32" if checkpoint.name == "float32" else None)


def export_images(checkpoint: Path, path: Path) -> None:
    """Exports tower and text model, each a model of its own."""
    from optimum.exporters.openvino import main_export
    main_export(model_name_or_path=str(checkpoint), output=path, task="image-text-to-text",
                library_name="transformers", framework="pt", stateful=True, ov_config=in_own_type(checkpoint))


def export(checkpoint: Path, path: Path) -> None:
    from optimum.exporters.openvino import main_export
    raw = path.with_name(path.name + ".raw")
    try:
        main_export(model_name_or_path=str(checkpoint), output=raw,
                    task="text-generation-with-past", library_name="transformers", framework="pt",
                    stateful=True, ov_config=in_own_type(checkpoint))
        model = openvino.Core().read_model(raw / MODEL)
        keep_last_position(model)
        path.mkdir()
        openvino.save_model(model, path / MODEL, compress_to_fp16=False)
        del model
    finally:
        shutil.rmtree(raw, ignore_errors=True)
