"""Reproduces the entries of observatory/FINDINGS.md about threads of MLX.

`python -m observatory.findings.threads NAME` prints the behaviour of MLX. The exit status is 1 if MLX
behaves as the entry claims, and 0 if not. `--all` runs every entry; `--list` lists them.
"""

from __future__ import annotations

import collections
import importlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from scripts.record.thread.published import parse
from scripts.record.thread.recording import Machines

from .shown import choose

SCALED = {
    "llama3": {"factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    "yarn": {"factor": 4.0},
    "longrope": {"short_factor": [1.0] * 8, "long_factor": [2.0] * 8},
    "proportional": {"partial_rotary_factor": 0.5},
}
SHOWN: dict[str, Callable[[], bool]] = {}


def shows(function: Callable[[], bool]) -> Callable[[], bool]:
    SHOWN[function.__name__.replace("_", "-")] = function
    return function


def outcomes(text: str, most: int = 1) -> list[list[Any]]:
    """The different outcomes of a program, most frequent first. Runs it `most` times, or until two runs differ; prints
    the outcomes of steps that are not always "ok"."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    program = [parse(line) for line in lines]
    counted: collections.Counter[str] = collections.Counter()
    with Machines() as machines:
        while counted.total() < most and len(counted) < 2:
            counted[machines.forked(program)] += 1
    n_runs = counted.total()
    found = [json.loads(outcome) for outcome, _ in counted.most_common()]
    for outcome, (_, times) in zip(found, counted.most_common()):
        print(f"  {times} of {n_runs} runs")
        for number, line in enumerate(lines):
            if any(other[number] != "ok" for other in found):
                print(f"    {line:28s}{json.dumps(outcome[number])}")
    return found


@shows
def failed_array_reads() -> bool:
    """An array whose evaluation met an error reads afterwards as if it had been computed."""
    (found,) = outcomes("""
        0: default_stream
        1: a = arange 1
        1: b = inverse a
        1: eval b
        1: read b""")
    return found[-1] == {"value": [0.0]}


@shows
def main_thread_races() -> bool:
    """If the first thread submits work that fails, a race decides which call raises the error."""
    chain = "".join(f"0: c{i + 1} = negative c{i}\n" for i in range(30))
    return len(outcomes(f"""
        0: a = arange 1
        0: c0 = inverse a
        {chain}
        0: async_eval c30
        0: synchronize
        0: read c30""", 5000)) > 1


@shows
def lost_device() -> bool:
    """A scope that cannot be entered changes the default device to its own, for all threads."""
    (found,) = outcomes("""
        0: s = new_stream cpu:1
        0: enter_scope s
        1: a = arange 2""")
    return found[-1] != "ok"


def joined(call: Callable[[], Any]) -> Any:
    """(result or error message of the call on a new thread, the thread's id), after the system's thread has ended."""
    said: list[Any] = []

    def run() -> None:
        try:
            said.append(call())
        except RuntimeError as error:
            said.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    while os.path.exists(f"/proc/self/task/{thread.native_id}"):
        time.sleep(0.001)
    return said[0], thread.ident


@shows
def ended_thread() -> bool:
    """A thread that gets the id of one that has ended evaluates on its streams."""
    import mlx.core as mx
    built, ended = joined(lambda: mx.square(mx.arange(4)))
    same, same_id = joined(lambda: mx.abs(built).tolist())
    print(f"  id {ended} ended; id {same_id}: {same}")

    again, ended = joined(lambda: mx.square(mx.arange(4)))
    end = threading.Event()
    between = threading.Thread(target=end.wait)  # takes the id
    between.start()
    other, other_id = joined(lambda: mx.abs(again).tolist())
    end.set()
    print(f"  id {ended} ended; id {other_id}: {other}")
    return same != other


@shows
def deferred_rope_tables() -> bool:
    """Scaled ropes without a model, made on one thread and applied on another: mlx-lm's and mlx-vlm's."""
    import mlx.core as mx
    builder, other = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
    other.submit(mx.default_stream, mx.cpu).result()
    fails = False
    for system in ("mlx_lm", "mlx_vlm"):
        try:
            ropes = importlib.import_module(f"{system}.models.rope_utils")
        except ImportError:
            print(f"  {system} is not installed")
            continue
        for kind, scaling in SCALED.items():
            config = {"type": kind, "original_max_position_embeddings": 32} | scaling
            rope = builder.submit(ropes.initialize_rope, 16, 1e4, False, config, 64).result()
            error = other.submit(lambda: mx.eval(rope(mx.ones((1, 2, 4, 16))))).exception()
            print(f"  {system} {kind}: {error or 'runs'}")
            fails |= error is not None
    return fails


def main(arguments: list[str]) -> int:
    shown = False
    for name in choose("findings.threads", SHOWN, arguments):
        print(f"{name}: {SHOWN[name].__doc__}", flush=True)
        shown |= SHOWN[name]()
    return 1 if shown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
