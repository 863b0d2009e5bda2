"""Tests the decoder of stored weights (scripts/record/formats) and its vectors. The published dequantisers that are installed must
give the same numbers for random matrices. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import unittest
from dataclasses import replace
from pathlib import Path

import numpy as np

from scripts.record.formats import ggml, layout, published, stored_vectors

SEEDS = range(1, 4)


class Formats(unittest.TestCase):
    def test_vectors_are_those_of_the_file(self) -> None:
        path = Path(os.environ["top_srcdir"]) / stored_vectors.PLACE
        made = [json.loads(json.dumps(vector)) for vector in stored_vectors.checked(0, {})]
        self.assertEqual(json.loads(path.read_text())["vectors"], made)

    def test_published_dequantisers_give_the_same_numbers(self) -> None:
        seen: dict[str, int] = {}
        for seed in SEEDS:
            list(stored_vectors.checked(seed, seen))
        self.assertGreater(seen["transformers"], 10_000)

    def test_a_wrong_field_is_found(self) -> None:
        """Of each block type that gguf-py or transformers read, a code read without its last digit differs from theirs."""
        rng = np.random.default_rng(1)
        for vector in stored_vectors.of_ggml(rng):
            kind = vector.kind
            width, base, inner = kind.parts["codes"].planes[0]
            if kind.size == 1 or not any(vector.published()):
                continue
            moved = replace(kind.parts["codes"], planes=((width, base, inner[:-1]), *kind.parts["codes"].planes[1:]))
            with self.subTest(kind.name):
                stored = vector.tensors[vector.matrix]
                wrong = layout.decode(ggml.matrix(replace(kind, parts={**kind.parts, "codes": moved}), *stored.shape, stored.data))
                for found in vector.published():
                    self.assertNotEqual(published.differences(wrong, found), "")

    def test_a_code_outside_the_bytes_is_refused(self) -> None:
        plane = layout.Plane(4, 0, (layout.Digit("k", 4),))
        with self.assertRaises(RuntimeError):
            layout.decode(layout.Matrix(1, 3, layout.Field("unsigned", (plane,), np.zeros(1, np.uint8))))
