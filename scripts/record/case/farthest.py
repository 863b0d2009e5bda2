"""More draws of the noise, for models that amplify rounding errors: one float32 run can be close to the truth by luck, and sound engines are then beyond four times
its noise (docs/judging.md)."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..checkpoint.checkpoint import Checkpoint
from ..runs.truth import OtherOrder
from .cases import Case, Drawn


def keep(checkpoint: Checkpoint, case: Case, samples: list[Drawn], truth: dict[str, np.ndarray], float32: dict[str, np.ndarray]) -> None:
    """Replaces, of each sample, the float32 run by the farthest from the truth of it and the variant's `more_runs`, and likewise each traced tensor of the first
    sample. The inputs stay: these runs have a generator of their own."""
    rng = np.random.default_rng([checkpoint.seed, len(samples)])
    for number, sample in enumerate(samples):
        for _ in range(checkpoint.variant.more_runs):
            traced: dict[str, np.ndarray] = {}
            with OtherOrder(rng):
                prefill, steps = checkpoint.float32.rows(sample.prompt, sample.decode, traced, limit=case.limit)
            again = dataclasses.replace(sample, prefill32=prefill, steps32=steps)
            if again.noise > samples[number].noise:
                samples[number] = again
            for name in truth if number == 0 else ():
                if distance(traced[name], truth[name]) > distance(float32[name], truth[name]):
                    float32[name] = traced[name]


def distance(run: np.ndarray, truth: np.ndarray) -> float:
    return float(np.abs(run - truth).max())
