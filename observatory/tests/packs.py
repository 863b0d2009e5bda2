"""Tests of observatory/observe/pack.py: what an observer wrote goes into the pack of the family. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

import h5py
import numpy as np

from observatory.observe import pack
from scripts.record.support import h5
from scripts.tests import tap


class Packs(unittest.TestCase):
    def setUp(self) -> None:
        self.top = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.top)
        self.case = self.top / "llama/base/single.h5"

    def observe(self, name: str, value: float, packs: str = "packs", system: str = "mlx-vlm") -> None:
        h5.write(self.case.parent / f"observed/{name}.h5", {"kind": "observation", "case": "../single.h5"},
                 {"/observed/prefill": np.full((1, 30, 40), value, np.float32)})
        pack.store(self.case, system, self.top / packs)

    def values(self, packs: str = "packs") -> dict[str, float]:
        with h5py.File(self.top / packs / "llama.h5") as file:
            return {name: float(file[name]["observed/prefill"][0, 0, 0]) for name in pack.names(file)}

    def test_the_observations_of_a_system_replace_its_earlier_ones_only(self) -> None:
        self.observe("single.mlx-lm", 1, system="mlx-lm")
        self.observe("single.mlx-vlm-batch", 2)
        self.observe("single.mlx-vlm", 3)
        self.assertEqual(self.values(), {"base/single.mlx-lm": 1, "base/single.mlx-vlm": 3})
        self.case = self.top / "llama/base-2/single.h5"
        self.observe("single.mlx-vlm", 4)
        self.assertEqual(list(self.values().values()), [1, 3, 4])
        self.assertFalse((self.case.parent / "observed").exists())

    def test_words_become_an_attribute(self) -> None:
        words = self.case.parent / "observed/single.mlx-vlm.txt"
        words.parent.mkdir(parents=True)
        words.write_text("mlx-vlm 1.0, on a CPU: ValueError: größer\n")
        pack.store(self.case, "mlx-vlm", self.top / "packs")
        with h5py.File(self.top / "packs/llama.h5") as file:
            self.assertEqual(pack.error_of(file["base/single.mlx-vlm"]), "mlx-vlm 1.0, on a CPU: ValueError: größer")

    def test_the_bytes_depend_only_on_the_content(self) -> None:
        self.observe("single.mlx-lm", 1, system="mlx-lm")
        self.observe("single.mlx-vlm", 2)
        time.sleep(1.1)  # HDF5 counts seconds
        self.observe("single.mlx-vlm", 2, "others")
        self.observe("single.mlx-lm", 1, "others", "mlx-lm")
        self.assertEqual((self.top / "packs/llama.h5").read_bytes(), (self.top / "others/llama.h5").read_bytes())

    def test_a_group_has_the_contents_of_its_file(self) -> None:
        self.observe("single.mlx-lm", 1, system="mlx-lm")
        h5.write(self.top / "again.h5", {"kind": "observation", "case": "../single.h5"}, {"/observed/prefill": np.ones((1, 30, 40), np.float32)})
        pack.main([str(self.top / "packs/llama.h5"), "base/single.mlx-lm", str(self.top / "copied.h5")])
        with h5py.File(self.top / "again.h5") as again, h5py.File(self.top / "copied.h5") as copied:
            self.assertEqual(repr(pack.stored(self.case, self.top / "packs")), repr({"base/single.mlx-lm": pack.contents(again["/"])}))
            self.assertEqual(repr(pack.contents(copied["/"])), repr(pack.contents(again["/"])))


if __name__ == "__main__":
    sys.exit(tap.run(Packs))
