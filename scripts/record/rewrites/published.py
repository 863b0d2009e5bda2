"""Whether mlx-vlm, which alone has the model, gives what its rewrites in numpy and in torch do."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..images import media_of

if TYPE_CHECKING:
    from ..checkpoint import Checkpoint

BOUNDS = 4.0  # as a candidate's: in multiples of the noise of the rewrite in float32
APART = 1e-12  # of the two rewrites in float64, relative to the largest logit


def check(checkpoint: Checkpoint, directory: Path, least: float) -> None:
    """Loads a checkpoint's files with mlx-vlm, and compares the logits of a prompt that reads every kind of weight.
    least: lower limit of the noise, relative to the largest logit."""
    from observatory.vlm.repairs import falcon as falcon_repairs
    from observatory.vlm import observation
    tokens = checkpoint.probe()
    truth, once = checkpoint.truth.logits(tokens), checkpoint.float32.logits(tokens)
    golden = {"/input/tokens": np.array([tokens], np.int32), "/input/length": np.array([len(tokens)], np.int32),
              "/input/decode": np.array([tokens[:1]], np.int32)}
    media = {name: array for medium in media_of(tokens) for name, array in medium.arrays.items()}
    for medium in media_of(tokens):
        golden |= {f"/input/{name}": array for name, array in medium.arrays.items()}
        golden["/input/image_sample"] = np.zeros(1, np.int32)
    package = checkpoint.family.package
    weights = {name: tensor.double().numpy() for name, tensor in checkpoint.state.items()}
    plain = package.plain_logits(weights, checkpoint.config(), list(tokens), media)
    if np.abs(plain - truth).max() > APART * np.abs(truth).max():
        raise RuntimeError(f"{directory}: the rewrites in numpy and torch are {np.abs(plain - truth).max():.1e} apart")
    if hasattr(package, "published_logits"):
        compare(directory, package.published_logits(directory, list(tokens), media), truth, once, least)
        return
    converted = checkpoint.variant.spelling == "mlx"  # which mlx-vlm would convert once more
    with falcon_repairs.converted_once({}) if converted else contextlib.nullcontext():
        found = observation.run(directory, golden, together=False)["/observed/prefill"][0]
    compare(directory, found, truth, once, least)


def compare(directory: Path, found: np.ndarray, truth: np.ndarray, once: np.ndarray, least: float) -> None:
    noise = max(np.abs(once - truth).max(), least * np.abs(truth).max())
    if np.abs(found - truth).max() > BOUNDS * noise:
        raise RuntimeError(f"{directory}: mlx-vlm gives logits that are {np.abs(found - truth).max():.1e} from the truth, "
                           f"expected at most {BOUNDS * noise:.1e}")
