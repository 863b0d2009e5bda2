"""Tests of scripts/record/own with a GGUF file. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import h5py
import numpy as np

from scripts.record.formats import gguf_names
from scripts.tests.own_case import FIXTURES, OwnCase, assay

FILE = FIXTURES / "qwen3/gguf-q4_k_m/model/model.gguf"
CONFIG = {
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "vocab_size": 64, "hidden_size": 256, "intermediate_size": 256,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 16, "max_position_embeddings": 512,
    "rms_norm_eps": 1e-6, "rope_theta": 1000000.0, "tie_word_embeddings": True, "eos_token_id": 22}


class Gguf(OwnCase):
    def published(self) -> Path:
        directory = self.work / "published"
        directory.mkdir()
        (directory / "config.json").write_text(json.dumps(CONFIG))
        return directory

    def test_the_truth_has_the_exact_weights_of_the_file(self) -> None:
        self.write_prompts({"ids": [7, 41, 3, 12], "case": "a"}, {"ids": [5, 9], "case": "a"})
        out = self.work / "out"
        self.own(FILE, out, "--config", self.published(), "--decode", "2")
        self.assertEqual(sorted(file.name for file in out.iterdir()), ["a.h5", "model.gguf", "model.gguf.crc32"])
        with h5py.File(out / "a.h5") as case:
            self.assertEqual(case.attrs["model"], b"model.gguf")
            noise = {name: case[f"expect/{name}/noise"][0] for name in ("q8_K", "q8_K+f16")}  # in which llama.cpp computes
            f32 = np.abs(case["expect/float32/prefill"][()] - case["expect/truth/prefill"][()]).max()
            self.assertTrue(all(value > 100 * f32 for value in noise.values()), noise)
            self.assertNotEqual(noise["q8_K"], noise["q8_K+f16"])
        judged = assay("run", "--engine", "ref64", "--engine", "fastpath", out)
        self.assertEqual(judged.returncode, 0, judged.stdout)
        (out / "model.gguf").unlink()
        (out / "model.gguf").write_bytes(FILE.read_bytes()[:-1] + b"x")
        self.assertIn("model.gguf: its CRC-32 is ", assay("run", "--engine", "ref64", out).stdout)

    def test_a_file_below_a_root_is_found(self) -> None:
        self.write_prompts({"ids": [7, 41, 3]})
        out = self.work / "out"
        self.own(FILE, out, "--config", self.published(), "--checkpoint-root", str(FIXTURES), "--types", "f32")
        self.assertEqual(sorted(file.name for file in out.iterdir()), ["model.crc32", "prompts.h5"])
        judged = assay("run", "--engine", "ref64", "--checkpoint-root", FIXTURES, out)
        self.assertEqual(judged.returncode, 0, judged.stdout)

    def test_a_file_without_its_config_is_refused(self) -> None:
        self.write_prompts({"ids": [7, 41]})
        done = self.own(FILE, self.work / "out", code=1)
        self.assertIn("--config None: found no config.json, expected the directory of the published model", done.stderr)

    def test_rows_that_are_asked_for_are_those_of_the_whole(self) -> None:
        """And those of q and k in the published order, norms without what the converter has added, of each expert its own."""
        for name in ("llama/gguf-q4_k_m", "llama/gguf-parts", "qwen3_moe/gguf-mxfp4", "gemma2/gguf-q8_0", "qwen3/gguf-nvfp4"):
            files = sorted((FIXTURES / name / "model").glob("*.gguf"))
            theirs = {tensor.name: tensor for file in files for tensor in gguf.GGUFReader(file).tensors}
            found = {part.name: part for part in gguf_names.parts(files)}
            with self.subTest(name):
                for part in found.values():
                    n = part.shape[0]
                    whole = part.rows(0, n)
                    for begin, end in ((0, n), (0, 1), (n // 2, n // 2 + 1), (n // 3, n), (n, n)):
                        np.testing.assert_array_equal(part.rows(begin, end), whole[begin:end], part.name)
                for index, expert in enumerate(("0", "1") if "moe" in name else ()):
                    stack = theirs["blk.0.ffn_up_exps.weight"]
                    expected = gguf.quants.dequantize(np.array(stack.data), stack.tensor_type)[index]
                    np.testing.assert_array_equal(found[f"model.layers.0.mlp.experts.{expert}.up_proj.weight"].rows(0, len(expected)), expected)
                if name.startswith("llama"):
                    q, heads = theirs["blk.0.attn_q.weight"], 4
                    stored = gguf.quants.dequantize(np.array(q.data), q.tensor_type)
                    expected = stored.reshape(heads, len(stored) // heads // 2, 2, -1).swapaxes(1, 2).reshape(stored.shape)
                    np.testing.assert_array_equal(found["model.layers.0.self_attn.q_proj.weight"].rows(0, len(stored)).astype(np.float32), expected)
                if name.startswith("gemma2"):
                    norm = found["model.norm.weight"].rows(0, 64)
                    np.testing.assert_array_equal(norm + 1, theirs["output_norm.weight"].data)
