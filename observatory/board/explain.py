"""The finding of each failure: the first row of observatory/adapters/findings.tsv that matches, else the recorded observation of the same case
by the same system, if the failure is of its kind and size. A failure of another kind or size on the same case stays unexplained."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from .results import Column, Result

DIVERGES = ("mask", "logits", "tokens", "tensor")  # classes of failures that an observation with logits can show
CANNOT = ("refused", "memory", "crash", "exit")  # those of one that holds the system's words in place of an answer
SAME_SIZE = 1.05  # an error has the finding of an observation only if neither is larger than the other by more than this factor


class Wrong(Exception):
    """What is wrong with a table."""


@dataclass(frozen=True)
class Finding:
    """An entry of observatory/FINDINGS.md. anchor: of its heading, as GitHub makes it."""

    name: str
    title: str
    anchor: str


@dataclass
class Rule:
    """A row of findings.tsv: failures of that class, on a case that matches the glob, whose reason or place contains the text, have that finding. passing: the
    cases that match but passed."""

    line: int
    system: str
    case: str
    kind: str
    text: str
    finding: str
    explained: int = 0
    passing: list[str] = field(default_factory=list)

    def names(self, system: str, case: str) -> bool:
        return self.system == system and fnmatchcase(case, self.case)

    def explains(self, result: Result) -> bool:
        return self.kind in ("*", result.kind) and (self.text == "*" or self.text in f"{result.reason}; {result.where}")


@dataclass(frozen=True)
class Observation:
    """times: in bounds; None: not a multiple of the bound."""

    agrees: bool
    answers: bool
    times: float | None
    finding: str

    def explains(self, result: Result) -> bool:
        if self.agrees or result.kind not in (DIVERGES if self.answers else CANNOT):
            return False
        if self.times is None or result.times is None:
            return not self.answers or self.times is None
        return 1 / SAME_SIZE <= result.times / self.times <= SAME_SIZE


def read_findings(path: Path) -> dict[str, Finding]:
    found = {}
    for line in path.read_text().splitlines():
        if head := re.match(r"### ([\w-]+): (.*)", line):
            anchor = re.sub(r"[^\w\- ]", "", line.removeprefix("### ").lower()).replace(" ", "-")
            found[head[1]] = Finding(head[1], head[2], anchor)
    return found


def rows(path: Path, n_columns: int) -> Iterable[tuple[int, list[str]]]:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line and not line.startswith("#"):
            cells = line.split("\t")
            if len(cells) != n_columns:
                raise Wrong(f"{path}:{number}: found {len(cells)} columns, expected {n_columns}, separated by tabs")
            yield number, cells


def read_rules(path: Path, findings: dict[str, Finding]) -> list[Rule]:
    if not path.exists():
        return []
    rules = [Rule(number, *cells) for number, cells in rows(path, 5)]
    for rule in rules:
        if rule.finding not in findings:
            raise Wrong(f"{path}:{rule.line}: found finding {rule.finding}, expected an entry of observatory/FINDINGS.md")
    return rules


def read_observations(path: Path) -> dict[tuple[str, str], Observation]:
    """(system, case) -> observation; the system as the observation's name has it."""
    found = {}
    for _, (file, verdict, times, finding) in rows(path, 4):
        pack, variant, observation = file.split("/")
        name, _, system = observation.partition(".")
        number = re.fullmatch(r"(\S+) x bound", times)
        found[system, f"{Path(pack).stem}/{variant}/{name}"] = Observation(
            verdict == "agrees", verdict != "cannot", float(number[1]) if number else None, finding)
    return found


@dataclass(frozen=True)
class Explainer:
    findings: dict[str, Finding]
    rules: list[Rule]
    observations: dict[tuple[str, str], Observation]

    def explain(self, columns: list[Column]) -> None:
        """Sets the finding of each failure."""
        for column in columns:
            for result in column.results:
                if result.outcome in ("failed", "crashed"):
                    result.finding = self.by_rule(column, result) or self.by_observation(column, result)
                elif result.outcome == "passed":
                    for rule in self.rules:
                        if rule.names(column.system.name, result.case):
                            rule.passing.append(result.case)

    def by_rule(self, column: Column, result: Result) -> str:
        for rule in self.rules:
            if rule.names(column.system.name, result.case) and rule.explains(result):
                rule.explained += 1
                return rule.finding
        return ""

    def by_observation(self, column: Column, result: Result) -> str:
        for name in column.system.observed:
            seen = self.observations.get((name, result.case))
            if seen and seen.finding in self.findings and seen.explains(result):
                return seen.finding
        return ""

    def stale(self) -> list[str]:
        """Rules that explain nothing although a case that they name has passed."""
        return [f"findings.tsv:{rule.line}: explains no failure, and {rule.passing[0]} passes: {rule.system} {rule.case} {rule.finding}"
                for rule in self.rules if not rule.explained and rule.passing]
