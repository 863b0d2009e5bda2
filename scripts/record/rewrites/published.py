"""Whether mlx-vlm, which alone has the model, gives what its rewrites in numpy and in torch do."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np

from ..checkpoint import opening
from ..checkpoint.checkpoint import Checkpoint
from ..media.parts import media_of

BOUNDS = 4.0  # as a candidate's: in multiples of the noise of the rewrite in float32
APART = 1e-12  # of the two rewrites in float64, relative to the largest logit


def check(checkpoint: Checkpoint, directory: Path, least: float) -> None:
    """Loads a checkpoint's files with mlx-vlm, and compares the logits of a prompt that reads every kind of weight.
    least: lower limit of the noise, relative to the largest logit."""
    tokens = checkpoint.probe()
    truth, once = checkpoint.truth.logits(tokens), checkpoint.float32.logits(tokens)
    media = {name: array for medium in media_of(tokens) for name, array in medium.arrays.items()}
    package = checkpoint.family.package
    weights = {name: tensor.double().numpy() for name, tensor in checkpoint.state.items()}
    plain = package.plain_logits(weights, checkpoint.config(), list(tokens), media)
    if np.abs(plain - truth).max() > APART * np.abs(truth).max():
        raise RuntimeError(f"{directory}: the rewrites in numpy and torch are {np.abs(plain - truth).max():.1e} apart")
    converted = checkpoint.variant.spelling == "mlx"  # which mlx-vlm would convert once more
    with opening.converted_once({}) if converted else contextlib.nullcontext():
        found = package.published_logits(directory, list(tokens), media)
    compare(directory, found, truth, once, least)


def compare(directory: Path, found: np.ndarray, truth: np.ndarray, once: np.ndarray, least: float) -> None:
    noise = max(np.abs(once - truth).max(), least * np.abs(truth).max())
    if np.abs(found - truth).max() > BOUNDS * noise:
        raise RuntimeError(f"{directory}: mlx-vlm gives logits that are {np.abs(found - truth).max():.1e} from the truth, "
                           f"expected at most {BOUNDS * noise:.1e}")
