"""Tests of scripts/record/own with a GGUF file. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from pathlib import Path

import h5py

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
        self.own(FILE, out, "--config", self.published(), "--decode", "2", "--types", "f32")
        self.assertEqual(sorted(file.name for file in out.iterdir()), ["a.h5", "model.gguf", "model.gguf.crc32"])
        with h5py.File(out / "a.h5") as case:
            self.assertEqual(case.attrs["model"], b"model.gguf")
        judged = assay("run", "--engine", "ref64", "--engine", "fastpath", out)
        self.assertEqual(judged.returncode, 0, judged.stdout)
        (out / "model.gguf").unlink()
        (out / "model.gguf").write_bytes(FILE.read_bytes()[:-1] + b"x")
        self.assertIn("model.gguf: its CRC-32 is ", assay("run", "--engine", "ref64", out).stdout)

    def test_a_file_without_its_config_is_refused(self) -> None:
        self.write_prompts({"ids": [7, 41]})
        done = self.own(FILE, self.work / "out", code=1)
        self.assertIn("--config None: found no config.json, expected the directory of the published model", done.stderr)
