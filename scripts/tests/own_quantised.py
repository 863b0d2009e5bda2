"""Tests of scripts/record/own with quantised safetensors. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re
import shutil
import unittest
from pathlib import Path
from unittest import mock

import h5py
import numpy as np
import torch
from safetensors.torch import load_file, save_file

from scripts.record.formats import exact, packed, published, switched
from scripts.record.media.parts import Prompt
from scripts.record.streamed import coded, passes
from scripts.record.streamed.documents import Unsupported
from scripts.tests.own_case import FIXTURES, OwnCase, assay
from scripts.tests.own_checkpoints import DRAWN, draw_checkpoint

TOLERANCE = 1e-12  # relative to the largest logit: the head is computed in blocks
FAMILIES = ("llama", "qwen3", "qwen3_moe")


def quantised() -> list[Path]:
    """The bundled checkpoints in safetensors whose config.json or hf_quant_config.json says how they are quantised."""
    found = [config.parent for family in FAMILIES for config in sorted((FIXTURES / family).glob("*/model/config.json"))]
    return [model for model in found if coded.settings_of(model)]


def ignore(_line: str) -> None:
    pass


class Quantised(OwnCase):
    def truth(self, model: Path, tokens: list[int], dtype: torch.dtype = torch.float64, rounded: str = "") -> np.ndarray:
        sequence = passes.Sequence("one", Prompt(tokens), tuple(range(len(tokens))))
        place = self.work / "passes"
        passes.Model(model, dtype, False, ignore, rounded=rounded).run([sequence], place)
        found = passes.rows(sequence, place)
        shutil.rmtree(place)
        return found

    def copy(self, name: str) -> Path:
        copy = self.work / "copy"
        shutil.copytree(FIXTURES / name / "model", copy)
        for path in copy.iterdir():
            path.chmod(0o644)
        return copy

    def refused(self, model: Path) -> str:
        coded.read.cache_clear()
        with self.assertRaises((Unsupported, RuntimeError)) as caught:
            coded.read(model)
        return str(caught.exception)

    def test_the_truth_is_that_of_the_recorder_for_every_bundled_checkpoint(self) -> None:
        methods = set()
        for model in quantised():
            methods.add(coded.settings_of(model)["quant_method"])
            with self.subTest(model.parent.name), h5py.File(model.parent / "single.h5") as case:
                expected = case["expect/truth/prefill"][0]
                found = self.truth(model, case["input/tokens"][0].tolist())
                self.assertLessEqual(np.abs(found - expected).max(), TOLERANCE * np.abs(expected).max())
        self.assertEqual(methods, set(packed.METHODS) - {"mxfp4"})

    def test_runs_with_rounded_inputs_are_as_far_from_the_truth_as_those_of_the_recorder(self) -> None:
        for name, kind in (("llama/ct-int8", "int8-token"), ("llama/ct-fp8-static", "fp8-static"), ("qwen3_moe/fp8-block", "fp8-group128"),
                           ("qwen3/ct-nvfp4", "nvfp4"), ("llama/awq", "bfloat16")):
            with self.subTest(name, kind=kind), h5py.File(FIXTURES / name / ("narrow.h5" if "moe" in name else "single.h5")) as case:
                tokens, truth = case["input/tokens"][0].tolist(), case["expect/truth/prefill"][0]
                expected = case[f"expect/{kind}/noise"][0] if kind != "bfloat16" else np.abs(case["expect/bfloat16/prefill"][0] - truth).max()
                run = self.truth(FIXTURES / name / "model", tokens, torch.bfloat16) if kind == "bfloat16" else self.truth(
                    FIXTURES / name / "model", tokens, torch.float32, kind)
                error = np.abs(run - truth).max()
                self.assertLessEqual(error, 1.001 * expected)  # which decode rows are part of
                self.assertGreater(error, 0.2 * expected)

    def test_engines_pass_what_it_records(self) -> None:
        self.write_prompts({"ids": [7, 41, 3, 12], "case": "a"}, {"ids": [5, 9], "case": "a"})
        out = self.work / "out"
        self.own(FIXTURES / "llama/ct-w4a16-asymmetric/model", out, "--decode", "2", "--types", "f32")
        judged = assay("run", "--engine", "ref64", "--engine", "fastpath", out)
        self.assertEqual(judged.returncode, 0, judged.stdout)
        self.assertIn("2 passed, 0 failed, 0 skipped", judged.stdout)

    def test_stacks_in_mxfp4_are_those_of_the_published_loader(self) -> None:
        from transformers.integrations.mxfp4 import convert_moe_packed_tensors
        model = self.work / "gpt_oss"
        kind, more = DRAWN["gpt_oss"]
        draw_checkpoint((kind, more | {"intermediate_size": 64}), model)
        state, draw, stacks = load_file(model / "model.safetensors"), np.random.default_rng(2), {}
        for name in [name for name in state if name.endswith(("gate_up_proj", "down_proj"))]:
            experts, n_in, n_out = state.pop(name).shape
            stacks[name] = (torch.from_numpy(draw.integers(0, 256, (experts, n_out, n_in // 32, 16), np.uint8)),
                            torch.from_numpy(draw.integers(118, 124, (experts, n_out, n_in // 32), np.uint8)))
            state |= {f"{name}_blocks": stacks[name][0], f"{name}_scales": stacks[name][1]}
        save_file(state, model / "model.safetensors", metadata={"format": "pt"})
        config = json.loads((model / "config.json").read_text())
        (model / "config.json").write_text(json.dumps(config | {"quantization_config": {"quant_method": "mxfp4"}}))
        found = coded.read(model)
        self.assertTrue(stacks)
        for name, parts in stacks.items():
            expected = convert_moe_packed_tensors(*parts, dtype=torch.float32).double()
            self.assertTrue(torch.equal(found[name][...], expected), name)
            self.assertTrue(torch.equal(found[name].rows(1, 3), expected[1:3]), name)
        self.assertTrue(np.isfinite(self.truth(model, [7, 41, 3, 12])).all())

    def test_engines_pass_the_stacked_experts_of_mlx(self) -> None:
        """config.json of this checkpoint has a list of ids that end a text."""
        self.write_prompts({"ids": [7, 41, 3, 12, 9]})
        out = self.work / "out"
        self.own(FIXTURES / "qwen3_moe/mlx-6bit/model", out, "--decode", "2")
        judged = assay("run", "--engine", "ref64", "--engine", "ref32", out)
        self.assertEqual(judged.returncode, 0, judged.stdout)
        self.assertIn("2 passed, 0 failed, 0 skipped", judged.stdout)

    @unittest.skipUnless(published.is_installed("mlx"), "the package mlx is not installed")
    def test_groups_of_mlx_are_what_mlx_makes_of_them(self) -> None:
        for name in ("llama/mlx-4bit", "llama/mlx-8bit", "qwen3/mlx-3bit", "qwen3_moe/mlx-6bit"):
            model = FIXTURES / name / "model"
            for part in exact.parts(exact.places(model / "model.safetensors"), coded.settings_of(model)):
                with self.subTest(name, x=part.x):
                    (_, numbers, _), = published.mlx(part.x, {name: place.read() for name, place in part.own.items()}, part.settings)
                    np.testing.assert_array_equal(published.once(part.rows(0, part.shape[0]), torch.float32), numbers.numpy())

    @unittest.skipUnless(published.is_installed("mlx"), "the package mlx is not installed")
    def test_a_scale_of_the_next_group_is_not_that_of_mlx(self) -> None:
        def wrong(x, tensors, settings):
            scales = tensors[f"{x}.scales"]
            return packed.as_mlx(x, tensors | {f"{x}.scales": packed.Stored(scales.dtype, scales.shape, np.roll(scales.data, 2))}, settings)

        with mock.patch.dict(packed.METHODS, {"mlx": wrong}):
            self.assertRegex(self.refused(FIXTURES / "qwen3_moe/mlx-6bit/model"), r", from row 0 on: mlx makes \d+ of \d+ other numbers")

    def test_stacks_of_plain_experts_are_those_of_the_published_names(self) -> None:
        model = self.copy("qwen3_moe/window")
        expected = self.truth(model, [7, 41, 3])
        state, stacks = load_file(model / "model.safetensors"), {}
        for name in [name for name in state if ".experts." in name]:
            stem, i, rest = re.fullmatch(r"(.*)\.experts\.(\d+)\.(.*)", name).groups()
            stacks.setdefault(f"{stem}.switch_mlp.{rest}", {})[int(i)] = state.pop(name)
        self.assertTrue(stacks)
        save_file(state | {name: torch.stack([each[i] for i in range(len(each))]) for name, each in stacks.items()}, model / "model.safetensors",
                  metadata={"format": "pt"})
        coded.read.cache_clear()
        np.testing.assert_array_equal(self.truth(model, [7, 41, 3]), expected)

    def test_the_module_of_a_matrix_is_found_by_its_name(self) -> None:
        for block, part, own in (("mlp", "up_proj", "up_proj"), ("block_sparse_moe", "w3", "up_proj"), ("feed_forward", "w2", "down_proj")):
            entry = {"dtype": "U32", "shape": [2, 3, 5], "data_offsets": [60, 180]}
            found = switched.apart({f"a.{block}.switch_mlp.{own}.weight": entry, f"a.{block}.gate.weight": entry})
            self.assertEqual(found, {f"a.{block}.experts.0.{part}.weight": entry | {"shape": [3, 5], "data_offsets": [60, 120]},
                                     f"a.{block}.experts.1.{part}.weight": entry | {"shape": [3, 5], "data_offsets": [120, 180]},
                                     f"a.{block}.gate.weight": entry})
            self.assertEqual(switched.stack_of(f"a.{block}.experts.1.{part}"), f"a.{block}.switch_mlp.{own}")
        self.assertEqual(switched.stack_of("a.mlp.up_proj"), "a.mlp.up_proj")

    def test_settings_of_modelopt_alone_are_enough(self) -> None:
        model = self.copy("qwen3/modelopt-nvfp4")
        expected = self.truth(model, [7, 41, 3])
        config = json.loads((model / "config.json").read_text())
        config.pop("quantization_config", None)
        (model / "config.json").write_text(json.dumps(config))
        coded.read.cache_clear()
        np.testing.assert_array_equal(self.truth(model, [7, 41, 3]), expected)

    def test_a_checkpoint_without_a_part_is_refused_by_its_name(self) -> None:
        x = "model.layers.0.mlp.up_proj"
        for name, lost, message in (
                ("llama/fp8-block", "weight_scale_inv", f"tensor '{x}.weight': found dtype F8_E4M3"),
                ("llama/ct-w4a16", "weight_scale", f"{x}.weight_shape: found a part of a quantised matrix"),
                ("llama/ct-int8", "weight_scale", f"{x}.weight: found a part of a quantised matrix"),
                ("llama/awq", "scales", f"'{x}.scales', expected the tensors of awq")):
            model = self.copy(name)
            state = load_file(model / "model.safetensors")
            del state[f"{x}.{lost}"]
            save_file(state, model / "model.safetensors")
            with self.subTest(name):
                self.assertIn(message, self.refused(model))
            shutil.rmtree(model)

    def test_other_numbers_than_the_published_ones_are_refused(self) -> None:
        """Of a matrix that is compared in a sample of its rows, too."""
        def wrong(x, tensors, settings):
            scale = tensors[f"{x}.weight_scale_inv"]
            return packed.as_fp8(x, tensors | {f"{x}.weight_scale_inv": packed.Stored(scale.dtype, scale.shape, np.roll(scale.data, 4))}, settings)

        for whole in (published.WHOLE, 1):
            with self.subTest(whole), mock.patch.dict(packed.METHODS, {"fp8": wrong}), mock.patch.object(published, "WHOLE", whole), \
                    mock.patch.object(published, "SAMPLED", 1000):
                self.assertRegex(self.refused(FIXTURES / "llama/fp8-block/model"), r"_proj, from row \d+ on: transformers makes \d+ of \d+ other numbers")

    def test_a_sample_has_the_first_rows_the_last_ones_and_others(self) -> None:
        found = published.sample(100_000, 1000, 3)
        self.assertEqual(found[:2], [(0, 16), (99_984, 100_000)])
        self.assertEqual(len(set(found)), 4)
        self.assertTrue(all(0 <= begin and end <= 100_000 and end - begin == 16 for begin, end in found))
        self.assertEqual(found, published.sample(100_000, 1000, 3))
        self.assertNotEqual(found, published.sample(100_000, 1000, 4))
        self.assertEqual(published.sample(100, 1000, 3), [(0, 100)])
