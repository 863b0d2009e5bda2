"""What mlx-vlm needs to open the checkpoints that the recorder writes: changes of the installed package while it is in use."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ..variants.variant import Config


def module(family: str, name: str) -> Any:
    return importlib.import_module(f"mlx_vlm.models.{family}.{name}")


@contextlib.contextmanager
def wrapped(owner: Any, name: str, change: Callable) -> Iterator[None]:
    """change(original, *args, **kwargs) in place of owner.name."""
    original = getattr(owner, name)

    def call(*args, **kwargs):
        return change(original, *args, **kwargs)

    with patch.object(owner, name, call):
        yield


@contextlib.contextmanager
def listed_blocks(config: Config) -> Iterator[None]:
    """Gemma 3n, whose encoder is fixed in mlx-vlm's code: the blocks, the width of the stem and the size of the output that model_args
    says."""
    args, parts = config["vision_config"]["model_args"], module("gemma3n", "vision")

    def block(listed: Config) -> Any:
        kind, stride = listed["block_type"], listed["stride"]
        if kind == "er":
            return parts._er(listed["exp_kernel_size"], listed["out_chs"], stride, listed["exp_ratio"])
        if kind == "uir":
            return parts._uir(listed["dw_kernel_size_start"], listed["dw_kernel_size_mid"], listed["out_chs"], stride,
                              listed["exp_ratio"])
        return parts._mmqa(listed["num_heads"], listed["key_dim"], listed["kv_stride"])

    def make(original, self, *given):
        with wrapped(parts.ConvNormAct, "__init__", unit):
            original(self, *given)
        n = len(args["block_args"])
        self.msfa_indices = (n - 1, n)
        channels = [stage[-1]["out_chs"] for stage in args["block_args"]][-2:]
        self.msfa = parts.MobileNetV5MultiScaleFusionAdapter(
            in_chs=channels, out_chs=2048, output_resolution=(args["msfa_output_resolution"],) * 2)

    def unit(original, self, *given, **named):
        original(self, *given, **named | ({"out_chs": args["stem_size"]} if named.get("in_chs") == 3 else {}))

    def blocks(_original):
        return [[block(one) for one in stage] for stage in args["block_args"]]

    with (wrapped(parts, "gemma3n_mobilenet_def", blocks),
          wrapped(parts.VisionTower, "__init__", make)):
        yield


def converted_once(config: Config) -> Any:
    """Falcon-OCR: `sanitize` puts the rows of gate and up apart, which alternate in published files. It leaves alone those under
    mlx-vlm's own names, which it has put apart before."""
    def sanitize_once(original, self, weights):
        divided = {name: tensor for name, tensor in weights.items() if name.startswith("language_model.") and ".w13." in name}
        return original(self, weights) | divided
    return wrapped(module("falcon_ocr", "falcon_ocr").Model, "sanitize", sanitize_once)


def for_towers(config: Config) -> contextlib.AbstractContextManager:
    """The change of mlx-vlm with which it opens a checkpoint with towers: listed_blocks for Gemma 3n, none for others."""
    return listed_blocks(config) if config["model_type"] == "gemma3n" else contextlib.nullcontext()


def load(model_directory: Path) -> Any:
    """The model with its weights upcast to float32."""
    import mlx.core as mx
    from mlx_vlm.utils import load_model
    mx.set_default_device(mx.cpu)
    model = load_model(model_directory)
    model.set_dtype(mx.float32)
    return model
