"""The records of findings: observatory/findings/records/*.toml, a file for each system, a table for each finding. A record has no fact that
observatory/observations.tsv has: which cases show the finding, how far they are off, and the files to compare.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RECORDS = Path("observatory/findings/records")
OBSERVATIONS = Path("observatory/observations.tsv")
EFFECTS = ("wrong answer", "crash", "no answer")  # the worst first
NO_FINDING = ("-", "?")
HEAD = {"system": str, "version": str, "notes": list, "sound": list}
FIELDS = {
    "title": str,      # what the system does
    "effect": str,     # of EFFECTS, where no observation shows it
    "families": list,  # of models, where no observation names them
    "published": str,  # OWNER/NAME of a published checkpoint that reaches the fault, or "none"; absent: not known
    "cause": str,      # files and lines of the system
    "must": str,       # the published definition
    "way_out": str,    # that was tried, or a repair that shows the cause
    "remains": float,  # with it, the largest error, times the bound
    "seen": str,       # what no observation shows
    "run": str,        # a command that shows it
}


class Wrong(Exception):
    """What is wrong with a record or a table."""


@dataclass(frozen=True)
class Observation:
    """A line of observations.tsv. file: of the group, below observatory/observations; times: in bounds; None: not a multiple of the bound. other: in how
    many rows the best token is another one, "3 of 27"; empty: it agrees or gave no answer."""

    file: str
    agrees: bool
    answers: bool
    times: float | None
    other: str
    finding: str

    @property
    def case(self) -> str:
        pack, variant, name = self.file.split("/")
        return f"{Path(pack).stem}/{variant}/{name.partition('.')[0]}"

    @property
    def system(self) -> str:
        return self.file.rpartition("/")[2].partition(".")[2]


@dataclass(frozen=True)
class System:
    """The head of a file of records. notes: how it ran, where its files are; sound: what was looked for and agrees."""

    name: str
    version: str
    notes: list[str]
    sound: list[str]


@dataclass
class Finding:
    """A record with the observations that it explains, the largest error first. place: its file and line."""

    name: str
    system: System
    place: tuple[Path, int]
    fields: dict[str, Any]
    observations: list[Observation] = field(default_factory=list)

    @property
    def title(self) -> str:
        return str(self.fields["title"])

    @property
    def effect(self) -> str:
        if self.observations:
            return "wrong answer" if any(one.answers for one in self.observations) else "no answer"
        return str(self.fields["effect"])

    @property
    def families(self) -> list[str]:
        return sorted({one.case.partition("/")[0] for one in self.observations} | set(self.fields.get("families", ())))

    @property
    def times(self) -> float | None:
        return self.observations[0].times if self.observations else None

    def commands(self) -> list[str]:
        made = []
        if self.observations:
            first = self.observations[0]
            files = f"fixtures/{first.case}.h5 observatory/observations/{first.file}"
            made = [f"assay {verb} {files}" for verb in (("diff", "locate") if first.answers else ("diff",))]
        return made + ([self.fields["run"]] if "run" in self.fields else [])


def rows(path: Path, n_columns: int) -> Iterable[tuple[int, list[str]]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line and not line.startswith("#"):
            cells = line.split("\t")
            if len(cells) != n_columns:
                raise Wrong(f"{path}:{number}: found {len(cells)} columns, expected {n_columns}, separated by tabs")
            yield number, cells


def read_observations(path: Path) -> list[Observation]:
    found = []
    for _, (file, verdict, times, other, finding) in rows(path, 5):
        number = re.fullmatch(r"(\S+) x bound", times)
        found.append(Observation(file, verdict == "agrees", verdict != "cannot", float(number[1]) if number else None, other.strip("-"), finding))
    return found


def check_fields(where: str, given: dict[str, Any], known: dict[str, type], needed: Iterable[str]) -> None:
    for name, value in given.items():
        if name not in known:
            raise Wrong(f"{where}: found {name}, expected one of {', '.join(known)}")
        if not isinstance(value, known[name]) or value in ("", []):
            raise Wrong(f"{where}: {name}: found {value!r}, expected a {known[name].__name__} that is not empty")
    for name in needed:
        if name not in given:
            raise Wrong(f"{where}: found no {name}")


def check_finding(one: Finding, families: set[str]) -> None:
    """What one record must have depends on whether there are observations."""
    where = f"{one.place[0]}:{one.place[1]}: {one.name}"
    check_fields(where, one.fields, FIELDS, ("title", "cause", *(() if one.observations else ("effect", "run"))))
    if one.observations and (given := {"effect", "families"} & set(one.fields)):
        raise Wrong(f"{where}: found {given.pop()}, which {OBSERVATIONS} says")
    if one.effect not in EFFECTS:
        raise Wrong(f"{where}: effect: found {one.effect}, expected one of {', '.join(EFFECTS)}")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+|none", named := one.fields.get("published", "none")):
        raise Wrong(f"{where}: published: found {named}, expected OWNER/NAME of a checkpoint, or none")
    if strangers := set(one.fields.get("families", ())) - families:
        raise Wrong(f"{where}: families: found {strangers.pop()}, expected a family of scripts/record/families")


def joined(given: dict[str, Any]) -> dict[str, Any]:
    """Fields without the breaks of their lines."""
    def text(value: Any) -> Any:
        return " ".join(value.split()) if isinstance(value, str) else [text(one) for one in value] if isinstance(value, list) else value
    return {name: text(value) for name, value in given.items()}


def read_file(path: Path) -> list[Finding]:
    source = path.read_text(encoding="utf-8")
    try:
        document = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise Wrong(f"{path}: {error}") from error
    lines = {head[1]: number for number, line in enumerate(source.splitlines(), 1) if (head := re.fullmatch(r"\[([\w-]+)\]", line))}
    head = joined({name: value for name, value in document.items() if not isinstance(value, dict)})
    check_fields(str(path), head, HEAD, ("system", "version", "notes"))
    system = System(head["system"], head["version"], head["notes"], head.get("sound", []))
    return [Finding(name, system, (path, lines[name]), joined(value)) for name, value in document.items() if isinstance(value, dict)]


def read(place: Path, observations: Iterable[Observation]) -> dict[str, Finding]:
    """The findings of all files of a folder, with their observations."""
    found: dict[str, Finding] = {}
    for path in sorted(place.glob("*.toml")):
        for one in read_file(path):
            if one.name in found:
                raise Wrong(f"{path}:{one.place[1]}: found {one.name} again; it is in {found[one.name].place[0]}")
            found[one.name] = one
    for seen in observations:
        if seen.finding in found:
            found[seen.finding].observations.append(seen)
        elif seen.finding not in NO_FINDING:
            raise Wrong(f"{OBSERVATIONS}: {seen.file}: found the finding {seen.finding}, expected a record in {place}")
    for one in found.values():
        one.observations.sort(key=lambda seen: -1.0 if seen.times is None else seen.times, reverse=True)
    return found
