"""The pytest plugin, with a program that stands for assay. Skipped without pytest."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import pytest  # noqa: F401
except ImportError:
    pytest = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = """#!/bin/sh
test "$1 $2 $3 $4" = 'run --verbose --engine exec:python3 engine.py' || exit 2
case $5 in
*/good.h5) exit 0;;
*/odd.h5) echo 'skipped: window 4 is not supported: odd.h5'; exit 77;;
*) echo "FAIL (logits) $5"; exit 1;;
esac
"""
TEST = "def test_engine(assay_case):\n    assert assay_case.path.name == 'good.h5'\n"


@unittest.skipIf(pytest is None, "pytest is not installed")
class Plugin(unittest.TestCase):
    def run_pytest(self, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "pytest", "-p", "assay.pytest_plugin", "-p", "no:cacheprovider", "-rs", "-v", *options],
                              cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        (self.folder / "test_mine.py").write_text(TEST)
        program = self.folder / "program"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        for name in ("good", "bad", "odd", "observed/seen"):
            (self.folder / "cases" / "llama" / f"{name}.h5").parent.mkdir(parents=True, exist_ok=True)
            (self.folder / "cases" / "llama" / f"{name}.h5").touch()

    def test_each_case_is_a_test(self) -> None:
        done = self.run_pytest("--assay-fixtures", "cases", "--assay-engine", "python3 engine.py", "--assay-program", "./program")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in ("test_engine[llama/good] PASSED", "test_engine[llama/bad] FAILED", "FAIL (logits) cases/llama/bad.h5",
                     "test_engine[llama/odd] SKIPPED", "window 4 is not supported", "1 failed, 1 passed, 1 skipped"):
            self.assertIn(text, done.stdout)

    def test_without_an_engine_the_tests_are_skipped(self) -> None:
        done = self.run_pytest("--assay-fixtures", "cases")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("--assay-engine was not given", done.stdout)

    def test_a_directory_that_does_not_exist_is_named(self) -> None:
        done = self.run_pytest("--assay-fixtures", "none", "--assay-engine", "x")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("none is no directory", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
