"""Runs OpenVINO on GGUF files, which OpenVINO GenAI reads itself: observations to compare, never goldens. LLMPipeline saves the model that it makes of a file
(`enable_save_ov_model`); the CPU plugin then runs it in float32, with a cache of float32 and activations that are not quantised."""

from __future__ import annotations

import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import openvino_genai

from scripts.record.support import h5
from scripts.record.support.h5 import left_pad

from .mlx_lm import distance, prompts, refusal

SYSTEM = "openvino-gguf"
CONFIG = {"INFERENCE_PRECISION_HINT": "f32", "KV_CACHE_PRECISION": "f32", "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}


def load(model: Path, scratch: Path) -> Any:
    """A request of the model that LLMPipeline makes of a file."""
    copy = Path(shutil.copy(model, scratch))
    openvino_genai.LLMPipeline(str(copy), "CPU", enable_save_ov_model=True)
    return openvino.Core().compile_model(str(scratch / "openvino_model.xml"), "CPU", CONFIG).create_infer_request()


def rows(request: Any, tokens: list[int], position: int) -> np.ndarray:
    """Logits [len(tokens), V] of tokens from a position on."""
    n = len(tokens)
    request.infer({"input_ids": np.array([tokens], np.int64), "attention_mask": np.ones((1, position + n), np.int64),
                   "position_ids": np.arange(position, position + n, dtype=np.int64)[None], "beam_idx": np.zeros(1, np.int32)})
    return np.array(request.get_tensor("logits").data[0], np.float32)


def run(request: Any, golden: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The datasets of an observation, of a case without greedy tokens: float32 logits as in /expect/truth, NaN on padding."""
    prefill, decode = [], []
    for prompt, forced in zip(prompts(golden), golden["/input/decode"].tolist()):
        request.reset_state()
        prefill.append(rows(request, prompt, 0))
        decode.append(np.concatenate([rows(request, [token], len(prompt) + n) for n, token in enumerate(forced)]))
    return {"/observed/prefill": left_pad(prefill, np.nan), "/observed/decode": np.stack(decode)}


def observe(case: Path) -> str:
    """Writes observed/<case>.openvino-gguf.h5 beside a case, or .txt with the error message. Returns text for the log."""
    golden, attributes = h5.read(case)
    if "/expect/tokens" in golden:
        raise SystemExit(f"{case}: found greedy tokens, expected a case of logits alone")
    place = case.parent / "observed" / f"{case.stem}.{SYSTEM}"
    release = f"openvino-genai {version('openvino-genai')}, openvino {version('openvino')} on a CPU"
    place.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            datasets = run(load(case.parent / str(attributes["model"]), Path(scratch)), golden)
        except Exception as error:  # any error of the system is its result
            place.with_name(place.name + ".txt").write_text(f"{release}: {refusal(error, case)}\n")
            return f"{SYSTEM} cannot: {refusal(error, case)[:90]}"
    h5.write(place.with_name(place.name + ".h5"), {
        "kind": "observation", "case": f"../{case.name}", "recorder": attributes["recorder"],
        "source": f"{release}; the file read by LLMPipeline; activations and cache in float32; each sample alone, cached decode"}, datasets)
    return f"{SYSTEM} {distance(golden, datasets, '/observed') / distance(golden, golden, '/expect/float32'):.3g} x noise"
