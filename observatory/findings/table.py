"""The table at the beginning of observatory/FINDINGS.md: a row for each entry.

    python3 -m observatory.findings.table             print the table
    python3 -m observatory.findings.table --write     put it into FINDINGS.md, between its marks
    python3 -m observatory.findings.table --check     exit with 1 if FINDINGS.md has another one, and print the difference

The system is what the section's title begins with. Families, effect and error are those of the observations that the entry explains
(observations.tsv); without one, the families are those whose cases the entry names.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from scripts.marked import Marked

from ..board.explain import Finding, Observation, read_findings, read_observations

TOP = Path(__file__).resolve().parent.parent.parent
PLACE = Path("observatory")
EFFECTS = {"wrong answers": "wrong answer", "checkpoints that it cannot load or run": "no answer", "what `assay probe` shows": "server"}
HEAD = "| finding | system | families | effect | largest error, times the bound |\n|---|---|---|---|--:|\n"


@dataclass
class Entry:
    """A finding, the title of its section, and what stands below its heading."""

    finding: Finding
    section: str
    text: str
    families: set[str] = field(default_factory=set)
    diverges: bool = False
    times: float | None = None

    def effect(self) -> str:
        if self.diverges:
            return "wrong answer"
        subject = self.section.partition(": ")[2]
        return EFFECTS.get(subject, subject) or "–"

    def row(self, known: set[str]) -> str:
        named = known & set(re.findall(r"`([a-z0-9_]+)/", self.text))
        cells = (f"[{self.finding.name}](#{self.finding.anchor})<br>{self.finding.title}", self.section.partition(": ")[0],
                 ", ".join(sorted(self.families or named)) or "–", self.effect(), "–" if self.times is None else f"{self.times:.3g}")
        return "| " + " | ".join(cells) + " |\n"


def entries(document: Path) -> dict[str, Entry]:
    findings, found = read_findings(document), {}
    for section in re.split(r"(?m)^## ", document.read_text(encoding="utf-8"))[1:]:
        title = section.partition("\n")[0]
        for part in re.split(r"(?m)^### ", section)[1:]:
            heading, _, text = part.partition("\n")
            name = heading.partition(": ")[0]
            found[name] = Entry(findings[name], title, text)
    return found


def add_observations(found: dict[str, Entry], observations: dict[tuple[str, str], Observation]) -> None:
    for (_, case), observation in observations.items():
        if observation.finding not in found:
            continue
        entry = found[observation.finding]
        entry.families.add(case.partition("/")[0])
        entry.diverges |= observation.answers and not observation.agrees
        if observation.times is not None:
            entry.times = max(entry.times or 0.0, observation.times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--top", type=Path, default=TOP, help="the source tree")
    given = parser.parse_args()
    document = given.top / PLACE / "FINDINGS.md"
    found = entries(document)
    add_observations(found, read_observations(given.top / PLACE / "observations.tsv"))
    known = {path.name for path in (given.top / "fixtures").iterdir()}
    made = HEAD + "".join(entry.row(known) for entry in found.values())
    if not (given.write or given.check):
        print(made, end="")
        return 0
    part = Marked(document, "table", "observatory.findings.table")
    return part.write(made) if given.write else part.check(made)


if __name__ == "__main__":
    sys.exit(main())
