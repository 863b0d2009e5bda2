"""Measures engines and peers on one checkpoint, in turn, and prints a table of ratios.

    python -m scripts.peers --assay build/conformance/assay --engine ref32 --model DIR
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from .systems import SYSTEMS

FIRST_PROMPT = 16  # as in assay bench


class Point(NamedTuple):
    measure: str
    prompt: int
    batch: int = 1

    def __str__(self) -> str:
        name = {"first token": "first token of", "prefill": "prefill", "decode": "decode after"}
        many = f", {self.batch} x" if self.batch > 1 else ""
        return f"{name[self.measure]} {self.prompt}{many}"


class Time(NamedTuple):
    speed: float  # tokens per second; of the first token 1 / seconds
    peak: float   # bytes


Results = dict[tuple[str, Point], list[Time]]


def points(options: argparse.Namespace) -> list[Point]:
    return [Point("first token", FIRST_PROMPT), *(Point("prefill", n) for n in options.prompt),
            *(Point("decode", n, b) for n in options.context for b in options.batch)]


def ask(command: list[str], seconds: float) -> tuple[dict[str, Any] | None, str]:
    """What a process printed as JSON in its last line or as a whole, or None and why not."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, f"no answer within {seconds:g} s"
    lines = done.stdout.strip().splitlines()
    for text in (done.stdout, lines[-1] if lines else ""):
        try:
            return json.loads(text), ""
        except ValueError:
            continue
    said = done.stderr.strip().splitlines()
    return None, said[-1] if said else f"exit status {done.returncode}"


def measure_peer(name: str, point: Point, options: argparse.Namespace,
                 seed: int) -> tuple[Time | None, str]:
    answer, why = ask(
        [sys.executable, "-m", "scripts.peers.measure", "--peer", name,
         "--model", str(options.model), "--measure", point.measure,
         "--prompt", str(point.prompt), "--batch", str(point.batch),
         "--tokens", str(options.tokens), "--seed", str(seed), "--asked", repr(time.monotonic())],
        options.timeout)
    if answer is None:
        return None, why
    tokens = {"first token": 1, "prefill": point.prompt * point.batch,
              "decode": answer["steps"] * point.batch}[point.measure]
    return Time(tokens / answer["seconds"], answer["peak_bytes"]), ""


def measure_assay(options: argparse.Namespace,
                  seed: int) -> tuple[dict[tuple[str, Point], Time], list[str]]:
    """All points of all engines. Batches have a call each: prefill is wanted of one alone."""
    found: dict[tuple[str, Point], Time] = {}
    troubles: list[str] = []
    for batch in sorted({1, *options.batch}):
        prompts = options.prompt if batch == 1 else [1]
        answer, why = ask(
            [str(options.assay), "bench", "--model", str(options.model), "--repeat", "1",
             "--json", "-", "--tokens", str(options.tokens), "--seed", str(seed),
             "--batch", str(batch),
             "--timeout", str(options.timeout),
             *(word for name in options.engine for word in ("--engine", name)),
             *(word for n in prompts for word in ("--prompt", str(n))),
             *(word for n in options.context for word in ("--context", str(n)))],
            100 * options.timeout)
        if answer is None:
            troubles.append(f"assay bench: {why}")
            continue
        for one in answer["results"]:
            point = Point(one["measure"], one["prompt"], one["batch"])
            if one["best"] is None:
                troubles.append(f"{one['engine']}, {point}: {one['reason']}")
            elif (one["engine"], point) not in found:
                found[one["engine"], point] = Time(one["best"], one["peak_bytes"])
    return found, troubles


def installed(options: argparse.Namespace) -> list[str]:
    """The peers that are there; the others are named."""
    there = []
    for name in options.peer or SYSTEMS:
        answer, why = ask([sys.executable, "-m", "scripts.peers.measure", "--peer", name,
                           "--version"], options.timeout)
        print(f"{name}: {answer['version'] if answer else 'missing: ' + why}")
        if answer:
            there.append(name)
    return there


def measure_all(options: argparse.Namespace, peers: list[str]) -> Results:
    """Everyone in each repetition, in turn; who fails once at a point is not asked there again."""
    results: Results = {}
    failed: set[str] = set()

    def trouble(text: str) -> None:
        if text not in failed:
            print(f"no speed: {text}")
        failed.add(text)

    broken: set[tuple[str, Point]] = set()
    for repeat in range(options.repeat):
        if options.engine:
            found, troubles = measure_assay(options, repeat)
            for key, value in found.items():
                results.setdefault(key, []).append(value)
            for text in troubles:
                trouble(text)
        for point in points(options):
            for name in peers:
                if (name, point) in broken:
                    continue
                one, why = measure_peer(name, point, options, repeat)
                if one is None:
                    broken.add((name, point))
                    trouble(f"{name}, {point}: {why}")
                else:
                    results.setdefault((name, point), []).append(one)
    return results


def speed_text(point: Point, times: list[Time] | None) -> str:
    if not times:
        return "-"
    best = max(time.speed for time in times)
    return f"{1 / best:.3g} s" if point.measure == "first token" else f"{best:.4g}"


def table(options: argparse.Namespace, peers: list[str], results: Results) -> None:
    """Best speeds; then, for each engine, its best as a multiple of the best peer's."""
    systems = [*options.engine, *peers]
    width = max(12, *(len(Path(name).name) + 2 for name in systems))
    print(f"\n{'tokens/s':24}" + "".join(f"{Path(name).name:>{width}}" for name in systems)
          + "".join(f"{Path(name).name + '/peer':>{width + 5}}" for name in options.engine))
    for point in points(options):
        line = f"{str(point):24}"
        for name in systems:
            line += f"{speed_text(point, results.get((name, point))):>{width}}"
        best = {name: max(t.speed for t in results[name, point]) for name in systems
                if (name, point) in results}
        rival = max((best[name] for name in peers if name in best), default=0)
        for name in options.engine:
            known = name in best and rival > 0
            line += f"{best[name] / rival:>{width + 5}.2f}" if known else f"{'-':>{width + 5}}"
        print(line)
    first = points(options)[0]
    print(f"{'memory, MiB':24}" + "".join(
        f"{max(t.peak for t in results[name, first]) / 2**20:>{width}.0f}"
        if (name, first) in results else f"{'-':>{width}}" for name in systems))
    print("\nBest of the repetitions. A ratio above 1 leads the best peer. assay bench asks "
          "for the logits of every\ntoken of a prompt where an engine has no prefill_last; peers "
          "compute those of the last. Memory:\nof the process of the first token.")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.peers",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--assay", type=Path, required=True, help="the program")
    parser.add_argument("--model", type=Path, required=True, help="checkpoint")
    parser.add_argument("--engine", action="append", default=[], help="measured by assay bench")
    parser.add_argument("--peer", action="append", choices=SYSTEMS, help="default: all")
    parser.add_argument("--prompt", type=int, action="append", help="default: 512 and 2048")
    parser.add_argument("--context", type=int, action="append", help="default: 16 and 1024")
    parser.add_argument("--batch", type=int, action="append", help="default: 1 and 8")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each measurement")
    options = parser.parse_args(arguments)
    options.prompt = options.prompt or [512, 2048]
    options.context = options.context or [16, 1024]
    options.batch = options.batch or [1, 8]
    peers = installed(options)
    if not peers:
        print("no peer is installed: see scripts/bench-peers", file=sys.stderr)
        return 77
    table(options, peers, measure_all(options, peers))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
