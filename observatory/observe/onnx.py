"""Runs onnxruntime-genai on AWQ and GPTQ checkpoints, whose codes its model builder takes over (`-p int4`): observations to compare, never goldens. The head
is not quantised (`nodes_to_exclude`), and activations stay float32 (`accuracy_level` 1)."""

from __future__ import annotations

import tempfile
from contextlib import redirect_stdout
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import transformers
from assay.adapters import onnxruntime_genai_export as exports
from onnxruntime_genai.models import builder

from scripts.record.support import h5
from scripts.record.support.h5 import left_pad

from .mlx_lm import distance, prompts, refusal

SYSTEM = "onnxruntime-genai-stored"
OPTIONS = {"nodes_to_exclude": ["/lm_head/MatMul"], "accuracy_level": 1, "shared_embeddings": False}


def export(model: Path, out: Path) -> Any:
    config = transformers.AutoConfig.from_pretrained(model)
    details = {"extra_kwargs": {}, "hf_name": str(model), "hf_config": config}
    with exports.replacing(builder.Model, {"save_processing": lambda *_: None}), redirect_stdout(None):  # a checkpoint without a tokenizer
        builder.create_model("", str(model), str(out), "int4", "cpu", str(out / "cache"), hf_details=details, **OPTIONS)
    return exports.opened(out, exports.GRAPHS[0]).model


def rows(model: Any, prompt: list[int], forced: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Logits after the tokens of a prompt, and after each forced token."""
    generator = exports.generator(model, 1, len(prompt) + len(forced) + 1)
    generator.append_tokens(np.array(prompt, np.int32))
    prefill, decode = np.array(generator.get_output("logits"), "f4")[0], []
    for token in forced:
        generator.append_tokens(np.array([token], np.int32))
        decode.append(np.array(generator.get_output("logits"), "f4")[0, -1])
    return prefill, np.stack(decode)


def run(model: Any, golden: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The datasets of an observation, of a case without greedy tokens: float32 logits as in /expect/truth, NaN on padding."""
    found = [rows(model, prompt, forced) for prompt, forced in zip(prompts(golden), golden["/input/decode"].tolist())]
    return {"/observed/prefill": left_pad([prefill for prefill, _ in found], np.nan), "/observed/decode": np.stack([decode for _, decode in found])}


def observe(case: Path) -> str:
    """Writes observed/<case>.onnxruntime-genai-stored.h5 beside a case, or .txt with the error message. Returns text for the log."""
    golden, attributes = h5.read(case)
    if "/expect/tokens" in golden:
        raise SystemExit(f"{case}: found greedy tokens, expected a case of logits alone")
    place = case.parent / "observed" / f"{case.stem}.{SYSTEM}"
    release = f"onnxruntime-genai {version('onnxruntime-genai')}, onnxruntime {version('onnxruntime')} on a CPU"
    place.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        try:
            datasets = run(export(case.parent / str(attributes["model"]), Path(scratch)), golden)
        except Exception as error:  # any error of the system is its result
            place.with_name(place.name + ".txt").write_text(f"{release}: {refusal(error, case)}\n")
            return f"{SYSTEM} cannot: {refusal(error, case)[:90]}"
    h5.write(place.with_name(place.name + ".h5"), {
        "kind": "observation", "case": f"../{case.name}", "recorder": attributes["recorder"],
        "source": f"{release}; codes of the checkpoint in MatMulNBits, activations and head in float32; each sample alone, cached decode"}, datasets)
    return f"{SYSTEM} {distance(golden, datasets, '/observed') / distance(golden, golden, '/expect/float32'):.3g} x noise"
