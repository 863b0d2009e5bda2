"""Tests when the recorder draws an input again because its float32 run is close to the truth by chance
(`Drawer.is_typical`), without a model. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import unittest
from types import SimpleNamespace

import numpy as np

from scripts.record.case import cases, plan

NOISE = 1e-4  # of the recorded float32 run, above the lower limit of the noise


class Run:
    """Stands for a published model: logits and outputs of layers are ones, but for the noise. `logits` is the recorded run, and
    `rows` one with another order of summation, with these multiples of its noise."""

    def __init__(self, noise: float, logits: float = 1.0, outputs: float = 1.0):
        self.noise, self.of_logits, self.of_outputs = noise, logits, outputs

    def logits(self, tokens: list[int], trace: dict, limit: object = None) -> np.ndarray:
        trace["layer.00.out"] = np.full((len(tokens), 2), 1 + self.noise)
        return np.full((len(tokens), 3), 1 + self.noise)

    def rows(self, prompt: list[int], decode: list[int], trace: dict, limit: object = None) -> tuple[np.ndarray, np.ndarray]:
        trace["layer.00.out"] = np.full((len(prompt), 2), 1 + self.noise * self.of_outputs)
        prefill, steps = (np.full((len(tokens), 3), 1 + self.noise * self.of_logits) for tokens in (prompt, decode))
        return prefill, steps


def is_typical(seed: int = 0, logits: float = 1.0, outputs: float = 1.0, **variant: bool) -> bool:
    """logits, outputs: the noise of other orders of summation, in multiples of that of the recorded run."""
    members = SimpleNamespace(name="variant", **{"typical": False, "typical_layers": False} | variant)
    checkpoint = SimpleNamespace(seed=seed, variant=members, family=SimpleNamespace(name="family"), truth=Run(0.0),
                                 float32=Run(NOISE, logits, outputs))
    ones, near = np.ones((2, 3)), np.full((2, 3), 1 + NOISE)
    drawn = cases.Drawn([1, 2], [3, 4], ones, ones, near, near)
    return cases.Drawer(checkpoint, plan.Case("case", (2,), 2)).is_typical(drawn)  # type: ignore[arg-type]


class Typical(unittest.TestCase):
    def test_most_bundled_inputs_are_drawn_without_other_orders(self) -> None:
        self.assertTrue(is_typical(logits=100, outputs=100))

    def test_typical_variants_are_judged_by_their_logits(self) -> None:
        self.assertTrue(is_typical(typical=True, logits=1.9))
        self.assertFalse(is_typical(typical=True, logits=2.1))
        self.assertTrue(is_typical(typical=True, outputs=100))

    def test_outputs_of_layers_count_where_the_variant_says_so(self) -> None:
        both = {"typical": True, "typical_layers": True}
        self.assertTrue(is_typical(**both, outputs=2.9))
        self.assertFalse(is_typical(**both, outputs=3.1))
        self.assertFalse(is_typical(**both, logits=2.1))

    def test_outputs_of_layers_count_with_other_seeds(self) -> None:
        self.assertTrue(is_typical(seed=5, logits=1.9, outputs=2.9))
        self.assertFalse(is_typical(seed=5, outputs=3.1))
