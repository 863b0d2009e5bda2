"""A drawn sample, and how far runs in other types are from its truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..runs import narrow
from ..support import distances

Rows = list[tuple[np.ndarray, np.ndarray]]  # (prefill, decode) of a run, a sample


@dataclass
class Drawn:
    """One sample: token ids prompt [T] and decode [N]; logits [T, V] and [N, V] of the truth and in float32."""

    prompt: list[int]
    decode: list[int]
    prefill: np.ndarray
    steps: np.ndarray
    prefill32: np.ndarray
    steps32: np.ndarray

    @property
    def noise(self) -> float:
        return float(max(np.abs(self.prefill32 - self.prefill).max(),
                         np.abs(self.steps32 - self.steps).max()))


def largest_noise(samples: list[Drawn], rows: Rows) -> float:
    """The noise of a run over all samples, not a number if a logit is not; rows: its (prefill, decode) per sample."""
    return float(np.max([np.abs(part - true).max() for (prefill, steps), s in zip(rows, samples)
                         for part, true in ((prefill, s.prefill), (steps, s.steps))]))


def farthest_rows(samples: list[Drawn], rows: Rows) -> np.ndarray:
    """The largest of each of the three distances of a run's rows from the truth."""
    truth = np.concatenate([part for s in samples for part in (s.prefill, s.steps)])
    found = np.concatenate([part for both in rows for part in both]).astype(np.float64)
    return distances.distances(truth, found).max(-1)


def refuses_zeros(samples: list[Drawn], rows: Rows) -> bool:
    """Whether all-zero logits exceed the bound that follows from a run's noise; rows: the run's logits."""
    return narrow.APART * largest_noise(samples, rows) < max(np.abs(part).max() for s in samples for part in (s.prefill, s.steps))
