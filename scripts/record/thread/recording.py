"""Records thread programs: the outcome of each step on MLX.

`python -m scripts.record.thread` writes fixtures/threads/published.json and random.json.gz. Each
program runs several times, each time in a fresh process; a program whose outcomes vary is left out, and
the file states how many were.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

from ..support.textual import write
from . import draw as thread_draw, published as thread_published

Step = dict[str, Any]

N_RANDOM = 800
N_RUNS = 5        # of each program
N_MORE_RUNS = 20  # additional runs of a program whose first runs differ
DIRECT_EVERY = 25  # one program in so many also runs in a process that was not forked
MACHINE = [sys.executable, "-m", "scripts.record.thread.machine"]
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith("MLX_")}


class Machines:
    """Runs programs on MLX in other processes; this process does not import MLX."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(MACHINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=PLAIN)
        self.version: str = json.loads(self.process.stdout.readline())

    def __enter__(self) -> "Machines":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()

    def forked(self, program: list[Step]) -> str:
        self.process.stdin.write(json.dumps(program) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def direct(self, program: list[Step]) -> str:
        return subprocess.run([*MACHINE, "--direct"], input=json.dumps(program) + "\n", text=True,
                              stdout=subprocess.PIPE, check=True, env=PLAIN).stdout

    def outcome(self, program: list[Step], direct: bool) -> list[Any] | None:
        """The program's outcome; None if it varies, or if a run hangs."""
        found = {self.forked(program) for _ in range(N_RUNS)}
        if direct:
            found.add(self.direct(program))
        if len(found) > 1:
            found |= {self.forked(program) for _ in range(N_MORE_RUNS)}
        outcome = json.loads(found.pop())
        return None if found else outcome


def document(version: str, recorder: str, catches: str, groups: dict[str, list[Any]]) -> Any:
    return {"schema": "assay/1", "kind": "threads",
            "source": f"mlx {version} on a CPU", "recorder": recorder, "catches": catches,
            "groups": [{"name": name, "vectors": vectors} for name, vectors in groups.items()]}


def vector(number: int, comment: str, program: list[Step], outcome: list[Any]) -> Any:
    return {"id": number, "comment": comment, "flags": [], "input": {"program": program},
            "expect": {"outcome": outcome}}


def record_published(machines: Machines) -> Any:
    groups: dict[str, list[Any]] = {}
    for name, programs in thread_published.groups().items():
        for number, (comment, program) in programs.items():
            outcome = machines.outcome(program, direct=True)
            if outcome is None:
                raise RuntimeError(f"threads/published: {name} {number}: its outcome varies")
            groups.setdefault(name, []).append(vector(number, comment, program, outcome))
    return document(machines.version,
                    f"scripts/record/threads.py; each program {N_RUNS + 1} times",
                    "an array that is evaluated elsewhere than on the thread its stream lives on, "
                    "a default stream that threads share, an error that is dropped", groups)


def record_random(machines: Machines, seed: int, n: int) -> Any:
    groups: dict[str, list[Any]] = {about: [] for about in thread_draw.ABOUT}
    n_left_out = 0
    for number in range(1, n + 1):
        about, program = thread_draw.draw(seed, number)
        outcome = machines.outcome(program, direct=number % DIRECT_EVERY == 0)
        if outcome is None:
            n_left_out += 1
            print(f"threads {seed} {number}: left out, its outcome varies", file=sys.stderr)
            continue
        groups[about].append(vector(number, f"drawn: {about}", program, outcome))
    return document(machines.version,
                    f"scripts/record/threads.py, seed {seed}, {n} programs, each {N_RUNS} times; "
                    f"{n_left_out} left out whose outcomes varied",
                    "a rule of streams, threads or deferred arrays that is not MLX's", groups)


def kind(outcome: Any) -> str:
    if outcome == "ok":
        return "ok"
    (name, value), = outcome.items()
    if name != "error":
        return name
    for words, short in (("There is no Stream", "no stream"), ("LU factor", "work failed"),
                         ("_M_range_check", "index"), ("gpu stream", "no gpu")):
        if words in value:
            return short
    return value


def counts(document: dict[str, Any]) -> Iterator[str]:
    """The lines of a table: how often each operation has each kind of outcome."""
    table: collections.Counter[tuple[str, str]] = collections.Counter()
    for group in document["groups"]:
        for one in group["vectors"]:
            for step, outcome in zip(one["input"]["program"], one["expect"]["outcome"]):
                op = step["op"] if step["op"] != "make" else f"make {step['fn']}"
                table[op, kind(outcome)] += 1
    kinds = sorted({name for _, name in table})
    yield f"{'':26s}" + "".join(f"{name:>12s}" for name in kinds)
    for op in sorted({name for name, _ in table}):
        yield f"{op:26s}" + "".join(f"{table[op, name] or '':>12}" for name in kinds)


def record(out: Path, seed: int, n: int = N_RANDOM) -> list[str]:
    """Writes both files; returns their names relative to `out`."""
    with Machines() as machines:
        for name, made in (("published.json", record_published(machines)),
                           ("random.json.gz", record_random(machines, seed, n))):
            write(out / name, made)
            n_vectors = sum(len(group["vectors"]) for group in made["groups"])
            print(f"threads/{name}: {n_vectors} programs")
            print("\n".join(counts(made)), flush=True)
    return ["published.json", "random.json.gz"]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.thread",
                                     description="Records programs of threads on MLX.")
    parser.add_argument("--seed", type=int, default=0, help="of the random programs (default: 0)")
    parser.add_argument("--random", type=int, metavar="N", default=N_RANDOM,
                        help=f"how many random programs (default: {N_RANDOM})")
    parser.add_argument("--out", type=Path, default=Path("fixtures/threads"),
                        help="directory that receives published.json and random.json.gz "
                             "(default: fixtures/threads)")
    options = parser.parse_args(arguments)
    if options.random < 0:
        parser.error("--random takes a number of programs")
    try:
        record(options.out, options.seed, options.random)
    except (RuntimeError, OSError) as error:
        print(f"record: {error}", file=sys.stderr)
        return 1
    return 0
