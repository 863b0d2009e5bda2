"""Tests of scripts/record/own: checkpoints below a root, and shards. Prints TAP.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys

import h5py

from scripts.record import __main__ as record_main, run
from scripts.record.support import checksums, shards
from scripts.tests.own_case import FIXTURES, OwnCase, assay


class Places(OwnCase):
    def test_shards_record_what_one_run_records(self) -> None:
        self.write_prompts({"ids": [1, 5, 9, 3], "case": "a"}, {"ids": [1, 5], "case": "b"}, {"ids": [7, 8, 9], "case": "c"},
                           {"ids": [4, 2], "case": "b"})
        checkpoint, whole, parts = FIXTURES / "llama/base/model", self.work / "whole", self.work / "parts"
        self.own(checkpoint, whole, "--types", "f32")
        running = [subprocess.Popen([*self.command(checkpoint, parts, "--types", "f32", "--shard", f"{k}/4")], stdout=subprocess.PIPE,
                                    text=True, env=os.environ | {"ASSAY_PYTHON": sys.executable}) for k in range(1, 5)]
        printed = [process.communicate()[0] for process in running]
        self.assertEqual([process.returncode for process in running], [0] * 4, printed)
        self.assertEqual([text.split(".h5")[0] for text in printed], ["a", "b", "c", "shard 4-of-4: no case\n"])
        self.assertEqual(sorted(file.name for file in parts.iterdir()), ["a.h5", "b.h5", "c.h5", "model", "model.crc32"])
        for name in ("a", "b", "c"):
            self.assertEqual((parts / f"{name}.h5").read_bytes(), (whole / f"{name}.h5").read_bytes())

    def test_a_shard_that_another_process_records_is_refused(self) -> None:
        self.write_prompts({"ids": [1, 5, 9, 3]})
        out = self.work / "out"
        self.own(FIXTURES / "llama/base/model", out, "--shard", "1/1", "--keep-work")
        with open(out / "work-1-of-1/lock", "w") as held:
            fcntl.lockf(held, fcntl.LOCK_EX)
            done = self.own(FIXTURES / "llama/base/model", out, "--shard", "1/1", code=1)
            self.assertIn("work-1-of-1: another process is recording there", done.stderr)
        self.own(FIXTURES / "llama/base/model", out, "--shard", "1/1")
        self.assertIn("--shard: found 2/1, expected I/N", self.own(FIXTURES, out, "--shard", "2/1", code=2).stderr)

    def test_shards_cost_about_the_same(self) -> None:
        costs = [7, 1, 5, 5, 3, 9, 2]
        parts = [shards.Shard(k, 3).kept(costs) for k in (1, 2, 3)]
        self.assertEqual(parts, [[5, 6], [0, 1, 4], [2, 3]])
        self.assertEqual([shards.Shard(k, 9).kept([4, 4]) for k in (1, 2, 9)], [[0], [1], []])

    def test_shards_of_the_bundled_cases_are_disjoint_and_complete(self) -> None:
        units = run.units(record_main.parse([]))
        parts = [shards.Shard(k, 8).kept([unit.cost for unit in units]) for k in range(1, 9)]
        self.assertEqual(sorted(sum(parts, [])), list(range(len(units))))
        costs = [sum(units[i].cost for i in part) for part in parts]
        self.assertLessEqual(max(costs) - min(costs), max(unit.cost for unit in units))

    def test_a_checkpoint_below_a_root_is_named_by_its_path(self) -> None:
        self.write_prompts({"ids": [1, 5, 9, 3]})
        root, out = self.work / "checkpoints", self.work / "out"
        shutil.copytree(FIXTURES / "llama/base/model", root / "a" / "llama")
        (self.work / "link").symlink_to(root)
        self.own(self.work / "link" / "a" / "llama", out, "--checkpoint-root", str(root))
        with h5py.File(out / "prompts.h5") as case:
            self.assertEqual(case.attrs["checkpoint"], b"a/llama")
            self.assertNotIn("model", case.attrs)
        self.assertFalse((out / "model").exists())
        done = assay("run", "--engine=ref32", out)
        self.assertEqual(done.returncode, 99)
        self.assertIn('prompts.h5: checkpoint "a/llama": found no checkpoint root, expected --checkpoint-root DIR or ', done.stdout + done.stderr)
        moved = root.rename(self.work / "moved to")
        done = assay("run", "--engine=ref32", "--checkpoint-root", moved, out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.spoil(moved / "a/llama/model.safetensors")
        done = assay("run", "--engine=ref64", "--checkpoint-root", moved, out)
        self.assertEqual(done.returncode, 99, done.stdout + done.stderr)
        self.assertIn(f"the checkpoint is broken: {moved}/a/llama/model.safetensors: its CRC-32 is ", done.stdout)
        self.assertIn(f"--checkpoint-root '{moved}' ", done.stdout)

    def test_a_checkpoint_outside_the_root_is_refused(self) -> None:
        self.write_prompts({"ids": [1, 5, 9, 3]})
        (self.work / "root").mkdir()
        done = self.own(FIXTURES / "llama/base/model", self.work / "out", "--checkpoint-root", str(self.work / "root"), code=1)
        self.assertIn("expected a directory below it", done.stderr)

    def test_the_recorder_lists_the_files_that_a_case_needs(self) -> None:
        """Every suffix that `assay run` names, and no file without one of them."""
        self.write_prompts({"ids": [1, 5, 9, 3]})
        root, out = self.work / "root", self.work / "out"
        model = root / "llama"
        shutil.copytree(FIXTURES / "llama/base/model", model)
        (model / "README.md").touch()
        self.own(model, out, "--checkpoint-root", str(root), "--types", "f32")
        arguments = ("run", "--engine=ref64", "--verbose", "--checkpoint-root", root, out)
        self.assertNotIn("broken", assay(*arguments).stdout)
        for suffix in checksums.SUFFIXES:
            (added := model / f"added{suffix}").touch()
            printed = assay(*arguments).stdout
            self.assertIn(f"{out}/model.crc32: found no line for {added}, expected one ", printed)
            self.assertIn(f" a name in {' '.join(checksums.SUFFIXES)};", printed)
            added.unlink()
