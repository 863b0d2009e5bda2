"""What the replays measured, summed up: the file from which docs/judging.md is made.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from scripts.judging.measure import counts
from scripts.judging.replays import Replay
from scripts.judging.tail import above, bin_of

LIMIT = 4.0  # CONF_NOISE_MULTIPLE
INFINITE = 10**6  # the bin of infinite errors
SCHEMA = "assay-judging/1"


@dataclasses.dataclass
class Run:
    """One replay. alarms: the case, and the bin of its largest error, of each case above the limit in rows or tensors; of a planted error, none."""
    name: str
    source: str
    type: str
    planted: int
    rows: int = 0
    tensors: int = 0
    cases: int = 0
    rows_above: int = 0
    tensors_above: int = 0
    cases_above: int = 0
    alarms: dict[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Tail:
    """The errors of one family in one type over all sound replays."""
    type: str
    family: str
    part: str
    n: int = 0
    bins: dict[int, int] = dataclasses.field(default_factory=dict)


def numbered(bins: dict[str, int]) -> dict[int, int]:
    return {INFINITE if b == "inf" else int(b): n for b, n in bins.items() if b != "0"}


def is_sound(run: Run | Replay) -> bool:
    """Sums of parts that are rounded to bfloat16 are no sums in float32 or better, as the noise in bfloat16 has them: they are listed apart."""
    return run.planted == 0 and run.source != "parts rounded to bfloat16"


def summed(replays: list[Replay], kept: Path) -> tuple[list[Run], list[Tail]]:
    runs, tails = [], {}
    for replay in replays:
        run, cases = Run(replay.name, replay.source, replay.type, replay.planted), set()
        for count in counts(replay, kept):
            bins = numbered(count.bins)
            over = above(bins, LIMIT)
            cases.add(count.case)
            setattr(run, count.part, getattr(run, count.part) + count.n)
            setattr(run, f"{count.part}_above", getattr(run, f"{count.part}_above") + over)
            if over:
                run.alarms[count.case] = max(run.alarms.get(count.case, 0), max(bins))
            if is_sound(run):
                tail = tails.setdefault((run.type, count.family, count.part), Tail(run.type, count.family, count.part))
                tail.n += count.n
                for b, n in bins.items():
                    tail.bins[b] = tail.bins.get(b, 0) + n
        run.cases, run.cases_above = len(cases), len(run.alarms)
        if run.planted:
            run.alarms = {}  # nearly all cases
        if cases:
            runs.append(run)
    return runs, [tails[key] for key in sorted(tails)]


def coarse(bins: dict[int, int]) -> dict[int, int]:
    """Half octaves below 1/2, where no tail is fitted: the file is a quarter as long."""
    low, found = bin_of(0.5), {}
    for b in sorted(bins):
        at = b if b >= low else b // 4 * 4
        found[at] = found.get(at, 0) + bins[b]
    return found


def write(path: Path, machine: str, runs: list[Run], tails: list[Tail]) -> None:
    lines = [json.dumps({"run": dataclasses.asdict(run)}) for run in runs] + [
        json.dumps({"tail": {**dataclasses.asdict(tail), "bins": coarse(tail.bins)}}) for tail in tails]
    path.write_text("\n".join([json.dumps({"schema": SCHEMA, "machine": machine}), *lines]) + "\n", encoding="utf-8")


def read(path: Path) -> tuple[str, list[Run], list[Tail]]:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    tails = [Tail(**line["tail"]) for line in lines if "tail" in line]
    for tail in tails:
        tail.bins = {int(b): n for b, n in tail.bins.items()}
    return lines[0]["machine"], [Run(**line["run"]) for line in lines if "run" in line], tails
