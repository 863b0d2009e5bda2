"""How far rows of logits are apart, by the rule of conformance/judge/noise.h, in numpy: independently of `assay`."""

from __future__ import annotations

import numpy as np


def kl(truth: np.ndarray, found: np.ndarray) -> np.ndarray:
    """sqrt(2 KL(softmax(truth) || softmax(found))) of every row [R, V]."""
    shift = truth - truth.max(-1, keepdims=True)
    p = np.exp(shift) / np.exp(shift).sum(-1, keepdims=True)
    d = found - truth
    d = d - (p * d).sum(-1, keepdims=True)
    series = d * d * (1 / 2 + d * (1 / 6 + d * (1 / 24 + d * (1 / 120 + d * (1 / 720 + d / 5040)))))
    terms = np.where(np.abs(d) > 1e-2, np.expm1(d) - d, series)
    return np.sqrt(2 * np.log1p((p * terms).sum(-1)))


def distances(truth: np.ndarray, found: np.ndarray) -> np.ndarray:
    """[3, R]: largest error, RMSE and kl() of every row."""
    error = np.abs(found - truth)
    return np.stack([error.max(-1), np.sqrt((error ** 2).mean(-1)), kl(truth, found)])
