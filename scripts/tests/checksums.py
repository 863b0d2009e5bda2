"""Tests of scripts/record/support/checksums.py: lists next to checkpoints, and the index above them. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from scripts.record.support import checksums
from scripts.tests import tap

SUM = {"a": "e8b7be43", "b": "71beeff9"}


class Checksums(unittest.TestCase):
    def setUp(self) -> None:
        self.top = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.top)

    def write(self, name: str, text: str) -> None:
        (self.top / name).parent.mkdir(parents=True, exist_ok=True)
        (self.top / name).write_text(text)

    def write_checkpoints(self) -> None:
        self.write("llama/base/model/config.json", "a")
        self.write("llama/base/model/model.safetensors", "b")
        self.write("gemma/base/model/config.json", "b")

    def index(self) -> list[str]:
        return (self.top / checksums.INDEX).read_text().splitlines()

    def test_without_an_index_each_checkpoint_has_a_list(self) -> None:
        self.write_checkpoints()
        checksums.main([self.top])
        self.assertEqual((self.top / "llama/base/model.crc32").read_text(), f"{SUM['a']}  config.json\n{SUM['b']}  model.safetensors\n")
        self.assertEqual((self.top / "gemma/base/model.crc32").read_text(), f"{SUM['b']}  config.json\n")
        checksums.update(self.top / "llama")
        self.assertTrue((self.top / "llama/base/model.crc32").exists())

    def test_the_index_is_sorted_and_replaces_the_lists(self) -> None:
        self.write_checkpoints()
        checksums.main([self.top])
        checksums.start_index(self.top)
        checksums.main([self.top / "llama", self.top / "gemma/base"])
        self.assertEqual(self.index(), [f"{SUM['b']}  gemma/base/model/config.json", f"{SUM['a']}  llama/base/model/config.json",
                                        f"{SUM['b']}  llama/base/model/model.safetensors"])
        self.assertEqual([path for path in self.top.rglob("*.crc32")], [])

    def test_an_update_replaces_the_lines_of_its_place_only(self) -> None:
        self.write_checkpoints()
        self.write(checksums.INDEX, "00000000  gemma/base/model/config.json\n00000001  llama/base/model/gone.json\n"
                                    "00000002  llama/base2/model/config.json\n")
        checksums.update(self.top / "llama/base")
        self.assertEqual(self.index(), ["00000000  gemma/base/model/config.json", f"{SUM['a']}  llama/base/model/config.json",
                                        f"{SUM['b']}  llama/base/model/model.safetensors", "00000002  llama/base2/model/config.json"])
        shutil.rmtree(self.top / "llama")
        checksums.update(self.top / "llama")
        self.assertEqual(self.index(), ["00000000  gemma/base/model/config.json"])

    def test_sums_are_compared_below_a_place_of_either_tree(self) -> None:
        self.write_checkpoints()
        checksums.start_index(self.top)
        checksums.update(self.top)
        self.assertEqual(checksums.sums_below(self.top / "llama/base"), {"model/config.json": SUM["a"], "model/model.safetensors": SUM["b"]})
        shutil.copytree(self.top / "llama", self.top / "elsewhere/llama")
        checksums.start_index(self.top / "elsewhere")
        self.assertEqual(checksums.sums_below(self.top / "elsewhere/llama"), {})
        checksums.update(self.top / "elsewhere/llama")
        self.assertEqual(checksums.sums_below(self.top / "elsewhere/llama"), checksums.sums_below(self.top / "llama"))


if __name__ == "__main__":
    sys.exit(tap.run(Checksums))
