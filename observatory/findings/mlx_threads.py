"""Runs models of mlx-lm across threads: which ropes fail, and which workaround helps.

`scripts/mlx-threads` builds a tiny model with random weights for every kind of rope on one thread,
runs it by each schedule, and prints whether the logits are bit-identical to those of a single-threaded
run, or the error. Every table cell is measured in a process of its own, forked before any stream was made.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models import cache, gemma4_text, llama, phi3

PROMPT = [3, 14, 15, 9, 26, 5, 35, 8]
FORCED = [31, 41, 59, 26, 53]
N_SESSIONS = 4
SECONDS = 60
EQUAL = "equal bits"
NOT_HERE = re.compile(r"There is no (Stream\(.*\)) in current thread\.")

COMMON = {"hidden_size": 32, "num_hidden_layers": 2, "intermediate_size": 48,
          "num_attention_heads": 4, "num_key_value_heads": 2, "rms_norm_eps": 1e-6,
          "vocab_size": 64, "max_position_embeddings": 64}


def llama_model(**scaling: Any) -> nn.Module:
    return llama.Model(llama.ModelArgs(model_type="llama", rope_scaling=scaling or None, **COMMON))


def phi3_model() -> nn.Module:
    scaling = {"type": "longrope", "short_factor": [1.0] * 4, "long_factor": [1.0, 1.5, 2.0, 4.0]}
    return phi3.Model(phi3.ModelArgs(model_type="phi3", rope_scaling=scaling,
                                     original_max_position_embeddings=32, **COMMON))


def gemma4_model() -> nn.Module:
    """One layer with a sliding window and plain rope, one with proportional rope."""
    return gemma4_text.Model(gemma4_text.ModelArgs(
        head_dim=8, global_head_dim=16, vocab_size_per_layer_input=64, num_kv_shared_layers=0,
        hidden_size_per_layer_input=0, sliding_window=6, sliding_window_pattern=2, **COMMON))


ROPES: dict[str, Callable[[], nn.Module]] = {
    "plain": llama_model,
    "linear": lambda: llama_model(type="linear", factor=2.0),
    "dynamic": lambda: llama_model(type="dynamic", factor=2.0),
    "llama3": lambda: llama_model(type="llama3", factor=4.0, low_freq_factor=1.0,
                                  high_freq_factor=4.0, original_max_position_embeddings=32),
    "yarn": lambda: llama_model(type="yarn", factor=4.0, original_max_position_embeddings=32),
    "longrope": phi3_model,
    "proportional": gemma4_model,
}


def arrays_below(thing: Any) -> Iterator[mx.array]:
    """Every array that a module holds, private ones included."""
    if isinstance(thing, mx.array):
        yield thing
        return
    parts: list[Any] = list(thing) if isinstance(thing, (list, tuple)) else []
    if isinstance(thing, dict):  # mlx modules are dicts
        parts += thing.values()
    if isinstance(thing, nn.Module):
        parts += vars(thing).values()
    for part in parts:
        yield from arrays_below(part)


def nothing(build: Callable[[], nn.Module]) -> nn.Module:
    return build()


def parameters(build: Callable[[], nn.Module]) -> nn.Module:
    """Evaluates the parameters, as mlx_lm.load does."""
    model = build()
    mx.eval(model.parameters())
    return model


def everything(build: Callable[[], nn.Module]) -> nn.Module:
    model = build()
    mx.eval(list(arrays_below(model)))
    return model


def unsafe_stream(build: Callable[[], nn.Module]) -> nn.Module:
    """Evaluates the parameters as mlx_lm.load does, with all work on a stream that any thread may use."""
    with mx.stream(mx.new_thread_unsafe_stream(mx.cpu)):
        return parameters(build)


REMEDIES: dict[str, Callable[[Callable[[], nn.Module]], nn.Module]] = {
    "nothing evaluated": nothing, "parameters only": parameters, "all arrays": everything,
    "thread-unsafe stream": unsafe_stream}


class Session:
    """One sample in progress: a model, its cache, and the logits so far."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.cache = cache.make_prompt_cache(model)
        self.logits: list[list[float]] = []

    def take(self, tokens: list[int]) -> None:
        logits = self.model(mx.array([tokens]), cache=self.cache)[0].astype(mx.float32)
        self.logits += logits.tolist()

    def whole(self) -> list[list[float]]:
        self.take(PROMPT)
        for token in FORCED:
            self.take([token])
        return self.logits


