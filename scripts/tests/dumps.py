"""Tests of scripts/observe: dumps that are made from the recorded float32 run of a bundled case. Prints TAP."""

from __future__ import annotations

import contextlib
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from scripts.dumps import observe, sources
from scripts.record import h5
from scripts.tests import tap

TOP = Path(os.environ["top_srcdir"])
SINGLE, BATCH, ROWS = (TOP / "fixtures" / name for name in ("llama/base/single.h5", "llama/base/batch.h5", "gemma4/rows/rows-single.h5"))
PROGRAM = Path(os.environ.get("top_builddir", ".")) / "conformance/assay"
NAMES = """
prefill                  logits
decode                   step{step}/logits   # one file a step
trace/layer.{layer}.out  model.layers.{layer}.output
"""


def write_safetensors(path: Path, tensors: dict[str, np.ndarray], kind: str = "F32") -> None:
    header, body = {}, b""
    for name, array in tensors.items():
        data = array.tobytes()
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


class Dumps(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)
        self.dump = self.work / "dump"
        self.dump.mkdir()

    def made(self, case: Path, names: str = NAMES, dump: Path | None = None) -> tuple[int, str]:
        """(exit status, what is printed) of the command."""
        (self.work / "names").write_text(names)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = observe.main(["--case", str(case), "--names", str(self.work / "names"), "--out", str(self.work / "seen.h5"),
                                   str(dump or self.dump)])
        return status, out.getvalue() + err.getvalue()

    def judged(self, case: Path, *parts: str) -> None:
        if not PROGRAM.exists():
            self.skipTest("assay is not built")
        command = [str(PROGRAM), "diff", *(word for part in parts for word in ("--part", part)), str(case), str(self.work / "seen.h5")]
        answer = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)

    def test_files_of_numpy_become_an_observation_that_agrees(self) -> None:
        case, _ = h5.read(SINGLE)
        np.save(self.dump / "logits.npy", case["/expect/float32/prefill"])
        for step in range(case["/input/decode"].shape[1]):
            (self.dump / f"step{step}").mkdir()
            np.save(self.dump / f"step{step}" / "logits.npy", case["/expect/float32/decode"][:, step])
        layers = [name for name in case if name.startswith("/trace/layer.") and name.endswith(".out")]
        for name in layers:
            np.save(self.dump / f"model.layers.{int(name.split('.')[1])}.output.npy", case[name][None].astype(np.float32))
        status, text = self.made(SINGLE)
        self.assertEqual(status, 0, text)
        self.assertIn("--part logits --part traces", text)
        self.assertEqual(len([name for name in h5.read(self.work / "seen.h5")[0] if "/trace/" in name]), len(layers))
        self.judged(SINGLE, "logits", "traces")

    def test_batches_are_padded_as_the_case_is(self) -> None:
        case, _ = h5.read(BATCH)
        write_safetensors(self.dump / "all.safetensors", {"p": case["/expect/float32/prefill"], "d": case["/expect/float32/decode"]})
        status, text = self.made(BATCH, "prefill p\ndecode d\n")
        self.assertEqual(status, 0, text)
        self.judged(BATCH, "logits")
        for b, length in enumerate(case["/input/length"]):
            np.save(self.dump / f"s{b}.npy", case["/expect/float32/prefill"][b, -length:])
        status, text = self.made(BATCH, "prefill s{sample}\ndecode d\n")
        self.assertEqual(status, 0, text)
        self.judged(BATCH, "logits")

    def test_listed_rows_are_taken_from_whole_prompts(self) -> None:
        case, _ = h5.read(ROWS)
        rows, length = case["/expect/rows"], int(case["/input/length"][0])
        whole = np.zeros((length, case["/expect/float32/prefill"].shape[1]), np.float32)
        for row, (_, position) in zip(case["/expect/float32/prefill"], rows):
            whole[position] = row
        np.save(self.dump / "p.npy", whole)
        status, text = self.made(ROWS, "prefill p\n")
        self.assertEqual(status, 0, text)
        np.testing.assert_array_equal(h5.read(self.work / "seen.h5")[0]["/observed/prefill"], case["/expect/float32/prefill"])

    def test_bfloat16_is_widened(self) -> None:
        values = np.array([[1.5, -2.0], [0.0, 3.140625]], "<f4")
        write_safetensors(self.dump / "x.safetensors", {"a": (values.view("<u4") >> 16).astype("<u2")}, "BF16")
        np.testing.assert_array_equal(sources.open_dump(self.dump)["a"](), values)

    def test_what_does_not_fit_is_named(self) -> None:
        case, _ = h5.read(SINGLE)
        np.save(self.dump / "logits.npy", case["/expect/float32/prefill"][0, 1:])
        length = int(case["/input/length"][0])
        np.save(self.dump / "cube.npy", np.zeros((2, 3, 4), np.float32))
        (self.dump / "torn.npy").write_bytes(b"\x93NUMPY\x01")
        (self.dump / "long.safetensors").write_bytes(struct.pack("<Q", 1 << 40) + b"{}")
        for names, reason in (("prefill logits", f"prefill: found {length - 1} rows of sample 0, expected those of its {length} tokens"),
                              ("prefill other", "prefill: found no tensor 'other', expected one of "),
                              ("prefill cube", "prefill: found shape [2, 3, 4], expected rank 2"),
                              ("prefill torn", "torn.npy: "),
                              ("prefill x{step}", "'step' cannot be filled in here"),
                              ("hidden logits", "names:1: found member 'hidden', expected prefill, decode, tokens or trace/NAME"),
                              ("prefill", "names:1: found 1 words, expected a member and the name of a tensor"),
                              ("trace/layer.{layer}.in logits", "trace/layer.{layer}.in: the case has no such trace")):
            (self.dump / "long.safetensors").unlink(missing_ok=True)
            with self.subTest(names):
                status, text = self.made(SINGLE, names)
                self.assertEqual(status, 1)
                self.assertIn(reason, text)
        (self.dump / "long.safetensors").write_bytes(struct.pack("<Q", 1 << 40) + b"{}")
        self.assertIn("found a header of 1099511627776 bytes in a file of 10", self.made(SINGLE, "prefill logits")[1])
        self.assertIn("no such file or directory", self.made(SINGLE, "prefill logits", self.work / "nonesuch")[1])


if __name__ == "__main__":
    sys.exit(tap.run(Dumps))
