"""Runs the transformers of this environment on quantised checkpoints, with the weights that its loaders give in float32: observations to
compare, never goldens. With transformers 5.23.0: bitsandbytes 0.50.2, compressed-tensors 0.20.1, gguf 0.19.0, gptqmodel 7.3.4, optimum 2.3.0."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from scripts.record.checkpoint.checkpoint import quiet
from scripts.record.runs.truth import Run
from scripts.record.support import h5
from scripts.record.support.h5 import left_pad

from .formats import method_of
from .mlx_lm import distance, prompts, refusal

SYSTEM = "transformers-stored"
# What from_pretrained is told besides, so that it widens.
WIDENING = {"fp8": ("FineGrainedFP8Config", {"dequantize": True}), "compressed-tensors": ("CompressedTensorsConfig", {"run_compressed": False})}


def options(model: Path, method: str | None) -> tuple[Path, dict[str, Any]]:
    """The directory, and what from_pretrained is told so that it widens the weights."""
    if method == "gguf":
        return model.parent, {"gguf_file": model.name}
    if method in WIDENING:
        name, values = WIDENING[method]
        return model, {"quantization_config": getattr(transformers, name)(**values)}
    return model, {}


class Loaded(Run):
    """Of a loader that keeps some weights in their codes."""

    def _refuse_other_types(self) -> None:
        pass


def load(model: Path, method: str | None) -> Loaded:
    """Weights that the loader leaves random are drawn alike each time."""
    quiet()
    torch.manual_seed(0)
    directory, given = options(model, method)

    def build() -> torch.nn.Module:
        loaded = transformers.AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32, attn_implementation="eager", **given)
        # Beside its widened weights a model of fp8 keeps the others in bfloat16, and its products fail: transformers-fp8-type
        return loaded.float() if method == "fp8" else loaded
    return Loaded(build, {}, torch.float32)


def run(published: Loaded, golden: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The datasets of an observation: float32 logits as in /expect/truth, NaN on padding; greedy tokens; the case's traces, of sample 0, if all
    weights are widened."""
    traced = all(one.dtype is torch.float32 for one in published.model.parameters())
    prefill, decode, trace, tokens = [], [], {}, []
    for number, (prompt, forced) in enumerate(zip(prompts(golden), golden["/input/decode"].tolist())):
        rows = published.rows(prompt, forced, None if number or not traced else trace)
        prefill.append(rows[0])
        decode.append(rows[1])
        if "/expect/tokens" in golden:
            tokens.append(greedy(published, prompt, golden["/expect/tokens"].shape[1]))
    found = {"/observed/prefill": left_pad(prefill, np.nan), "/observed/decode": np.stack(decode)}
    if tokens:
        found["/observed/tokens"] = np.array(tokens, np.int32)
    names = [name.removeprefix("/trace/") for name in golden if name.startswith("/trace/")]
    return found | {f"/observed/trace/{name}": trace[name].astype(np.float32) for name in names if traced}


def greedy(published: Run, prompt: list[int], n_tokens: int) -> list[int]:
    """The tokens of generate() with the stop ids of the checkpoint, and -1 after the last."""
    stops = published.model.generation_config.eos_token_id
    found = published.generate(prompt, n_tokens, stops if isinstance(stops, list) else [stops])
    return found + [-1] * (n_tokens - len(found))


def observe(case: Path) -> str:
    return observe_as(SYSTEM, load, "stored weights widened by its loader to float32", case)


def observe_as(system: str, load: Callable[[Path, str | None], Loaded], words: str, case: Path) -> str:
    """Writes observed/<case>.<system>.h5 beside a case, or .txt with the error message. words: what the loader does with stored weights. Returns text
    for the log."""
    golden, attributes = h5.read(case)
    place = case.parent / "observed" / f"{case.stem}.{system}"
    version = f"transformers {transformers.__version__}, torch {torch.__version__} on a CPU"
    place.parent.mkdir(exist_ok=True)
    try:
        datasets = run(load(case.parent / str(attributes["model"]), method_of(case)), golden)
    except Exception as error:  # any error of transformers is its result
        place.with_name(place.name + ".txt").write_text(f"{version}: {refusal(error, case)}\n")
        return f"{system} cannot: {refusal(error, case)[:90]}"
    written: dict[str, Any] = {
        "kind": "observation", "case": f"../{case.name}", "recorder": attributes["recorder"],
        "source": f"{version}; {words}; each sample alone, whole sequences without a cache"}
    h5.write(place.with_name(place.name + ".h5"), written, datasets)
    return f"{system} {distance(golden, datasets, '/observed') / distance(golden, golden, '/expect/float32'):.3g} x noise"
