"""Tests of the systems of the scoreboard: how they are found, installed and run, and how they end."""

from __future__ import annotations

import json
import sys
import unittest
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

from observatory.board import running, systems
from observatory.tests.board import ASSAY, BASE, Board
from scripts import venvs

# Engines that fail in one way each, as adapters.
ADAPTERS = {
    "refuses": "def model_open(self, directory, options): raise Unsupported('nothing is supported')",
    "ends": "def step(self, *_): os._exit(3)",
    "hangs": "def step(self, *_): time.sleep(60)",
    "fails": "def step(self, *_): raise KeyError(f'{__file__} is missing')",
}
ADAPTER = """
import os, time
from assay import Engine as Base, Unsupported
class Engine(Base):
    name, version = "toy", "1"
    def model_open(self, directory, options): return directory
    def model_vocab(self, model): return 101
    def session_open(self, model, options): return model
    def step(self, *_): return []
    def free(self, owned): pass
    {}
"""


class Systems(Board):
    def test_systems_are_found_by_their_requirements(self) -> None:
        (self.place / "adapters" / "requirements" / "brand_new.txt").write_text("# a comment==1\nbrand-new[x]==1.2\nnumpy==1\n# without its dependencies: other==3\n")
        found = systems.found(self.place / "adapters")
        self.assertEqual([(one.name, one.made_of) for one in found], [("mlx_lm", ("mlx-lm", "mlx")), ("brand_new", ("brand-new", "numpy", "other"))])
        self.assertEqual(systems.packages(found[1], self.place / "adapters").alone(), ["other==3"])
        self.assertEqual([one.name for one in systems.chosen(self.place / "adapters", [])], ["mlx_lm", "brand_new", "fastpath"])
        with self.assertRaisesRegex(ValueError, "found nobody, expected some of mlx_lm, brand_new"):
            systems.chosen(self.place / "adapters", ["nobody"])

    def test_every_adapter_states_versions_that_its_requirements_pin(self) -> None:
        adapters = running.TOP / "observatory" / "adapters"
        for system in systems.found(adapters):
            self.assertIn(system.made_of[0], systems.packages(system, adapters).pins(), system.name)

    def test_torch_comes_from_its_cpu_build(self) -> None:
        requirements = self.place / "r.txt"
        requirements.write_text("torch==2.0\nnumpy==1\n# without its dependencies: a==1\n")
        commands: list[list[str]] = []
        with mock.patch.object(venvs, "run", lambda command, log, environment=None: commands.append(command) or (self.place / "v").mkdir(exist_ok=True)):
            venvs.install(venvs.Packages(requirements), self.place / "v", False)
            venvs.install(venvs.Packages(requirements), self.place / "v", True)
        self.assertEqual([command[-1] for command in commands], [str(self.place / "v"), "torch==2.0+cpu", str(requirements), "a==1"])
        requirements.write_text("torch==2.1\n")
        with self.assertRaisesRegex(venvs.Missing, "not installed below"):
            venvs.install(venvs.Packages(requirements), self.place / "v", True)

    def plan(self, **changed: Any) -> running.Plan:
        return running.Plan(**{"assay": ASSAY, "adapters": self.place / "adapters", "fixtures": ["fixtures"], "results": self.results, "cache": self.place / "cache",
                               "python": Path("/python 3"), "offline": True, "jobs": 0, "timeout": 5, "shards": 0, "sbatch": [], **changed})

    def test_slurm_gets_the_same_run_in_shards(self) -> None:
        system = systems.KNOWN[1]
        run = [str(ASSAY), "run", "--timeout", "5", "--engine", "exec:'/python 3' -m assay assay.adapters.mlx_lm"]
        self.assertEqual(running.command(system, self.plan(jobs=2), Path("/python 3")),
                         [*run, "--jobs", "2", "--json", str(self.results / "mlx_lm.json"), "fixtures"])
        self.assertEqual(running.command(system, self.plan(shards=4, sbatch=["--partition=cpu"]), Path("/python 3")),
                         [str(running.SLURM), "--shards", "4", "--sbatch=--partition=cpu", "--dir", str(self.results / "mlx_lm"), "--json",
                          str(self.results / "mlx_lm.json"), "--", *run, "fixtures"])

    def test_a_system_that_is_not_installed_leaves_the_others_and_no_earlier_result(self) -> None:
        (self.place / "cache" / "results").mkdir(parents=True)
        (self.place / "cache" / "results" / "mlx_lm.json").write_text(json.dumps(self.passing))
        status, said, text, _ = self.call("--offline", "--systems", "mlx_lm,ref32", "--fixtures", str(BASE))
        self.assertEqual(status, 99)
        self.assertIn("no result: not installed below CACHE/venv/mlx_lm", text)
        self.assertEqual(self.row(text, "llama"), "| llama |  | 4 ✓ |")
        self.assertRegex(self.row(text, "ref32 (Assay)"), r"\| assay [0-9.]+ \| 20\d\d-")

    @unittest.skipUnless(find_spec("numpy"), "numpy is missing")
    def test_each_end_of_an_adapter_is_told_from_the_others(self) -> None:
        (self.place / "adapters" / "assay" / "adapters").mkdir(parents=True)
        for name, method in ADAPTERS.items():
            (self.place / "adapters" / "assay" / "adapters" / f"{name}.py").write_text(ADAPTER.format(method))
            (self.place / "adapters" / "requirements" / f"{name}.txt").write_text("numpy==1\n")
        status, said, text, html = self.call("--python", sys.executable, "--timeout", "3", "--systems", ",".join(ADAPTERS), "--fixtures", str(BASE / "single.h5"))
        self.assertEqual(status, 1, said)
        self.assertEqual(self.row(text, "llama"), "| llama | 1 !, **1 ?** | 1 ✗, **1 ?** | 1 !, **1 ?** | 1 – |")
        self.assertIn("<li>nothing is supported<details>", html)
        self.assertNotIn(str(self.place / "cache"), text + html)
