"""Environments of other versions of transformers than that of requirements.txt; and families whose truth is another version: they are
recorded by the same recorder, run by the Python of its environment.

The environment is made below a cache (ASSAY_RECORD, or ~/.cache/assay-record) when it is first needed, from
requirements-<version>.txt. ASSAY_RECORD_PYTHON names the Python of another environment with that version."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import transformers

from scripts import venvs

from .variants.variant import Family

HERE = Path(__file__).parent


def is_elsewhere(family: Family) -> bool:
    """Whether the family needs another environment than this one."""
    return family.transformers not in ("", transformers.__version__)


def python(version: str) -> str:
    """The Python of the environment with this version of transformers, which is made if necessary. Raises RuntimeError."""
    if "ASSAY_RECORD_PYTHON" in os.environ:
        return os.environ["ASSAY_RECORD_PYTHON"]
    cache = Path(os.environ.get("ASSAY_RECORD", Path.home() / ".cache" / "assay-record"))
    packages = venvs.Packages(HERE / f"requirements-{version}.txt")
    try:
        return str(venvs.install(packages, cache / f"transformers-{version}", False) / "python")
    except venvs.Missing as error:
        raise RuntimeError(f"transformers {version} cannot be installed: {error}") from error


def record(family: Family, variants: list[str], options: argparse.Namespace, out: Path) -> None:
    """Records variants of a family, or random configurations of it, in its environment. Raises RuntimeError if that fails."""
    command = ["--family", family.name, "--out", str(out), "--seed", str(options.seed)]
    command += [part for name in variants for part in ("--variant", name)]
    command += ["--random", str(options.random)] if options.random else []
    run(family, "scripts.record", command)


def run(family: Family, module: str, arguments: list[str]) -> None:
    """Runs a module in the environment of a family. Raises RuntimeError if that fails."""
    sys.stdout.flush()
    done = subprocess.run([python(family.transformers), "-m", module, *arguments])
    if done.returncode:
        raise RuntimeError(f"{family.name}: {module} with transformers {family.transformers} ended with status {done.returncode}")
