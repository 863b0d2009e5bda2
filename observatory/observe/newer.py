"""Runs the transformers of this environment on cases whose truth is another version (pinned.py): observations to compare, never
goldens."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from scripts.record.checkpoint.checkpoint import quiet
from scripts.record.media.parts import Medium, Prompt
from scripts.record.runs.truth import Run
from scripts.record.support import h5
from scripts.record.support.h5 import left_pad

from .mlx_lm import distance, prompts, refusal

SYSTEM = "transformers"
IMAGES = ("pixel_values", "aspect_ratio_ids", "aspect_ratio_mask")


def load(model: Path) -> Run:
    quiet()

    def build() -> torch.nn.Module:
        return transformers.AutoModelForImageTextToText.from_pretrained(model, dtype=torch.float32, attn_implementation="eager")
    return Run(build, {}, torch.float32)


def with_images(golden: dict[str, np.ndarray]) -> list[Prompt]:
    owner = golden.get("/input/image_sample", np.zeros(0, np.int32))
    media = [Medium("image", {name: golden[f"/input/{name}"][i:i + 1] for name in IMAGES}) for i in range(len(owner))]
    return [Prompt(tokens, tuple(medium for medium, sample in zip(media, owner) if sample == number))
            for number, tokens in enumerate(prompts(golden))]


def run(model: Path, golden: dict[str, np.ndarray], change: Callable[[torch.nn.Module], None] | None = None) -> dict[str, np.ndarray]:
    """The datasets of an observation: float32 logits as in /expect/truth, NaN on padding; the case's traces, of sample 0. change: of
    the published model."""
    published = load(model)
    if change:
        change(published.model)
    prefill, decode, trace = [], [], {}
    for number, (prompt, tokens) in enumerate(zip(with_images(golden), golden["/input/decode"].tolist())):
        rows = published.rows(prompt, tokens, {} if number else trace)
        prefill.append(rows[0])
        decode.append(rows[1])
    names = [name.removeprefix("/trace/") for name in golden if name.startswith("/trace/")]
    return {"/observed/prefill": left_pad(prefill, np.nan), "/observed/decode": np.stack(decode)} | {
        f"/observed/trace/{name}": trace[name].astype(np.float32) for name in names}


def observe(case: Path) -> str:
    """Writes observed/<case>.transformers.h5 beside a case, or .txt with the error message. Returns text for the log."""
    golden, attributes = h5.read(case)
    place = case.parent / "observed" / f"{case.stem}.{SYSTEM}"
    version = f"{SYSTEM} {transformers.__version__}, torch {torch.__version__} on a CPU"
    place.parent.mkdir(exist_ok=True)
    try:
        datasets = run(case.parent / "model", golden)
    except Exception as error:  # any error of transformers is its result
        place.with_name(place.name + ".txt").write_text(f"{version}: {refusal(error, case)}\n")
        return f"{SYSTEM} cannot: {refusal(error, case)[:90]}"
    written: dict[str, Any] = {
        "kind": "observation", "case": f"../{case.name}", "recorder": attributes["recorder"],
        "source": f"{version}; stored weights upcast to float32; each sample alone, whole sequences without a cache"}
    h5.write(place.with_name(place.name + ".h5"), written, datasets)
    return f"{SYSTEM} {distance(golden, datasets, '/observed') / distance(golden, golden, '/expect/float32'):.3g} x noise"


def is_whole(case: Path) -> bool:
    """Whether a case has all rows of logits and no tokens of generate(), and weights that transformers can read: not quantised ones."""
    if "quantization" in json.loads((case.parent / "model" / "config.json").read_text()):
        return False
    golden = h5.read(case)[0]
    return "/expect/truth/prefill" in golden and not {"/expect/rows", "/expect/tokens"} & set(golden)
