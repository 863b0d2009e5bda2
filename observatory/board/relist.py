"""The lists of findings of SCOREBOARD.md and scoreboard.html, in the order and the words of today's records. The rest of both is that of the last run.

`python3 -m observatory.board.relist --write` writes them; without the option it prints what differs, and exits with 1 if anything does.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path

from ..findings import records, severity
from ..findings.records import Finding
from .markdown import finding_row
from .page import finding_item

TOP = Path(__file__).resolve().parent.parent.parent
# A line of each list: number, link, finding, severity, cases.
ROW = re.compile(r"\| (\d+) \| \[[\w-]+\]\(([^#)]+)#([\w-]+)\) \| .* \| ([^|]*) \|")
ITEM = re.compile(r'<li value="(\d+)"><a href="([^#"]+)#([\w-]+)">.* <span class="muted">\(.*; (.*)\)</span></li>')
DOCUMENTS: dict[str, tuple[re.Pattern[str], Callable[[Finding, str, str, str], str]]] = {
    "observatory/SCOREBOARD.md": (ROW, finding_row), "observatory/scoreboard.html": (ITEM, finding_item)}


def relisted(text: str, line: re.Pattern[str], make: Callable[[Finding, str, str, str], str], findings: dict[str, Finding]) -> str:
    """The text with its list made again."""
    lines = text.split("\n")
    places = [i for i, one in enumerate(lines) if line.fullmatch(one)]
    found = [match.groups() for i in places if (match := line.fullmatch(lines[i]))]
    if lost := sorted({name for _, _, name, _ in found} - set(findings)):
        raise records.Wrong(f"{lost[0]}: the scoreboard names it, and no record has it")
    found.sort(key=lambda one: severity.order(findings[one[2]]))
    for i, (number, link, name, cases) in zip(places, found, strict=True):
        lines[i] = make(findings[name], number, link, unescape(cases))
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m observatory.board.relist", description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true", help="write both documents")
    parser.add_argument("--top", type=Path, default=TOP, help="root of a clone")
    given = parser.parse_args(arguments)
    findings = records.read(given.top / records.RECORDS, records.read_observations(given.top / records.OBSERVATIONS))
    status = 0
    for name, (line, make) in DOCUMENTS.items():
        path = given.top / name
        old = path.read_text(encoding="utf-8")
        new = relisted(old, line, make, findings)
        if given.write:
            path.write_text(new, encoding="utf-8")
        elif new != old:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), name, "made again", n=0))
            status = 1
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except records.Wrong as error:
        sys.exit(f"observatory.board.relist: {error}")
