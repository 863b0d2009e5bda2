"""Reads the result of each system, from one file or from the files of its shards, through `assay merge`."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .running import TOP, Failed
from .systems import System

OUTCOMES = ("passed", "failed", "crashed", "refused", "broken")  # what a cell counts
CRASHES = ("crash", "exit", "hang", "memory")  # classes of failures that end an engine
# Where a package is installed, and a source tree that may be another one than this.
INSTALLED = re.compile(r"[^\s'\"(]*/(?:(?:site|dist)-packages/|(?=(?:adapters/python|observatory/adapters)/))")


@dataclass
class Result:
    """One case through one system. outcome: of OUTCOMES. times: the error in bounds; None: not measured, or infinite. repro: the command. finding: set by explain."""

    case: str
    path: str
    outcome: str
    kind: str
    reason: str
    where: str
    manner: str
    times: float | None
    repro: str
    finding: str = ""

    @property
    def unexplained(self) -> bool:
        return self.outcome in ("failed", "crashed") and not self.finding


@dataclass
class Column:
    """A system with all of its results. trouble: why there are none."""

    system: System
    versions: dict[str, str]
    machine: str
    finished: str = ""
    assay: str = ""
    trouble: str = ""
    results: list[Result] = field(default_factory=list)

    def title(self) -> str:
        return " ".join([self.system.title, *list(self.versions.values())[:1]])


def outcome(result: dict[str, Any]) -> str:
    if result["outcome"] == "failed":
        return "crashed" if result["class"] in CRASHES else "failed"
    return "refused" if result["outcome"] == "skipped" else str(result["outcome"])


def shown(text: str, hidden: dict[str, str]) -> str:
    """The text without paths of this machine. hidden: path -> what is shown in its place."""
    for path, name in hidden.items():
        text = text.replace(path, name)
    return INSTALLED.sub("", text)


def case_name(path: str, case: str, roots: list[str]) -> str:
    """The case's path below one of the roots, without its ending, however much of the root was run; else what the result calls it."""
    whole = (TOP / path).resolve()
    for root in roots:
        if whole.is_relative_to((TOP / root).resolve()):
            below = whole.relative_to((TOP / root).resolve())
            return str(below.parent / below.name.split(".")[0])
    return case


def repro(system: System, result: dict[str, Any], path: str) -> str:
    engine = system.name if system.bundled else f"exec:python3 -m assay assay.adapters.{system.name}"
    words = ["assay", "run", "--engine", shlex.quote(engine)]
    if "--manner" in result["repro"]:
        words += ["--manner", result["manner"]]
    return " ".join([*words, shlex.quote(path)])


def read_result(system: System, one: dict[str, Any], roots: list[str], hidden: dict[str, str]) -> Result:
    path = shown(one["path"], {f"{TOP}/": ""})
    times = one["multiple"] / one["bound"] if one["multiple"] is not None and one["bound"] else None
    return Result(case_name(one["path"], one["case"], roots), one["path"], outcome(one), one["class"], shown(one["reason"], hidden),
                  shown(one["where"], hidden), one["manner"], times, repro(system, one, path))


def files(directory: Path, name: str) -> list[Path]:
    """The one result of a system, or those of its shards."""
    whole = directory / f"{name}.json"
    return [whole] if whole.exists() else sorted((directory / name).glob("*.json"))


def strangers(directories: list[Path], names: list[str]) -> list[Path]:
    """The results of systems that are none of these."""
    found = []
    for directory in directories:
        found += [path for path in directory.glob("*.json") if not path.name.endswith(".facts.json")]
        found += [path for path in directory.iterdir() if path.is_dir() and any(path.glob("*.json"))]
    return sorted(path for path in found if path.name.removesuffix(".json") not in names)


def merged(assay: Path, parts: list[Path]) -> dict[str, Any]:
    """Raises Failed as `assay merge` fails: a shard that is missing, attempts that disagree, a file that is no result."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "merged.json"
        done = subprocess.run([str(assay), "merge", "--json", str(out), *map(str, parts)], capture_output=True, text=True)
        if not out.exists():
            raise Failed(" ".join(done.stderr.split()).removeprefix("assay: ") or f"assay merge ends with status {done.returncode}")
        return dict(json.loads(out.read_text()))


def read_run(system: System, directory: Path, assay: Path, pins: dict[str, str], roots: list[str], hidden: dict[str, str]) -> Column:
    """One run of a system. pins: the versions of the requirements, stated if no other ones are stored beside the result."""
    stored = directory / f"{system.name}.facts.json"
    facts = json.loads(stored.read_text()) if stored.exists() else {}
    pinned = {name: pins[name] for name in system.made_of if name in pins}
    column = Column(system, facts.get("versions", pinned), facts.get("machine", "not stated"))
    parts = files(directory, system.name)
    try:
        if not parts:
            raise Failed("there is no result")
        document = merged(assay, parts)
    except Failed as error:
        column.trouble = shown(str(error), hidden)
        return column
    column.finished, column.assay = document["shard"]["finished"][:10], document["settings"]["version"]
    if system.bundled:
        column.versions = column.versions or {"assay": column.assay}
    column.results = [read_result(system, one, roots, hidden) for one in document["results"]]
    if document["shard"]["interrupted"]:
        column.trouble = "the run was interrupted: cases are missing"
    return column


def read(system: System, directories: list[Path], assay: Path, pins: dict[str, str], roots: list[str], hidden: dict[str, str]) -> Column:
    """The runs of a system, one in each directory that has a result of it; cases of a later one replace those of earlier ones."""
    runs = [read_run(system, directory, assay, pins, roots, hidden) for directory in directories if files(directory, system.name)]
    if not runs:
        return read_run(system, directories[0], assay, pins, roots, hidden)
    last = runs[-1]
    if other := next((one for one in runs if one.versions != last.versions), None):
        return Column(system, last.versions, last.machine, trouble=f"found results of {other.title()} and of {last.title()}, expected one version")
    last.trouble = next((one.trouble for one in runs if one.trouble), "")
    last.results = list({result.case: result for one in runs for result in one.results}.values())
    last.finished = " to ".join(dict.fromkeys((min(one.finished for one in runs), max(one.finished for one in runs))))
    return last
