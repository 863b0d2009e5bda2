"""The finding of each failure: the first row of observatory/adapters/findings.tsv that matches, else the recorded observation of the same case
by the same system, if the failure is of its kind and size. A failure of another kind or size on the same case stays unexplained."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from ..findings.records import Finding, Observation, Wrong, rows
from .results import Column, Result

DIVERGES = ("mask", "logits", "tokens", "tensor")  # classes of failures that an observation with logits can show
CANNOT = ("refused", "memory", "crash", "exit")  # those of one that holds the system's words in place of an answer
SAME_SIZE = 1.05  # an error has the finding of an observation only if neither is larger than the other by more than this factor


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


def same_failure(seen: Observation, result: Result) -> bool:
    if seen.agrees or result.kind not in (DIVERGES if seen.answers else CANNOT):
        return False
    if seen.times is None or result.times is None:
        return not seen.answers or seen.times is None
    return 1 / SAME_SIZE <= result.times / seen.times <= SAME_SIZE


def read_rules(path: Path, findings: dict[str, Finding]) -> list[Rule]:
    if not path.exists():
        return []
    rules = [Rule(number, *cells) for number, cells in rows(path, 5)]
    for rule in rules:
        if rule.finding not in findings:
            raise Wrong(f"{path}:{rule.line}: found finding {rule.finding}, expected one of observatory/FINDINGS.md")
    return rules


@dataclass(frozen=True)
class Explainer:
    findings: dict[str, Finding]
    rules: list[Rule]
    observations: dict[tuple[str, str], Observation]  # of a system, on a case

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
            if seen and seen.finding in self.findings and same_failure(seen, result):
                return seen.finding
        return ""

    def stale(self) -> list[str]:
        """Rules that explain nothing although a case that they name has passed."""
        return [f"findings.tsv:{rule.line}: explains no failure, and {rule.passing[0]} passes: {rule.system} {rule.case} {rule.finding}"
                for rule in self.rules if not rule.explained and rule.passing]
