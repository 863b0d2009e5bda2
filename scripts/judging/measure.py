"""Runs replays and keeps what each measured: one file of conformance/rates/tally a replay, so that a run that was interrupted goes on where it stopped.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import dataclasses
import fnmatch
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from scripts.judging.replays import Replay

TOP = Path(__file__).resolve().parents[2]
SECONDS = 7200  # of one replay


@dataclasses.dataclass(frozen=True)
class Count:
    """The errors of one case: of the rows of its logits, or of its tensors. bins: how many are in which bin of the tally."""
    case: str
    part: str
    n: int
    bins: dict[str, int]

    @property
    def family(self) -> str:
        return self.case.split("/")[0]


def own_name(build: Path, engine: str) -> str:
    folder = "ref" if engine.startswith("ref") else engine
    return str(build / folder / f"{engine}.so")


def command_of(replay: Replay, build: Path, python: str) -> list[str]:
    engine = f"exec:{python} -m assay assay.adapters.{replay.system}" if replay.system else own_name(build, replay.engine)
    kernels = ["--kernels", str(build / "conformance/rates/orders.so")] if replay.order else []
    compute = ["--compute", replay.compute] if replay.compute else []
    return [str(build / "conformance/assay"), "run", "--engine", engine, "--manner", "whole", *kernels, *compute]


def environment_of(replay: Replay) -> dict[str, str]:
    path = os.pathsep.join([str(TOP / "adapters/python"), str(TOP / "observatory/adapters"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, **dict(replay.environment), "ASSAY_ORDER": replay.order or "forward", "PYTHONPATH": path}


def case_of(file: Path, dumped: Path, fixtures: Path) -> Path:
    """The case of an observation. Its path begins with the engine, a command that may have slashes of its own."""
    parts = file.relative_to(dumped).parts
    return next(case for n in range(1, len(parts)) if (case := fixtures.joinpath(*parts[n:])).exists())


def tally(build: Path, dumped: Path, fixtures: Path, compute: str) -> str:
    files = sorted(dumped.rglob("*.h5"))
    pairs = "".join(f"{case_of(file, dumped, fixtures)}\t{file}\n" for file in files)
    run = subprocess.run([str(build / "conformance/rates/tally"), *([compute] if compute else [])], input=pairs, capture_output=True, text=True, timeout=SECONDS)
    if run.returncode != 0:
        sys.exit(f"tally: exit status {run.returncode}: {(run.stderr.strip().splitlines() or [''])[-1]}")
    return run.stdout.replace(f"{fixtures}/", "")


def run_replay(replay: Replay, build: Path, fixtures: Path, python: str) -> str | None:
    """What the tally prints, and None if nothing could run here: an instruction set that the processor lacks, a package that is not installed."""
    with tempfile.TemporaryDirectory() as name:
        run = subprocess.run([*command_of(replay, build, python), "--dump", name, "."], cwd=fixtures, env=environment_of(replay),
                             capture_output=True, text=True, timeout=SECONDS)
        if run.returncode not in (0, 1):
            print(f"not run: {replay.name}: exit status {run.returncode}: {(run.stderr.strip().splitlines() or [''])[-1][:200]}", file=sys.stderr)
            return None
        for what, case in re.findall(r"^[A-Z]+ \((?!logits)([a-z-]+)\) (\S+)", run.stdout, re.M):
            print(f"not measured: {replay.name}: {case} ({what})", file=sys.stderr)
        return tally(build, Path(name), fixtures, replay.compute)


def file_of(kept: Path, replay: Replay) -> Path:
    return kept / (re.sub(r"[^a-zA-Z0-9.^-]+", "_", replay.name) + ".tsv")


def measure(replays: list[Replay], kept: Path, build: Path, fixtures: Path, python: str) -> None:
    kept.mkdir(parents=True, exist_ok=True)
    for replay in replays:
        to = file_of(kept, replay)
        if to.exists():
            continue
        print(replay.name, flush=True)
        found = run_replay(replay, build, fixtures, python)
        if found is not None:
            to.with_suffix(".part").write_text(found, encoding="utf-8")
            to.with_suffix(".part").rename(to)


def explained(system: str) -> list[str]:
    """Patterns of cases that a published system computes wrongly, by the findings of the observatory."""
    rows = [line.split("\t") for name in ("observatory/adapters/findings.tsv", "observatory/observations.tsv")
            for line in (TOP / name).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    found = [row[1] for row in rows if row[0] == system]
    return found + [row[0].replace(".h5/", "/").removesuffix(f".{system}") for row in rows if row[0].endswith(f".{system}") and row[1] == "diverges"]


def counts(replay: Replay, kept: Path) -> Iterator[Count]:
    """What was measured of a replay; nothing if it was not run."""
    file = file_of(kept, replay)
    left_out = explained(replay.system) if replay.system else []
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        path, part, n, bins = line.split("\t")
        case = path.removesuffix(".h5")
        if any(fnmatch.fnmatch(case, pattern) for pattern in left_out):
            continue
        yield Count(case, part, int(n), {b: int(count) for b, _, count in (pair.partition(":") for pair in bins.split())})
