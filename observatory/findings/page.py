"""observatory/FINDINGS.md, a table of all findings, and the text of one record.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import sys
import textwrap
from pathlib import Path

from . import severity
from .records import OBSERVATIONS, RECORDS, Finding, System, Wrong, check_finding, read, read_observations, rows

TOP = Path(__file__).resolve().parent.parent.parent
PAGE = Path("observatory/FINDINGS.md")
EXAMPLES = Path("observatory/texts/examples.tsv")
WIDTH = 140
COMMANDS = ("--top", "show", "commands", "page")
LABELS = {"cause": "Cause", "must": "Must be", "way_out": "Way out", "seen": "Seen"}
HEAD = """\
# Findings

Where a published system does not compute what the model's published definition says, by more than float32 noise explains. Made from the records
in `observatory/findings/records` by `python3 -m observatory.findings page --write`.

    python3 -m observatory.findings show NAME     # a finding: cause, what must be, way out, cases, commands
    python3 -m observatory.findings show SYSTEM   # a system: version, how it ran, what was looked for and agrees

The truth is transformers 5.23.0 (torch 2.13.0) in float64, one sample at a time, unpadded and without a cache. The *noise* of a case is the
distance of its float32 run from that, the *bound* four times the noise. The findings of a system are sorted by *severity*, as [README.md](../README.md#terms)
defines it: the largest error that a recorded observation shows, times the bound (a system without the fault stays below 1); the largest share
of rows whose best token is another one; and a published checkpoint that reaches the fault, as the record says. Causes were read in the installed packages, and ways out were tried. The commands of
a finding run in the root of a built clone, and exit with 1 (99 where the observed system gave no answer). `make check-observed` judges all
observations again.
"""


def row(one: Finding) -> str:
    path, line = one.place
    link = f"{path.relative_to(path.parents[2]).as_posix()}#L{line}"
    cells = (f'<a id="{one.name}"></a>[{one.name}]({link}): {one.title}', ", ".join(one.families) or "–", one.effect,
             "–" if one.times is None else f"{one.times:.3g}", severity.tokens(one) or "–",
             severity.published(one))
    return "| " + " | ".join(cells) + " |\n"


def page(findings: dict[str, Finding]) -> str:
    """A section for each system, in the order of the files."""
    parts = [HEAD]
    for system, own in itertools.groupby(findings.values(), lambda one: one.system):
        parts.append(f"\n## {system.name}\n\n{system.version}\n\n| finding | families | effect | largest error | other best token | published |\n|---|---|---|--:|--:|---|\n")
        parts += map(row, sorted(own, key=severity.order))
    return "".join(parts)


def filled(text: str, first: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent="  " if first else "", break_long_words=False, break_on_hyphens=False)


def show_finding(one: Finding, top: Path) -> str:
    lines = [f"{one.name}: {one.title}", f"{one.system.name} {one.system.version}; {', '.join(one.families) or 'no family'}", f"Severity: {severity.words(one)}"]
    for name, label in LABELS.items():
        if name in one.fields:
            rest = f" With it at most {one.fields['remains']} times the bound." if name == "way_out" and "remains" in one.fields else ""
            lines.append(filled(f"{label}. {one.fields[name]}{rest}"))
    for seen in one.observations:
        said = "no answer" if not seen.answers else f"{seen.times:.3g} times the bound"
        lines.append(f"  {seen.case}.{seen.system}: {said}")
    for _, (name, subject, count, given, found, other) in rows(top / EXAMPLES, 6):
        if name == one.name:
            lines.append(f"  {subject}" + f" ({count})" * (count != "-") + f": {given}\n    found: {found}\n    other: {other}")
    return "\n".join([*lines, *(f"    {command}" for command in one.commands())])


def show_system(one: System) -> str:
    sound = ["Looked for, and within the bound; in brackets the largest error, times the bound:"] if one.sound else []
    return "\n".join([f"{one.name} {one.version}", *map(filled, one.notes), *sound, *(filled(text, "- ") for text in one.sound)])


def show(findings: dict[str, Finding], names: list[str], top: Path) -> int:
    systems = {one.place[0].stem: one.system for one in findings.values()}
    parts = []
    for name in names:
        if name not in findings and name not in systems:
            print(f"{name}: found no such record, expected a finding of {PAGE}, or one of {', '.join(systems)}", file=sys.stderr)
            return 2
        parts.append(show_finding(findings[name], top) if name in findings else show_system(systems[name]))
    print("\n\n".join(parts))
    return 0


def check_all(findings: dict[str, Finding], top: Path) -> None:
    for number, (name, *_) in rows(top / EXAMPLES, 6):
        if name not in findings:
            raise Wrong(f"{EXAMPLES}:{number}: found the finding {name}, expected a record in {RECORDS}")
    families = {path.stem for path in (top / "scripts/record/families").glob("[a-z]*.py")}
    for one in findings.values():
        check_finding(one, families)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m observatory.findings", description=f"Prints records, or makes {PAGE} of them.")
    parser.add_argument("--top", type=Path, default=TOP, help="the source tree")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("show", help="print records").add_argument("name", nargs="+", help="a finding, or a system")
    commands.add_parser("commands", help="print the commands of all findings, each after its name")
    of_page = commands.add_parser("page", help=f"print {PAGE}")
    of_page.add_argument("--write", action="store_true", help="write it")
    of_page.add_argument("--check", action="store_true", help="exit with 1 if it is another one, and print the difference")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    given = parse(arguments)
    findings = read(given.top / RECORDS, read_observations(given.top / OBSERVATIONS))
    check_all(findings, given.top)
    if given.command == "show":
        return show(findings, given.name, given.top)
    if given.command == "commands":
        print("\n".join(f"{one.name} {command}" for one in findings.values() for command in one.commands()))
        return 0
    made, path = page(findings), given.top / PAGE
    if given.write:
        path.write_text(made, encoding="utf-8")
    elif given.check:
        found = path.read_text(encoding="utf-8")
        sys.stdout.writelines(difflib.unified_diff(found.splitlines(True), made.splitlines(True), str(PAGE), "records"))
        return int(found != made)
    else:
        print(made, end="")
    return 0
