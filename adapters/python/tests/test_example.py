"""examples/exec-engine, over its pipes, against a small checkpoint: it has no package of ours, so it is judged by a formula of
ours. Its logits for the recorded cases are judged by `assay run`."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from assay.client import Client, Refused, step_of

TOP = Path(__file__).resolve().parents[3]
ENGINE = TOP / "examples/exec-engine/engine.py"
LLAMA = TOP / "fixtures/llama/base/model"


@unittest.skipUnless(ENGINE.exists() and LLAMA.exists(), "only in the sources of Assay")
class Example(unittest.TestCase):
    def setUp(self) -> None:
        self.client = Client([sys.executable, str(ENGINE)], stderr=subprocess.DEVNULL)
        self.addCleanup(self.client.close)
        self.client.hello()

    def opened(self, n_samples: int) -> int:
        model, _ = self.client.model_open(str(LLAMA))
        return self.client.session_open(model, n_samples)

    def test_the_division_into_steps_does_not_change_its_logits(self) -> None:
        session = self.opened(2)
        whole, _ = self.client.step(session, [step_of(0, [5, 6, 7, 8]), step_of(1, [9])])
        session = self.opened(1)
        parts = [self.client.step(session, [step_of(0, tokens)])[0] for tokens in ([5], [6, 7], [8])]
        self.assertEqual(whole.shape, (4, 101))
        np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-5)

    def test_it_refuses_what_it_must(self) -> None:
        session = self.opened(1)
        for steps, status in (([step_of(0, [101])], "invalid"), ([step_of(0, [])], "invalid"), ([step_of(1, [1])], "invalid"),
                              ([step_of(0, [1])] * 2, "invalid"), ([step_of(0, [1], 2)], "invalid"),
                              ([{**step_of(0, [1]), "outputs": [{"name": "hidden", "n_last": 1}]}], "unsupported")):
            with self.subTest(steps), self.assertRaises(Refused) as caught:
                self.client.step(session, steps)
            self.assertEqual(caught.exception.status, status)
        first, = self.client.step(session, [step_of(0, [5])])
        np.testing.assert_array_equal(first, self.client.step(self.opened(1), [step_of(0, [5])])[0])

    def test_it_reads_bfloat16_and_refuses_other_types(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            rewritten(Path(folder), "BF16")
            self.assertEqual(self.client.model_open(folder)[1], 101)
            rewritten(Path(folder), "F16")
            with self.assertRaisesRegex(Refused, "unsupported: .*only F32 and BF16"):
                self.client.model_open(folder)


def rewritten(folder: Path, dtype: str) -> None:
    """The checkpoint with the upper halves of its weights, under the name of a type of two bytes."""
    data = (LLAMA / "model.safetensors").read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:begin])
    for name, tensor in header.items():
        if name != "__metadata__":
            tensor |= {"dtype": dtype, "data_offsets": [offset // 2 for offset in tensor["data_offsets"]]}
    halves = (np.frombuffer(data[begin:], "<u4") >> 16).astype("<u2").tobytes()
    text = json.dumps(header).encode()
    (folder / "config.json").write_bytes((LLAMA / "config.json").read_bytes())
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + halves)


if __name__ == "__main__":
    unittest.main()
