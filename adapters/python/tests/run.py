"""Runs the package's tests that need numpy alone, and prints TAP."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT.parents[1])]

from scripts.tests.tap import Tap  # noqa: E402

MODULES = ("tests.test_frames", "tests.test_gguf", "tests.test_install", "tests.test_mlx", "tests.test_safetensors", "tests.test_serve", "tests.test_plugin", "tests.test_example",
           "tests.test_transformers")


class Points(Tap):
    failed = 0  # the number of the last test with a failed subtest, which has its point already

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: object) -> None:
        super().addSubTest(test, subtest, err)  # type: ignore[arg-type]
        if err is not None and self.failed != self.testsRun:
            self.failed = self.testsRun
            self.say(False, test, (self.failures + self.errors)[-1][1])


def main() -> int:
    suite = unittest.defaultTestLoader.loadTestsFromNames(MODULES)
    print(f"1..{suite.countTestCases()}")
    return 0 if suite.run(Points()).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
