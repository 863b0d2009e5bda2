"""observatory/SERVERS.md: what `assay probe` found in each server, from its JSON reports."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Finding = dict[str, Any]

MARKS = {"ok": "ok", "not offered": "–", "not exercised": "n/e", "ignored": "ignored"}
WORST = ("breaks", "departs", "ignored", "habit", "ok", "n/e", "–")  # of several rows of one check, and of both families
COUNT = frozenset(("breaks", "departs", "ignored", "habit"))  # what is listed
MOST_TEXT = 260  # characters of a breach's text
HEAD = """\
# Published servers, probed

What `assay probe` finds in servers from PyPI that serve the bundle (`fixtures/bundle`), two trained checkpoints whose float64 logits are known.
`scripts/check-servers --markdown observatory/SERVERS.md` writes this file: it installs, starts, probes and stops each server, on a CPU. mlx-lm
is started anew for each group of checks. Causes that were read in a server's source are findings ([FINDINGS.md](FINDINGS.md)); "no complete
answer within 60 s" may also be said of a busy machine, and counts only with a finding.

| mark | meaning |
|---|---|
| ok | the check passed |
| breaks | clients fail, or show what is wrong |
| departs | from the published specification |
| habit | common and harmless |
| ignored | a member of the request is accepted and has no effect |
| – | not offered |
| n/e | the server never did what the check is about |

A mark is the worst of both families and of all requests. A breach has the first answer that shows it.
"""


@dataclass(frozen=True)
class Breach:
    server: str
    mark: str
    row: str
    rule: str
    evidence: str


@dataclass(frozen=True)
class Result:
    """What became of one server on one family. trouble: why there is no report; found: the report."""

    server: str
    family: str
    trouble: str
    found: dict[str, Any] | None


def read(path: Path) -> dict[str, Any] | None:
    """The report; None if there is none, or only part of one."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def joined(documents: list[dict[str, Any]]) -> dict[str, Any]:
    """Reports on groups of checks as one; discovery, which is part of each, is the first one's."""
    findings = [one for i, document in enumerate(documents) for one in document["findings"]
                if i == 0 or not one["check"].startswith("discovery/")]
    return {**documents[0], "findings": findings}


def mark(finding: Finding) -> str:
    if finding["verdict"] == "failed":
        return str(finding["grade"])
    if finding["verdict"] == "ignored" and finding.get("grade") == "breaks":
        return "breaks"
    return MARKS[finding["verdict"]]


def summary(result: Result) -> str:
    if result.found is None:
        return result.trouble
    marks = [mark(one) for one in result.found["findings"]]
    return ", ".join(f"{marks.count(kind)} {kind}" for kind in WORST if kind in marks)


def status(results: list[Result]) -> int:
    """An exit status as that of assay probe: 1 if a finding counts against a server, 0 if none does, 77 without reports."""
    found = [one.found for one in results if one.found is not None]
    if not found:
        return 77
    return int(any(mark(one) in ("breaks", "departs", "ignored") for document in found for one in document["findings"]))


def escaped(text: str) -> str:
    """Text in a table's cell or a list item."""
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "…"


def row_of(check: str) -> str:
    """The row of a check in the table: what is asked in protocol/ENDPOINT/{whole,stream}/ASKED/WHAT is left out."""
    parts = check.split("/")
    return "/".join(parts[:3] + parts[4:]) if len(parts) == 5 and parts[2] in ("whole", "stream") else check


def table(results: list[Result]) -> tuple[list[str], list[str]]:
    """A row for each check that some server does not pass, a column for each server; and the other checks."""
    names = list(dict.fromkeys(one.server for one in results))
    rows: dict[str, dict[str, str]] = {}
    for result in results:
        for one in (result.found or {"findings": []})["findings"]:
            row = rows.setdefault(row_of(one["check"]), {})
            row[result.server] = min(row.get(result.server, WORST[-1]), mark(one), key=WORST.index)
    passed = [check for check, row in rows.items() if not COUNT.intersection(row.values())]
    lines = ["| check | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    return lines + [f"| {check} | " + " | ".join(row.get(name, "") for name in names) + " |"
                    for check, row in sorted(rows.items()) if check not in passed], sorted(passed)


def breaches(results: list[Result]) -> list[Breach]:
    """One for each check of a server and rule of a stream, with the first finding as evidence."""
    first: dict[tuple[str, str, str, str], str] = {}
    for result in results:
        for one in (result.found or {"findings": []})["findings"]:
            if mark(one) in COUNT:
                row = row_of(one["check"])
                asked = "" if one["check"] == row else f"{one['check'].split('/')[3]}: "
                first.setdefault((result.server, mark(one), row, one.get("rule", "")), asked + escaped(one["text"]))
    return [Breach(*key, text) for key, text in first.items()]


def items(found: list[Breach]) -> list[str]:
    """A list item for each kind of evidence, the worst first, with the checks and the servers that have it."""
    same: dict[tuple[str, str, str], list[Breach]] = {}
    for one in found:
        same.setdefault((one.mark, one.rule, one.evidence), []).append(one)
    lines = []
    for (kind, rule, evidence), those in same.items():
        rows, servers = (", ".join(sorted({getattr(one, name) for one in those})) for name in ("row", "server"))
        lines.append((WORST.index(kind), f"- **{kind}** {rows}" + f", rule `{rule}`" * bool(rule) + f": {evidence} ({servers})"))
    return [line for _, line in sorted(lines)]


def markdown(results: list[Result], versions: dict[str, str]) -> str:
    """versions: the packages of each server."""
    names, families = (list(dict.fromkeys(getattr(one, name) for one in results)) for name in ("server", "family"))
    lines = [HEAD, f"| server | packages | {' | '.join(families)} |", "|---|---|" + "---|" * len(families)]
    for name in names:
        said = {one.family: escaped(summary(one)) for one in results if one.server == name}
        lines.append(f"| {name} | {versions.get(name, '')} | {' | '.join(said.get(family, '') for family in families)} |")
    failing, passed = table(results)
    lines += ["", "## Checks", "", *failing, "", f"Passed by every server that offers what they ask for: {', '.join(passed) or 'none'}.", ""]
    return "\n".join([*lines, "## Breaches", "", *(items(breaches(results)) or ["- nothing"])]) + "\n"
