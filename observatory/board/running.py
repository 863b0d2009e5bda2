"""Runs one system over the cases; leaves NAME.json, the result, and NAME.facts.json, its versions, in the directory of results."""

from __future__ import annotations

import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts import venvs

from ..peers.machine import assay_version, processor
from .systems import System, packages

TOP = Path(__file__).resolve().parents[2]
SLURM = TOP / "scripts" / "cluster" / "slurm"
ASK_VERSIONS = "import importlib.metadata as m, json, sys; print(json.dumps({n: m.version(n) for n in sys.argv[1:]}))"


class Failed(Exception):
    """The reason why a system has no result."""


@dataclass(frozen=True)
class Plan:
    """What the command line asks for. python: the interpreter of all adapters; None: a venv of each. shards 0: on this machine, without Slurm."""

    assay: Path
    adapters: Path
    fixtures: list[str]
    results: Path
    cache: Path
    python: Path | None
    offline: bool
    jobs: int
    timeout: float
    shards: int
    sbatch: list[str]


def python_of(system: System, plan: Plan) -> Path:
    """Raises Failed."""
    if plan.python or system.bundled:
        return plan.python or Path(sys.executable)
    try:
        return venvs.install(packages(system, plan.adapters), plan.cache / "venv" / system.name, plan.offline) / "python"
    except venvs.Missing as error:
        raise Failed(str(error)) from error


def engine(system: System, python: Path) -> str:
    return system.name if system.bundled else f"exec:{shlex.quote(str(python))} -m assay assay.adapters.{system.name}"


def versions(system: System, python: Path) -> dict[str, str]:
    """Raises Failed."""
    done = subprocess.run([str(python), "-c", ASK_VERSIONS, *system.made_of], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{python}: {done.stderr.strip().splitlines()[-1]}")
    return dict(json.loads(done.stdout))


def facts(system: System, plan: Plan, python: Path) -> dict[str, Any]:
    made_of = {"assay": assay_version(plan.assay).split()[-1]} if system.bundled else versions(system, python)
    on = f"Slurm, {plan.shards} shards" if plan.shards else f"{processor()}, {platform.system()} {platform.machine()}"
    return {"versions": made_of, "machine": on}


def command(system: System, plan: Plan, python: Path) -> list[str]:
    result = str(plan.results / f"{system.name}.json")
    run = [str(plan.assay), "run", "--timeout", f"{plan.timeout:g}", "--engine", engine(system, python)]
    if plan.shards:
        return [str(SLURM), "--shards", str(plan.shards), *(f"--sbatch={one}" for one in plan.sbatch), "--dir", str(plan.results / system.name),
                "--json", result, "--", *run, *plan.fixtures]
    return [*run, *(["--jobs", str(plan.jobs)] if plan.jobs else []), "--json", result, *plan.fixtures]


def environment(plan: Plan) -> dict[str, str]:
    """Of an adapter: the package assay and its adapters; one thread, since cases run in parallel."""
    path = [str(TOP / "adapters" / "python"), str(plan.adapters), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"OMP_NUM_THREADS": "1", "NO_COLOR": "1"} | os.environ | {"PYTHONPATH": os.pathsep.join(path)}


def run(system: System, plan: Plan) -> None:
    """Raises Failed if there is no result; then no earlier one is left."""
    plan.results.mkdir(parents=True, exist_ok=True)
    result, log = (plan.results / f"{system.name}{ending}" for ending in (".json", ".log"))
    for old in (result, plan.results / f"{system.name}.facts.json"):
        old.unlink(missing_ok=True)
    shutil.rmtree(plan.results / system.name, ignore_errors=True)
    python = python_of(system, plan)
    stated = facts(system, plan, python)
    with open(log, "w") as file:
        status = subprocess.run(command(system, plan, python), cwd=TOP, env=environment(plan), stdin=subprocess.DEVNULL,
                                stdout=file, stderr=subprocess.STDOUT).returncode
    if not result.exists():
        said = log.read_text(errors="replace").strip().splitlines() or ["no output"]
        raise Failed(f"status {status}: {said[-1]} (see {log})")
    (plan.results / f"{system.name}.facts.json").write_text(json.dumps(stated, indent=1) + "\n")
