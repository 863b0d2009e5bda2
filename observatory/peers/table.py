"""Prints the measurements as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any, NamedTuple

from .cells import Point, Time

BEHIND = "**"  # around ratios that are not above 1


class Column(NamedTuple):
    """A system, ours or a peer, in one group. stored, computed: types. told: the peer's own remarks.
    error: the largest distance of the logits after a short prompt from ours in float32; None: unknown."""
    name: str
    ours: bool
    stored: str
    computed: str
    told: str = ""
    error: float | None = None
    same_token: bool | None = None
    alike: float | None = None


class Group(NamedTuple):
    """times: by column and point, one for each round. limits: for our engines, the best speed as a fraction of
    the machine's limit, and the name of that limit."""
    name: str
    columns: list[Column]
    times: dict[tuple[str, Point], list[Time]]
    limits: dict[tuple[str, Point], tuple[float, str]]


class Row(NamedTuple):
    """values: one per column, None if not measured. less: smaller is better."""
    name: str
    unit: str
    values: list[float | None]
    less: bool
    point: Point | None


def number(value: float) -> str:
    """The value with three significant digits, but at most three decimals."""
    digits = 3 - len(str(int(abs(value)))) if abs(value) >= 1 else 3
    return f"{value:,.{max(digits, 0)}f}"


def grid(rows: list[list[str]], right: int = 1) -> str:
    """A Markdown table; the first row is the header, columns from index `right` on are right-aligned."""
    widths = [max(3, *(len(row[i]) for row in rows)) for i in range(len(rows[0]))]
    rule = ["-" * w if i < right else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    lines = [[cell.ljust(w) if i < right else cell.rjust(w)
              for i, (cell, w) in enumerate(zip(row, widths))] for row in rows]
    lines.insert(1, rule)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def rows(group: Group, points: list[Point], median: bool) -> Iterator[Row]:
    """The rows of a table: each point; the first token with and without the interpreter's start; memory."""
    pick = statistics.median if median else max

    def values(point: Point, member: str) -> list[float | None]:
        found = [group.times.get((c.name, point), []) for c in group.columns]
        return [pick([getattr(t, member) for t in times]) if times else None for times in found]

    def seconds(speeds: list[float | None]) -> list[float | None]:
        return [1 / speed if speed else None for speed in speeds]

    def peak(wanted: list[Point]) -> list[float | None]:
        found = [[t.peak for p in wanted for t in group.times.get((c.name, p), [])]
                 for c in group.columns]
        return [max(peaks) / 2**20 if peaks else None for peaks in found]

    for point in points:
        if point.measure != "first token":
            yield Row(str(point), "tokens/s", values(point, "speed"), False, point)
            continue
        yield Row(f"{point}, process cold", "s", seconds(values(point, "speed")), True, point)
        yield Row(f"{point}, libraries loaded", "s", seconds(values(point, "warm")), True, point)
    if not points[0].pictures:
        yield Row("memory, first token", "MiB", peak(points[:1]), True, None)
    yield Row("memory, most of all", "MiB", peak(points), True, None)


def ratio(row: Row, group: Group, column: int) -> float | None:
    """The ratio of one of our engines to the best peer; above 1 ours is better. None if either is missing."""
    ours = row.values[column]
    theirs = [v for v, c in zip(row.values, group.columns) if not c.ours and v is not None]
    if ours is None or not theirs:
        return None
    return min(theirs) / ours if row.less else ours / max(theirs)


def ratio_text(found: float | None) -> str:
    if found is None:
        return "-"
    text = f"{found:.2f}"
    return text if found > 1 else f"{BEHIND}{text}{BEHIND}"


def group_text(group: Group, points: list[Point], median: bool) -> str:
    ours = [i for i, c in enumerate(group.columns) if c.ours]
    head = ["", "", *(c.name for c in group.columns)]
    for i in ours:
        head += [f"{group.columns[i].name} / best peer", "of the limit"]
    lines = [head]
    for row in rows(group, points, median):
        line = [row.name, row.unit, *("-" if v is None else number(v) for v in row.values)]
        for i in ours:
            limit = group.limits.get((group.columns[i].name, row.point)) if row.point else None
            plain = limit is not None and row.point.measure != "first token"
            line += [ratio_text(ratio(row, group, i)),
                     f"{100 * limit[0]:.0f} % {limit[1]}" if plain else ""]
        lines.append(line)
    speeds = grid(lines, 2) + "\n" if group.times else ""
    return f"### {group.name}\n\n{speeds}{kinds_text(group)}"


def kinds_text(group: Group) -> str:
    lines = [["system", "stored", "computed", "far from f32", "alike", "same token"]]
    for c in group.columns:
        lines.append([c.name, c.stored, c.computed + (f" ({c.told})" if c.told else ""),
                      "-" if c.error is None else f"{c.error:.2g}",
                      "-" if c.alike is None else f"{c.alike:.4f}",
                      {None: "-", True: "yes", False: "no"}[c.same_token]])
    return grid(lines, 3)


def behind(groups: list[Group], points: list[Point], median: bool) -> list[str]:
    """One line for each ratio that is not above 1."""
    found = []
    for group in groups:
        for row in rows(group, points, median):
            for i, column in enumerate(group.columns):
                one = ratio(row, group, i) if column.ours else None
                if one is not None and one <= 1:
                    found.append(f"{group.name}, {row.name}: {column.name} {one:.2f}")
    return found


def machine_text(machine: dict[str, Any], flags: list[str]) -> list[str]:
    return [
        f"{machine['processor']}, {machine['processors']} processors; "
        f"{', '.join(flags) if flags else 'no flags known'}",
        f"Limits measured by `assay bench`: reading {number(machine['read_all'] / 1e9)} GB/s on all "
        f"processors, {number(machine['read_one'] / 1e9)} on one; float32 multiply-adds "
        f"{number(machine['fma_all'] / 1e9)} GFLOP/s on all, {number(machine['fma_one'] / 1e9)} on "
        f"one ({machine['instructions']})",
    ]


def notes(n_rounds: int, median: bool) -> str:
    return "\n".join([
        f"Each cell: the {'median' if median else 'best'} of {n_rounds} rounds, all systems taking "
        "turns in each, every measurement in a",
        "process of its own, on as many threads as there are processors (f64: on one). Ratios above 1 lead the best "
        f"peer; the others are {BEHIND}bold{BEHIND}.",
        "Of prefill peers compute the logits of the last token, and so does `assay bench`.",
        "The first token is timed from the start of the process, files being in the page cache, and "
        "again without the start of",
        "Python and its imports. Memory is the process's peak, Python's share included, without the "
        "logits that `assay bench` holds.",
        "Far from f32: the largest distance of the logits after a prompt of 32 from ours on float32 "
        "weights, prefilled or decoded;",
        "alike: their cosine; same token: the greedy one.", ""])


def document(groups: list[Group], points: list[Point], facts: list[str], troubles: list[str],
             n_rounds: int, median: bool) -> str:
    parts = ["".join(f"* {fact}\n" for fact in facts)]
    if n_rounds:
        parts.append(notes(n_rounds, median))
    parts += [group_text(group, points, median) for group in groups]
    slower = behind(groups, points, median)
    if slower:
        parts.append("### Where Assay does not lead\n\n" + "".join(f"* {s}\n" for s in slower))
    if troubles:
        parts.append("### Left out\n\n" + "".join(f"* {t}\n" for t in troubles))
    return "\n".join(parts)
