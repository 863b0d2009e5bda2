"""The tables and the pictures of docs/judging.md.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from scripts.judging.data import LIMIT, Run, Tail, is_sound
from scripts.judging.replays import CODES
from scripts.judging.tail import Bins, above, bootstrap, edge, interval, merged, rate_above

THRESHOLD = 1.0  # above which the tail is fitted: the noise itself
TIMES = 200      # samples of the bootstrap
CAUGHT = 0.99
TYPES = ["float32", "bfloat16", "int8", *CODES, "float64"]


def short(x: float) -> str:
    return "0" if x == 0 else f"{x:.2g}"


def pair(low: float, high: float) -> str:
    return f"{short(low)} – {short(high)}"


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return "\n".join(lines + [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]) + "\n"


def largest(bins: Bins) -> float:
    """The upper edge of the highest bin with errors."""
    return edge(max(bins) + 1) if bins else 0.0


def tails_of(tails: Sequence[Tail], type_: str, part: str) -> list[Tail]:
    return [t for t in tails if t.type == type_ and t.part == part]


def row_rate(bins: Bins, n: int) -> float:
    return rate_above(bins, n, THRESHOLD, LIMIT)


def rates(runs: Sequence[Run], tails: Sequence[Tail]) -> str:
    def row(type_: str) -> list[object]:
        own = [r for r in runs if r.type == type_ and is_sound(r)]
        of_rows = tails_of(tails, type_, "rows")
        bins, n = merged([t.bins for t in of_rows]), sum(t.n for t in of_rows)
        low, high = bootstrap([(t.bins, t.n) for t in of_rows], row_rate, TIMES)
        failing, cases = sum(r.cases_above > 0 for r in own), sum(r.cases for r in own)
        seen = short(above(bins, LIMIT) / n) if above(bins, LIMIT) else f"0 of {n:,}"
        fitted = f"{short(row_rate(bins, n))} ({pair(low, high)})" if above(bins, THRESHOLD) else "no row reaches the noise"
        return [type_, len(own), f"{n:,}", f"{largest(bins):.2g}", seen, fitted, f"{sum(r.cases_above for r in own)} of {cases:,}",
                f"{failing} of {len(own)} ({pair(*interval(failing, len(own)))})"]
    present = [t for t in TYPES if any(r.type == t and is_sound(r) for r in runs)]
    return table(["type", "replays", "rows", "largest error below", "rows above 4", "rate by the fitted tail (95 %)", "cases above 4", "runs with a false alarm (95 %)"],
                 [row(type_) for type_ in present])


def sources(runs: Sequence[Run]) -> str:
    keys = sorted({(TYPES.index(r.type), r.source) for r in runs if r.planted == 0})
    groups = [(TYPES[i], source, [r for r in runs if r.type == TYPES[i] and r.source == source and r.planted == 0]) for i, source in keys]
    return table(["type", "what differs", "replays", "rows", "rows above 4", "tensors above 4", "runs above 4"],
                 [[type_, source, len(own), f"{sum(r.rows for r in own):,}", sum(r.rows_above for r in own),
                   f"{sum(r.tensors_above for r in own)} of {sum(r.tensors for r in own):,}", sum(r.cases_above > 0 for r in own)] for type_, source, own in groups])


def alarms(runs: Sequence[Run]) -> str:
    """The cases with false alarms of sound replays, as a table with a head, or that there are none."""
    found: dict[tuple[str, str], list[int]] = {}
    for run in runs:
        if is_sound(run):
            for case, b in run.alarms.items():
                found.setdefault((run.type, case), []).append(b)
    if not found:
        return "No case has a false alarm.\n"
    total = {t: sum(r.type == t and is_sound(r) for r in runs) for t in TYPES}
    return "The cases with false alarms:\n\n" + table(["type", "case", "replays above 4", "largest error below"],
                 [[t, f"`{case}`", f"{len(bins)} of {total[t]}", f"{edge(max(bins) + 1):.2g}"] for (t, case), bins in sorted(found.items(), key=lambda i: -len(i[1]))])


def families(tails: Sequence[Tail]) -> str:
    """Float32, the heaviest first: those with a row above half the limit."""
    own = sorted(tails_of(tails, "float32", "rows"), key=lambda t: -largest(t.bins))
    return table(["family", "rows", "above 1", "above 2", "above 4", "largest error below"],
                 [[t.family, f"{t.n:,}", *(f"{above(t.bins, x) / t.n:.2g}" for x in (1.0, 2.0, 4.0)), f"{largest(t.bins):.2g}"]
                  for t in own if above(t.bins, LIMIT / 2)])


def missed(run: Run) -> float:
    return 1 - run.cases_above / run.cases


def planted(runs: Sequence[Run]) -> str:
    def row(type_: str) -> list[object]:
        own = sorted([r for r in runs if r.type == type_ and r.planted], key=lambda r: -r.planted)
        caught = next((r for r in own if missed(r) <= 1 - CAUGHT), None)
        cells = [f"2^-{r.planted}: {1 - missed(r):.1%}" for r in own]
        return [type_, own[0].cases, f"2^-{caught.planted}" if caught else "none", ", ".join(cells)]
    return table(["type", "cases", "caught in 99 %", "caught, by the error"],
                 [row(t) for t in TYPES if any(r.type == t and r.planted for r in runs)])


def draw(program: Path, values: Sequence[tuple[str, float]], *arguments: str) -> str:
    lines = "".join(f"{label}\t{value:.17g}\n" for label, value in values)
    return subprocess.run([str(program), *arguments], input=lines, capture_output=True, text=True, check=True, timeout=60).stdout


def pictures(program: Path, runs: Sequence[Run], tails: Sequence[Tail]) -> dict[str, str]:
    """Names of files, and what is in them."""
    of_rows = tails_of(tails, "float32", "rows")
    bins, n = merged([t.bins for t in of_rows]), sum(t.n for t in of_rows)
    steps = [2.0 ** (e / 2) for e in range(-8, 8)]
    errors = [(f"{x:.3g}", above(bins, x) / n) for x in steps if above(bins, x)]
    found = sorted([r for r in runs if r.type == "float32" and r.planted], key=lambda r: r.planted)
    return {
        "judging-errors.svg": draw(program, errors, "log-line", "Float32: the share of rows of sound engines whose error is larger", "error in units of the noise",
                                   "share of rows", ""),
        "judging-planted.svg": draw(program, [(f"2^-{r.planted}", missed(r)) for r in found], "line", "Float32: the share of cases that miss a planted error",
                                    "relative error of every product", "share of cases", f"{1 - CAUGHT:.2g} missed"),
    }


def made(machine: str, runs: Sequence[Run], tails: Sequence[Tail]) -> str:
    parts = [f"Measured on {machine}.", "", rates(runs, tails), "By what differs from the engine's own kernels:", "", sources(runs), alarms(runs),
             "Families in float32 with a row above 2, the share of their rows above 1, 2 and 4:", "", families(tails),
             "Errors planted in every product:", "", planted(runs)]
    return "\n".join(parts)
