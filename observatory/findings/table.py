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

TOP = Path(__file__).resolve().parent.parent.parent
PLACE = Path("observatory")
EFFECTS = {"wrong answers": "wrong answer", "checkpoints that it cannot load or run": "no answer", "what `assay probe` shows": "server"}
HEAD = "| finding | system | families | effect | largest error, times the bound |\n|---|---|---|---|--:|\n"


@dataclass
class Entry:
    """A finding. section: the title of its section. text: what stands below its heading."""

    name: str
    title: str
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
        cells = (f"[{self.name}](#{anchor(f'{self.name}: {self.title}')})<br>{self.title}", self.section.partition(": ")[0],
                 ", ".join(sorted(self.families or named)) or "–", self.effect(), "–" if self.times is None else f"{self.times:.3g}")
        return "| " + " | ".join(cells) + " |\n"


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def entries(document: str) -> dict[str, Entry]:
    found = {}
    for section in re.split(r"(?m)^## ", document)[1:]:
        title = section.partition("\n")[0]
        for part in re.split(r"(?m)^### ", section)[1:]:
            heading, _, text = part.partition("\n")
            name, _, rest = heading.partition(": ")
            found[name] = Entry(name, rest, title, text)
    return found


def add_observations(found: dict[str, Entry], table: str) -> None:
    for line in table.splitlines():
        if line.startswith("#"):
            continue
        path, verdict, distance, name = line.split("\t")
        if name not in found:
            continue
        entry = found[name]
        entry.families.add(path.partition(".")[0])
        entry.diverges |= verdict == "diverges"
        if distance.endswith(" x bound"):
            entry.times = max(entry.times or 0.0, float(distance.split()[0]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--top", type=Path, default=TOP, help="the source tree")
    given = parser.parse_args()
    document = given.top / PLACE / "FINDINGS.md"
    found = entries(document.read_text(encoding="utf-8"))
    add_observations(found, (given.top / PLACE / "observations.tsv").read_text(encoding="utf-8"))
    known = {path.name for path in (given.top / "fixtures").iterdir()}
    made = HEAD + "".join(entry.row(known) for entry in found.values())
    if not (given.write or given.check):
        print(made, end="")
        return 0
    part = Marked(document, "table", "observatory.findings.table")
    return part.write(made) if given.write else part.check(made)


if __name__ == "__main__":
    sys.exit(main())