class Threads:
    """Threads by name, all started before anything runs; each executes one call at a time."""

    def __init__(self, *names: str) -> None:
        self.pools = {name: ThreadPoolExecutor(1) for name in names}
        ready = threading.Barrier(len(names) + 1)
        for pool in self.pools.values():
            pool.submit(ready.wait)
        ready.wait()

    def on(self, name: str, call: Callable[..., Any], *arguments: Any) -> Any:
        return self.pools[name].submit(call, *arguments).result()

    def at_once(self, names: list[str], call: Callable[[], Any]) -> list[Any]:
        futures = [self.pools[name].submit(call) for name in names]
        return [future.result() for future in futures]


Build = Callable[[], nn.Module]


def same_thread(build: Build) -> list[Any]:
    threads = Threads("a")
    model = threads.on("a", build)
    return [threads.on("a", lambda: Session(model).whole())]


def other_thread(build: Build) -> list[Any]:
    threads = Threads("a", "b")
    model = threads.on("a", build)
    return [threads.on("b", lambda: Session(model).whole())]


def pool(build: Build) -> list[Any]:
    """The cache is made on one thread; the steps run on a pool of threads in turn."""
    threads = Threads("a", "0", "1", "2")
    model = threads.on("a", build)
    session = threads.on("0", Session, model)
    for step, tokens in enumerate((PROMPT, *([token] for token in FORCED))):
        threads.on(str(step % 3), session.take, tokens)
    return [session.logits]


def sessions(build: Build) -> list[Any]:
    names = [str(number) for number in range(N_SESSIONS)]
    threads = Threads("a", *names)
    model = threads.on("a", build)
    return threads.at_once(names, lambda: Session(model).whole())


def ended_worker(build: Build) -> list[Any]:
    threads = Threads("worker", "b")
    model = threads.on("worker", build)
    threads.pools["worker"].shutdown()
    return [threads.on("b", lambda: Session(model).whole())]


SCHEDULES: dict[str, Callable[[Build], list[Any]]] = {
    "built and run on one thread": same_thread,
    "built on one, run on another": other_thread,
    "one cache round a pool of 3": pool,
    f"{N_SESSIONS} sessions at once": sessions,
    "loaded by a worker that ends": ended_worker,
}


def seeded(rope: str, remedy: str) -> nn.Module:
    mx.random.seed(7)
    return REMEDIES[remedy](ROPES[rope])


def answer(rope: str, schedule: str, remedy: str) -> str:
    """JSON: the logits of every session, or the error message."""
    try:
        return json.dumps(SCHEDULES[schedule](lambda: seeded(rope, remedy)))
    except (RuntimeError, ValueError, IndexError) as error:
        return json.dumps(str(error))


def in_child(*cell: str) -> Any:
    """The result of `answer` in a forked process; "hangs" or "crash" if it has none."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as out:
            out.write(answer(*cell))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as said:
        text = said.read() if select.select([said], [], [], SECONDS)[0] else "hangs"
    if text == "hangs":
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if not text.startswith(("[", '"')):
        return text or "crash"
    return json.loads(text)


def outcome(rope: str, schedule: str, remedy: str, serial: Any, n_runs: int) -> str:
    """EQUAL if every run is bit-identical to `serial`, else the first other outcome."""
    for _ in range(n_runs):
        found = in_child(rope, schedule, remedy)
        if isinstance(found, str):
            return NOT_HERE.sub(r"no \1", found)
        if any(logits != serial for logits in found):
            return "other logits"
    return EQUAL


def table(n_runs: int) -> list[tuple[str, ...]]:
    """Rows: kinds of rope with equal outcomes, schedule, and an outcome for each remedy."""
    alike: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for rope in ROPES:
        (serial,) = in_child(rope, "built and run on one thread", "nothing evaluated")
        rows = tuple((schedule, *(outcome(rope, schedule, remedy, serial, n_runs)
                                  for remedy in REMEDIES)) for schedule in SCHEDULES)
        print(f"{rope}: done", file=sys.stderr, flush=True)
        alike.setdefault(rows, []).append(rope)
    return [(", ".join(ropes), *row) for rows, ropes in alike.items() for row in rows]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/mlx-threads",
                                     description="Runs models of mlx-lm across threads.")
    parser.add_argument("--runs", type=int, default=5, help="of every cell (default: 5)")
    parser.add_argument("--tsv", type=Path, help="write the table there, too")
    options = parser.parse_args(arguments)
    if options.runs < 1:
        parser.error("--runs takes a positive number")
    rows = [("rope", "schedule", *REMEDIES), *table(options.runs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print('\nno Stream(cpu, N): "There is no Stream(cpu, N) in current thread."')
    if options.tsv:
        options.tsv.write_text("".join("\t".join(row) + "\n" for row in rows))
    return 1 if any(cell != EQUAL for row in rows[1:] for cell in row[2:]) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
