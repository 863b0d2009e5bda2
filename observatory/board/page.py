"""The HTML page: one file without any other resource."""

from __future__ import annotations

from collections import Counter
from html import escape
from pathlib import Path

from ..findings import severity
from ..findings.records import Finding
from .cases import PROPERTIES
from .markdown import marks, plural, ranges
from .results import Column, Result
from .tally import Board, Cell, Group

PAGE = Path(__file__).parents[2] / "conformance" / "page"  # every page has this style and this script
WORDS = {"passed": "agree", "failed": "fail", "crashed": "crash", "refused": "refused by name", "broken": "are broken"}
SHOWN_KINDS = {"refused": "an error, no answer"}  # refused by name is another outcome
MARKS = "✓✗!–"  # stay in the line of their number
WORST = ("broken", "crashed", "failed", "passed", "refused")  # the colour of a cell is that of the first that it counts
HEAD = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Assay: published engines, on every recorded case</title>
<style>
%s</style>
</head>
<body>
<h1>Published engines, on every recorded case</h1>
<p>What <code>assay run</code> finds in published systems, each through its adapter, on a CPU. A cell counts cases; follow it to those that fail, each with the finding
that explains it and the command that repeats it.</p>
<p><b>✓</b> within the bound in every manner of evaluation that the engine can be asked for. <b>✗</b> diverges, or gives an error where an answer is due; in parentheses
the numbers of its findings. <b>!</b> crashes, hangs, ends or runs out of memory. <b>–</b> refuses by name. <b>?</b> failures that no finding explains.</p>
"""


def cell_html(cell: Cell, numbers: dict[str, int], system: str, kind: str, name: str, label: str) -> str:
    counts = cell.counts()
    if not counts:
        return "<td></td>"
    found = ranges([numbers[one] for one in cell.findings()])
    said = [f"{n} {WORDS[outcome]}" for outcome, n in counts.items()] + ([f"findings {found}"] if found else [])
    text = escape(", ".join(marks(cell, numbers)))
    for mark in MARKS:
        text = text.replace(f" {mark}", f"&nbsp;{mark}")
    if n := cell.n_unexplained():
        text += f', <span class="unexplained">{n} ?</span>'
        said.append(f"{n} without a finding")
    worst = next(outcome for outcome in WORST if outcome in counts)
    target = f"#{system}/{kind}/{name}" if kind else f"#{system}"
    return f'<td class="{worst}"><a href="{escape(target)}" aria-label="{escape(label + ": " + ", ".join(said))}">{text}</a></td>'


def grid(board: Board, kind: str, caption: str, groups: list[Group]) -> list[str]:
    lines = ['<div class="scroll"><table>', f"<caption>{escape(caption)}</caption>", f'<thead><tr><th scope="col">{kind}</th>']
    lines += [f'<th scope="col">{escape(column.title())}</th>' for column in board.columns]
    lines.append("</tr></thead><tbody>")
    for group in groups:
        cells = [cell_html(board.cell(column, group), board.numbers, column.system.name, kind, group.name, f"{column.system.title}, {group.title}")
                 for column in board.columns]
        lines.append(f'<tr><th scope="row">{escape(group.title)}</th>{"".join(cells)}</tr>')
    return [*lines, "</tbody></table></div>"]


def systems(board: Board) -> list[str]:
    lines = ['<div class="scroll"><table><thead><tr>']
    lines += [f'<th scope="col">{name}</th>' for name in ("system", "versions", "run on", "machine", "cases")]
    lines.append("</tr></thead><tbody>")
    for column in board.columns:
        made_of = ", ".join(f"{name} {version}" for name, version in column.versions.items())
        cell = cell_html(board.cell(column), board.numbers, column.system.name, "", "", column.system.title)
        if column.trouble:
            cell = f'<td class="failed">{escape(column.trouble)}</td>'
        texts = "".join(f"<td>{escape(text)}</td>" for text in (made_of, column.finished, column.machine))
        lines.append(f'<tr><th scope="row">{escape(column.system.title)}</th>{texts}{cell}</tr>')
    return [*lines, "</tbody></table></div>"]


def finding_link(board: Board, name: str, link: str) -> str:
    if not name:
        return '<span class="unexplained">? none</span>'
    entry = board.findings[name]
    return f'{board.numbers[name]}. <a href="{escape(link)}#{escape(name)}" title="{escape(entry.title)}">{escape(name)}</a>'


def failure(board: Board, column: Column, one: Result, link: str) -> str:
    case = board.cases.get(one.case)
    properties = " ".join(prop.name for prop in PROPERTIES if case and prop.has(case))
    family = case.family if case else one.case.split("/")[0]
    size = f"{one.times:.3g} bounds" if one.times is not None else ""
    manner = f", manner {one.manner}" if one.manner not in ("", "whole") else ""
    where = f"<br>first: {escape(one.where)}" if one.where else ""
    return (f'<tr data-system="{escape(column.system.name)}" data-family="{escape(family)}" data-property="{properties}"><td>{escape(one.case)}</td>'
            f"<td>{escape(SHOWN_KINDS.get(one.kind, one.kind) + manner)}</td><td>{size}</td><td>{finding_link(board, one.finding, link)}</td>"
            f"<td>{escape(one.reason)}{where}<br><code>{escape(one.repro)}</code></td></tr>")


def order(one: Result) -> tuple[bool, int, float, str]:
    """Failures without a finding come first; then the most severe, as conformance/judge/severity.h has them."""
    rank = {"crashed": 1, "broken": 3}.get(one.outcome, 2 if one.kind == "refused" else 0)
    return bool(one.finding), rank, -(-1.0 if one.times is None else one.times), one.case


def failures(board: Board, column: Column, link: str) -> list[str]:
    found = [one for one in board.results(column) if one.outcome in ("failed", "crashed", "broken")]
    lines = [f"<details><summary>{len(found)} {plural(len(found))} with a failure</summary>", '<div class="scroll"><table class="failures"><thead><tr>']
    lines += [f'<th scope="col">{name}</th>' for name in ("case", "class", "error", "finding", "what was found, and the command that repeats it")]
    lines.append("</tr></thead><tbody>")
    lines += [failure(board, column, one, link) for one in sorted(found, key=order)]
    return [*lines, "</tbody></table></div></details>"]


def refusals(board: Board, column: Column) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for one in board.results(column):
        if one.outcome == "refused":
            reasons.setdefault(one.reason, []).append(one.case)
    n = sum(map(len, reasons.values()))
    lines = [f"<details><summary>{n} {plural(n)} refused</summary><ul>"]
    for reason, names in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"<li>{escape(reason)}<details><summary>{len(names)} {plural(len(names))}</summary>{escape(', '.join(sorted(names)))}</details></li>")
    return [*lines, "</ul></details>"]


def section(board: Board, column: Column, link: str) -> list[str]:
    lines = [f'<section id="{escape(column.system.name)}"><h2>{escape(column.title())}</h2>']
    if column.trouble:
        lines.append(f'<p class="warning">{escape(column.trouble)}</p>')
    return [*lines, *failures(board, column, link), *refusals(board, column), "</section>"]


def finding_item(one: Finding, number: str, link: str, places: str) -> str:
    said = f"{severity.words(one)}; {places}"
    return (f'<li value="{number}"><a href="{escape(link)}#{escape(one.name)}">{escape(one.name)}</a>: {escape(one.title)} '
            f'<span class="muted">({escape(said)})</span></li>')


def findings(board: Board, link: str) -> list[str]:
    lines = ["<h2>Findings</h2>", "<ol>"]
    for name in board.by_severity():
        entry = board.findings[name]
        counts = Counter(column.system.title for column in board.columns for one in board.results(column) if one.finding == name)
        places = ", ".join(f"{n} of {title}" for title, n in counts.items())
        lines.append(finding_item(entry, str(board.numbers[name]), link, places))
    return [*lines, "</ol>"]


def page(board: Board, link: str) -> str:
    """link: to FINDINGS.md, relative to the page."""
    lines = [HEAD % (PAGE / "page.css").read_text()]
    if n := board.n_unexplained():
        lines.append(f'<p class="warning">Failures without a finding: {n}.</p>')
    lines += systems(board)
    lines += ["<h2>Properties</h2>", *grid(board, "property", "A case may have several properties.", board.properties())]
    lines += ["<h2>Families</h2>", *grid(board, "family", "Families of models, as the checkpoints name them.", board.families())]
    lines += findings(board, link)
    lines.append('<p id="search" hidden><label>Search the failures: <input type="search"></label> <output></output></p>')
    lines.append('<p id="filter" hidden>Only <span></span>. <a href="#">Show all</a></p>')
    for column in board.columns:
        lines += section(board, column, link)
    lines += ["<script>", (PAGE / "page.js").read_text().rstrip(), "</script>", "</body>", "</html>"]
    return "\n".join(lines) + "\n"
