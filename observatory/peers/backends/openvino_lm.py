"""OpenVINO's runtime on a stateful model, as openvino-genai calls it without paged attention."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import openvino
from openvino import opset13

from . import Capacity

MODEL = "openvino_model.xml"
TOLD = {"INFERENCE_PRECISION_HINT": "precision", "KV_CACHE_PRECISION": "cache",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": "groups of activations"}


def settings(capacity: Capacity) -> dict[str, Any]:
    """With float32 and bfloat16 weights it is told to compute in the stored type, which is not its default;
    the other groups use its defaults."""
    wanted = {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": "1",
              "INFERENCE_NUM_THREADS": capacity.n_threads, "ENABLE_HYPER_THREADING": True}
    if capacity.group in ("f32", "bf16"):
        wanted["INFERENCE_PRECISION_HINT"] = capacity.group
    if capacity.group == "f32":
        wanted["KV_CACHE_PRECISION"] = "f32"
    return wanted


def keep_last_position(model: openvino.Model) -> None:
    """Inserts a slice of the last position before the product that computes the logits."""
    product = model.get_results()[0].input_value(0).get_node()
    if product.get_type_name() != "MatMul":
        raise RuntimeError(f"the logits come from a {product.get_type_name()}, expected MatMul")
    one = opset13.constant([1], np.int64)
    last = opset13.slice(product.input_value(0), opset13.constant([-1], np.int64),
                         opset13.constant([2**31 - 1], np.int64), one, one)
    product.input(0).replace_source_output(last.output(0))
    model.validate_nodes_and_infer_types()


class Peer:
    def __init__(self, model: Path, capacity: Capacity):
        core = openvino.Core()
        compiled = core.compile_model(core.read_model(model / MODEL), "CPU", settings(capacity))
        self.told = "it says: " + ", ".join(
            f"{word} {_plain(compiled.get_property(name))}" for name, word in TOLD.items())
        self.request = compiled.create_infer_request()
        self.length = 0

    def _run(self, tokens: np.ndarray) -> np.ndarray:
        n_samples, n_tokens = tokens.shape
        first, self.length = self.length, self.length + n_tokens
        position = np.arange(first, self.length, dtype=np.int64)
        out = self.request.infer({
            "input_ids": tokens.astype(np.int64),
            "attention_mask": np.ones((n_samples, self.length), np.int64),
            "position_ids": np.tile(position, (n_samples, 1)),
            "beam_idx": np.arange(n_samples, dtype=np.int32),
        }, share_inputs=True, share_outputs=True)
        return out["logits"][:, -1]

    def prefill(self, tokens: np.ndarray) -> np.ndarray:
        self.request.reset_state()
        self.length = 0
        return self._run(tokens)

    def step(self, tokens: np.ndarray) -> np.ndarray:
        return self._run(tokens[:, None])


def _plain(value: object) -> str:
    return str(value).removeprefix("<Type: '").removesuffix("'>")


def version() -> str:
    return f"openvino {openvino.__version__.split('-')[0]}"


def describe() -> str:
    can = openvino.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return "finds " + ", ".join(name for name in can if name not in ("BIN", "EXPORT_IMPORT"))
