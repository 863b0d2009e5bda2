"""An engine's process, driven by the client over its pipes."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

import numpy as np

from assay.client import Client, Refused, step_of
from assay.errors import ProtocolError

from .toy import logits

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-m", "assay", "tests.noisy:Noisy"]


class Serve(unittest.TestCase):
    def setUp(self) -> None:
        self.client = started()
        self.addCleanup(self.client.close)
        self.hello = self.client.hello()
        self.model, self.vocab = self.client.model_open("any")
        self.session = self.client.session_open(self.model, 2)

    def refused(self, status: str, text: str, call: object, *arguments: object, **members: object) -> None:
        with self.assertRaisesRegex(Refused, f"{status}: .*{text}"):
            call(*arguments, **members)  # type: ignore[operator]

    def agrees(self, tokens: list[int], before: list[int], sample: int = 0) -> None:
        found, = self.client.step(self.session, [step_of(sample, tokens)])
        np.testing.assert_array_equal(found, logits(before + tokens)[len(before):])

    def test_hello_says_what_the_engine_defines(self) -> None:
        self.assertEqual(self.hello["can"], ["join", "leave", "rewind", "fork", "tap", "tap_writes"])
        self.assertEqual((self.hello["name"], self.hello["logits"], self.vocab), ("toy", "F32", 16))

    def test_an_engine_is_told_the_types_that_it_lists(self) -> None:
        self.assertEqual((self.hello["compute_types"], self.hello.get("cache_types")), (["q8_K"], None))
        answer, _ = self.client.call("model_open", model=90, dir="any", compute_name="q8_K", cache_name=None)
        self.assertEqual(answer["note"], "any in q8_K")
        self.refused("unsupported", "compute_name: 'q8_0'", self.client.model_open, "any", compute_name="q8_0")
        self.refused("unsupported", "cache_name: 'f16'", self.client.model_open, "any", cache_name="f16")
        self.refused("invalid", "found a compute beside it", self.client.model_open, "any", "BF16", "q8_K")

    def test_steps_append_tokens_though_libraries_print(self) -> None:
        found = self.client.step(self.session, [step_of(1, [1, 2, 3], 2), step_of(0, [4], 0)])
        np.testing.assert_array_equal(found, [logits([1, 2, 3])[1:]])
        self.agrees([5], [4])

    def test_an_error_leaves_the_samples_as_they_were(self) -> None:
        self.agrees([1, 2], [])
        for token, status, text in ((9, "no-memory", "out of memory"), (10, "unsupported", "token 10 is not supported"),
                                    (11, "internal", r"KeyError: 'eleven' \(.*toy.py:\d+, in step\)"), (12, "format", "weights: bad"),
                                    (14, "internal", r"shape \(1, 15\); expected \(1, 16\)"), (16, "invalid", "outside the vocabulary")):
            self.refused(status, text, self.client.step, self.session, [step_of(0, [token])])
        self.refused("invalid", "has a step already", self.client.step, self.session, [step_of(0, [1]), step_of(0, [1])])
        self.refused("invalid", "no sample 7", self.client.step, self.session, [step_of(7, [1])])
        self.refused("invalid", "none; expected", self.client.step, self.session, [step_of(0, [])])
        self.refused("invalid", "n_last is 2", self.client.step, self.session, [step_of(0, [1], 2)])
        self.refused("unsupported", "'hidden'", self.client.step, self.session,
                     [{**step_of(0, [1]), "outputs": [{"name": "hidden", "n_last": 1}]}])

    def test_an_error_that_wrong_logits_cause_is_no_step(self) -> None:
        self.agrees([1], [])
        self.refused("internal", "shape", self.client.step, self.session, [step_of(0, [14])])

    def test_unknown_members_are_ignored_if_null_and_refused_otherwise(self) -> None:
        self.client.call("session_open", session=77, model=self.model, n_samples=1, new=None)
        self.refused("unsupported", "'new'", self.client.call, "session_open", session=78, model=self.model, n_samples=1, new=0)
        self.refused("unsupported", "'dance'", self.client.call, "dance")
        self.refused("invalid", "no member n_samples", self.client.call, "session_open", session=78, model=self.model)

    def test_samples_join_leave_rewind_and_fork(self) -> None:
        call = self.client.call
        self.agrees([1, 2, 3], [])
        copy = call("fork", **{"from": self.session, "sample": 0, "into": self.session})[0]["sample"]
        call("rewind", session=self.session, sample=0, n_tokens=1)
        self.agrees([4], [1])
        self.agrees([5], [1, 2, 3], copy)
        self.refused("invalid", "has 2 tokens", call, "rewind", session=self.session, sample=0, n_tokens=3)
        call("leave", session=self.session, sample=0)
        self.refused("invalid", "no sample 0", call, "leave", session=self.session, sample=0)
        self.assertEqual(call("join", session=self.session)[0]["sample"], 0)
        self.agrees([6], [])

    def test_a_tap_shows_tensors_and_stops(self) -> None:
        seen = []
        self.client.call("tap", session=self.session, names=["norm"])
        self.client.step(self.session, [step_of(0, [1, 2])], visit=lambda *one: not seen.append(one))
        self.assertEqual(seen[0][:2], (0, "norm"))
        np.testing.assert_array_equal(seen[0][2], logits([1, 2]))
        self.refused("stopped", "norm", self.client.step, self.session, [step_of(0, [3])], visit=lambda *_: False)
        self.client.call("tap", session=self.session, names=None)
        self.agrees([3], [1, 2])

    def test_items_reach_the_engine(self) -> None:
        items = [("image", {"pixel_values": np.full((2, 2), 0.25, np.float32), "image_grid_thw": np.array([[1, 1, 1]])})]
        found, = self.client.step(self.session, [step_of(0, [1], items=items)])
        np.testing.assert_array_equal(found, logits([1]) + 4)

    def test_hello_drops_models_and_sessions(self) -> None:
        self.client.hello()
        self.refused("invalid", "is not open", self.client.step, self.session, [step_of(0, [1])])

    def test_a_model_with_sessions_is_not_freed(self) -> None:
        self.refused("invalid", "open sessions", self.client.call, "model_free", model=self.model)
        self.client.call("session_free", session=self.session)
        self.client.call("model_free", model=self.model)
        self.refused("internal", "FileNotFoundError: missing", self.client.model_open, "missing")

    def test_the_client_reports_a_crash(self) -> None:
        with self.assertRaisesRegex(ProtocolError, "exit status 13"):
            self.client.step(self.session, [step_of(0, [13])])

    def test_the_process_ends_with_its_requests(self) -> None:
        self.assertEqual(self.client.close(), 0)

    def test_bytes_that_are_no_frame_end_the_process(self) -> None:
        done = subprocess.run(COMMAND, input=b"GET / HTTP/1.1\r\n\r\n", capture_output=True, cwd=ROOT, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"expected a frame", done.stderr)


def started() -> Client:
    return Client(COMMAND, cwd=ROOT, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})


if __name__ == "__main__":
    unittest.main()
