"""Counts of outcomes by system and by group of cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from ..findings import severity
from ..findings.records import Finding
from .cases import NUMERIC, PROPERTIES, Case
from .results import OUTCOMES, Column, Result


@dataclass
class Cell:
    """The results of a system on a group of cases."""

    results: list[Result] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        found = Counter(one.outcome for one in self.results)
        return {outcome: found[outcome] for outcome in OUTCOMES if found[outcome]}

    def findings(self) -> list[str]:
        """Those of the failures, the most frequent first."""
        found = Counter(one.finding for one in self.results if one.finding)
        return [name for name, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))]

    def n_unexplained(self) -> int:
        return sum(one.unexplained for one in self.results)


@dataclass(frozen=True)
class Group:
    """A row: a property or a family."""

    name: str
    title: str
    has: Callable[[Case], bool]


@dataclass(frozen=True)
class Board:
    """cases: those that `assay info` describes, by name. findings: all that have a record, by name."""

    columns: list[Column]
    cases: dict[str, Case]
    findings: dict[str, Finding]

    @cached_property
    def asked(self) -> frozenset[str]:
        """The cases that count: numeric ones, and others that at least one adapter did not refuse."""
        numeric = {name for name, case in self.cases.items() if case.kind in NUMERIC}
        return frozenset(numeric | {one.case for column in self.columns if not column.system.bundled
                                    for one in column.results if one.outcome != "refused"})

    def results(self, column: Column) -> list[Result]:
        return [one for one in column.results if one.case in self.asked]

    def cell(self, column: Column, group: Group | None = None) -> Cell:
        return Cell([one for one in self.results(column)
                     if group is None or one.case in self.cases and group.has(self.cases[one.case])])

    def properties(self) -> list[Group]:
        groups = [Group(one.name, one.title, one.has) for one in PROPERTIES]
        return [group for group in groups if any(self.cell(column, group).results for column in self.columns)]

    def families(self) -> list[Group]:
        names = sorted({case.family for name, case in self.cases.items() if name in self.asked})
        return [Group(name, name, lambda case, name=name: case.family == name) for name in names]  # type: ignore[misc]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Finding -> its number in the list below the tables, in the order of the records."""
        used = {one.finding for column in self.columns for one in self.results(column) if one.finding}
        return {name: i for i, name in enumerate((one for one in self.findings if one in used), 1)}

    def by_severity(self) -> list[str]:
        """The findings that have a number, the most severe first."""
        return sorted(self.numbers, key=lambda name: severity.order(self.findings[name]))

    def n_unexplained(self) -> int:
        return sum(self.cell(column).n_unexplained() for column in self.columns)

    def n_left_out(self) -> int:
        """The cases that were run and that no adapter answers."""
        return len({one.case for column in self.columns for one in column.results} - self.asked)

    def status(self) -> int:
        """99: a system has no result, or a case is broken; 1: a failure without a finding; 77: nothing could run; else 0."""
        cells = [self.cell(column).counts() for column in self.columns]
        if any(column.trouble for column in self.columns) or any("broken" in counts for counts in cells):
            return 99
        if self.n_unexplained():
            return 1
        return 0 if any(set(counts) - {"refused"} for counts in cells) else 77
