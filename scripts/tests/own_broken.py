"""Tests that scripts/record/own refuses the broken checkpoints that the loader refuses, with the same words. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import shutil
from unittest import mock

from scripts.record.streamed import documents, prompts, skeleton
from scripts.record.streamed.documents import Unsupported
from scripts.tests import broken_checkpoints
from scripts.tests.own_case import FIXTURES, TOP, OwnCase


class Broken(OwnCase):
    def test_a_broken_checkpoint_is_refused_in_the_words_of_the_loader(self) -> None:
        for number, row in enumerate(broken_checkpoints.read(TOP)):
            directory = broken_checkpoints.make(TOP, row, self.work / str(number))
            with self.subTest(row["name"]), self.assertRaises(Unsupported) as caught:
                documents.check(directory)
            self.assertEqual(str(caught.exception), row["message"].replace("DIR", str(directory)), row["name"])

    def test_the_bundled_checkpoints_pass(self) -> None:
        for directory in ("llama/base", "llama/sharded", "qwen3_omni_moe/base", "bundle/gemma4"):
            documents.check(FIXTURES / directory / "model")

    def test_the_missing_program_is_named(self) -> None:
        with mock.patch.dict(os.environ, {"ASSAY_BUILD": str(self.work), "PATH": ""}):
            with self.assertRaisesRegex(Unsupported, f"{self.work}/conformance/assay: not found, expected .*"):
                documents.check(FIXTURES / "llama/base/model")

    def test_the_exit_status_is_1_and_nothing_is_written(self) -> None:
        self.write_prompts({"ids": [1, 5, 9]})
        row = next(row for row in broken_checkpoints.read(TOP) if row["name"] == "a shard in the directory above")
        directory = broken_checkpoints.make(TOP, row, self.work / "broken")
        done = self.own(directory, self.work / "out", code=1)
        self.assertEqual(done.stderr, f"own: {row['message'].replace('DIR', str(directory))}\n")
        self.assertFalse((self.work / "out").exists())

    def test_an_error_of_the_published_library_is_told_in_a_line(self) -> None:
        directory = self.work / "copy"
        shutil.copytree(FIXTURES / "bundle/qwen3/model", directory)
        for file in directory.iterdir():
            file.chmod(0o644)
        config = json.loads((directory / "config.json").read_text())
        (directory / "tokenizer.json").write_text("{}")
        with self.assertRaisesRegex(Unsupported, f"{directory}: AutoTokenizer: .+"):
            prompts.read_prompts(self.write_prompts({"text": "a"}), directory, None, 100)
        for member, value in (("hidden_size", "wide"), ("layer_types", 3), ("num_hidden_layers", [2])):
            (directory / "config.json").write_text(json.dumps(config | {member: value}))
            with self.subTest(member), self.assertRaisesRegex(Unsupported, f"{directory}/config.json: .+"):
                skeleton.read_config(directory)
