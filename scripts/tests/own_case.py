"""What tests of scripts/record/own share.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from scripts.record.checkpoint.checkpoint import quiet

TOP = Path(os.environ["top_srcdir"])
BUILD = Path(os.environ["top_builddir"])
FIXTURES, ASSAY = TOP / "fixtures", BUILD / "conformance" / "assay"
os.environ["ASSAY_BUILD"] = str(BUILD)  # of scripts/record/own


def assay(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(ASSAY), *map(str, arguments)], capture_output=True, text=True, check=False)


class OwnCase(unittest.TestCase):
    def setUp(self) -> None:
        quiet()
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)

    def write_prompts(self, *lines: object) -> Path:
        path = self.work / "prompts.jsonl"
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return path

    def command(self, checkpoint: Path, out: Path, *options: str) -> list[str]:
        return [str(TOP / "scripts/record/own"), "--checkpoint", str(checkpoint), "--prompts",
                str(self.work / "prompts.jsonl"), "--out", str(out), *options]

    def own(self, checkpoint: Path, out: Path, *options: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"ASSAY_PYTHON": sys.executable}
        done = subprocess.run(self.command(checkpoint, out, *options), capture_output=True, text=True, env=environment, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    @staticmethod
    def spoil(weights: Path) -> None:
        """Changes a bit."""
        weights.chmod(0o644)
        data = bytearray(weights.read_bytes())
        data[-3] ^= 1
        weights.write_bytes(data)
