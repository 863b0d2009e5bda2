"""Tests of what a case is for the scoreboard."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from observatory.board import cases, running
from observatory.tests.board import ASSAY


class Cases(unittest.TestCase):
    def test_a_case_has_the_properties_that_the_program_describes(self) -> None:
        expected = {
            "llama/base/single": "single", "llama/base/batch": "batch", "llama/base/limit": "batch limit", "llama/base/generate": "batch greedy",
            "qwen3/window/window": "batch window", "phi3/longrope/long": "single longrope", "gemma4/mlx-4bit-experts/single": "single window experts quantised",
            "qwen3_vl/base/image": "single image", "qwen3_vl/base/images-batch": "batch image images", "qwen3_5/base/single": "single recurrent",
            "qwen3_vl/base/positions": "positions", "llama/lengths/prefill-1024": "single long", "llama/dynamic/long": "single linear",
        }
        paths = {f"fixtures/{name}.h5": name for name in expected}
        found = cases.describe(ASSAY, paths)
        for name, properties in expected.items():
            with self.subTest(name):
                self.assertEqual(" ".join(one.name for one in cases.PROPERTIES if one.has(found[name])), properties)
        self.assertEqual(found["gemma4/mlx-4bit-experts/single"].family, "gemma4")

    def test_every_property_has_a_bundled_case(self) -> None:
        paths = {str(path.relative_to(running.TOP)): str(path) for path in (running.TOP / "fixtures").glob("*/*/*.h5")}
        found = cases.describe(ASSAY, paths).values()
        self.assertEqual(len(found), len(paths))
        self.assertEqual([one.name for one in cases.PROPERTIES if not any(one.has(case) for case in found)], [])

    def test_a_file_that_is_no_case_is_left_out(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            text = Path(place) / "text.h5"
            text.write_text("text")
            self.assertEqual(cases.describe(ASSAY, {str(text): "a", "fixtures/llama/base/single.h5": "b"}).keys(), {"b"})

    def test_a_case_of_a_checkpoint_that_the_loader_does_not_know_has_the_family_of_its_folder(self) -> None:
        told = {"kind": "logits", "prompts": {"lengths": [5], "width": 5}, "inputs": [], "steps": {"forced": 2, "greedy": 0}, "cache": None}
        self.assertEqual(cases.read_case(told, "new/a/b", cases.Plan()), cases.Case("new/a/b", "logits", 1, 7))
        self.assertEqual(cases.Case("new/a/b", "logits").family, "new")
