"""Installing the package: what its build backend makes of it, and that it writes nothing beside the sources."""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
import unittest
import zipfile
from pathlib import Path


def files_below(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts}


class Wheel(unittest.TestCase):
    root = Path(__file__).resolve().parents[1]
    entry_points = "assay=assay.pytest_plugin"

    def setUp(self) -> None:
        try:
            self.backend = importlib.import_module("flit_core.buildapi")
        except ImportError:
            self.skipTest("python3 has no flit_core, the backend of pyproject.toml")
        self.assertIn('build-backend = "flit_core.buildapi"', (self.root / "pyproject.toml").read_text())
        self.scratch = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.scratch)
        self.source, self.before = self.scratch / "source", os.getcwd()
        shutil.copytree(self.root, self.source, ignore=shutil.ignore_patterns("__pycache__"))
        os.chdir(self.source)
        self.addCleanup(os.chdir, self.before)

    def test_building_writes_nothing_into_the_source_tree(self) -> None:
        was = files_below(self.source)
        self.backend.build_wheel(str(self.scratch))
        self.assertEqual(files_below(self.source), was)

    def test_the_wheel_has_every_source_and_the_plugin(self) -> None:
        with zipfile.ZipFile(self.scratch / self.backend.build_wheel(str(self.scratch))) as wheel:
            names = set(wheel.namelist())
            self.assertLessEqual({f"assay/{name}" for name in files_below(self.source / "assay")}, names)
            points = [wheel.read(name).decode() for name in names if name.endswith("/entry_points.txt")]
            self.assertIn(self.entry_points, "".join(points))
