"""Runs thread programs on MLX, each in a fresh process.

`python -m scripts.record.thread.machine` reads programs, one JSON array of steps per line, and prints a
line with the outcomes of each, or null if it hung or the process crashed. Each program runs in a child
that was forked before any stream was made. With `--direct` a single program runs in this process: the
recorder compares the two.

Steps run strictly one after the other, each on the thread that it names. scripts/record/README.md
defines the operations.
"""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import sys
import threading
import time
from typing import Any

import mlx.core as mx

SECONDS = 20  # timeout of a program

Step = dict[str, Any]


def device(step: Step) -> mx.Device:
    kind, _, index = step.get("device", "cpu").partition(":")
    return mx.Device(mx.gpu if kind == "gpu" else mx.cpu, int(index or 0))


def array(name: str, of: list[mx.array], step: Step, where: dict[str, Any]) -> mx.array:
    """Makes an array, only with operations that use no other stream than the one in `where`, or the default."""
    if name == "arange":
        return mx.arange(step["n"], dtype=mx.float32, **where)
    if name == "inverse":
        matrices = mx.reshape(of[0], (of[0].size, 1, 1), **where)
        return mx.reshape(mx.linalg.inv(matrices, **where), (of[0].size,), **where)
    return getattr(mx, name)(*of, **where)


class Machine:
    """The names of a program and the scopes of its threads."""

    def __init__(self) -> None:
        self.streams: dict[str, Any] = {}
        self.arrays: dict[str, mx.array] = {}
        self.scopes: dict[int, list[Any]] = {}

    def run(self, step: Step) -> Any:
        return getattr(self, step["op"])(step) or "ok"

    def new_stream(self, step: Step) -> None:
        self.streams[step["as"]] = mx.new_stream(device(step))

    def new_thread_local_stream(self, step: Step) -> None:
        self.streams[step["as"]] = mx.new_thread_local_stream(device(step))

    def new_thread_unsafe_stream(self, step: Step) -> None:
        self.streams[step["as"]] = mx.new_thread_unsafe_stream(device(step))

    def default_stream(self, step: Step) -> dict[str, int]:
        stream = mx.default_stream(device(step))
        if "as" in step:
            self.streams[step["as"]] = stream
        return {"index": int(repr(stream).rstrip(")").rpartition(",")[2])}

    def set_default_stream(self, step: Step) -> None:
        mx.set_default_stream(self.streams[step["stream"]])

    def enter_scope(self, step: Step) -> None:
        scope = mx.stream(self.streams[step["stream"]])
        scope.__enter__()
        self.scopes.setdefault(step["thread"], []).append(scope)

    def leave_scope(self, step: Step) -> None:
        self.scopes[step["thread"]].pop().__exit__(None, None, None)

    def clear_streams(self, step: Step) -> None:
        mx.clear_streams()

    def synchronize(self, step: Step) -> None:
        if "stream" in step:
            mx.synchronize(self.streams[step["stream"]])
        else:
            mx.synchronize()

    def make(self, step: Step) -> None:
        names = step.get("of", [])
        of = [self.arrays[name] for name in ([names] if isinstance(names, str) else names)]
        if "scope" in step:
            with mx.stream(self.streams[step["scope"]]):
                self.arrays[step["as"]] = array(step["fn"], of, step, {})
        else:
            where = {"stream": self.streams[step["stream"]]} if "stream" in step else {}
            self.arrays[step["as"]] = array(step["fn"], of, step, where)

    def eval(self, step: Step) -> None:
        mx.eval([self.arrays[name] for name in step["of"]])

    def async_eval(self, step: Step) -> None:
        mx.async_eval([self.arrays[name] for name in step["of"]])

    def read(self, step: Step) -> dict[str, list[float]]:
        return {"value": self.arrays[step["of"]].tolist()}


class Worker:
    """One thread of a program."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.steps: queue.SimpleQueue[Step | None] = queue.SimpleQueue()
        self.outcomes: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self.loop, daemon=True)
        self.thread.start()

    def loop(self) -> None:
        while (step := self.steps.get()) is not None:
            try:
                self.outcomes.put(self.machine.run(step))
            except (ValueError, IndexError, RuntimeError) as error:
                self.outcomes.put({"error": str(error)})

    def run(self, step: Step) -> Any:
        self.steps.put(step)
        return self.outcomes.get()

    def exit(self) -> str:
        """Ends the thread, and waits until the system's thread and its thread-local data are gone: Python's join()
        returns earlier."""
        task = f"/proc/self/task/{self.thread.native_id}"
        self.steps.put(None)
        self.thread.join()
        while os.path.exists(task):
            time.sleep(0.0005)
        return "ok"


def run(program: list[Step]) -> list[Any]:
    """Runs a program in this process; returns its outcomes. Starts all threads first: a thread that is started after
    another has ended may get its id, and MLX takes both for the same thread (observatory/FINDINGS.md, ended-thread)."""
    machine = Machine()
    workers = {number: Worker(machine) for number in sorted({step["thread"] for step in program})}
    return [workers[step["thread"]].exit() if step["op"] == "exit"
            else workers[step["thread"]].run(step) for step in program]


def forked(program: list[Step]) -> str:
    """The outcomes as JSON, from a child process; null if it hangs or crashes."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as out:
            json.dump(run(program), out)
        os._exit(0)
    os.close(writer)
    text = ""
    with os.fdopen(reader) as answer:
        if select.select([answer], [], [], SECONDS)[0]:
            text = answer.read()
        else:
            os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return text or "null"


def main(arguments: list[str]) -> int:
    if arguments == ["--direct"]:
        print(json.dumps(run(json.loads(sys.stdin.readline()))), flush=True)
        os._exit(0)  # the program's threads are still waiting for steps
    print(json.dumps(mx.__version__), flush=True)
    for line in sys.stdin:
        print(forked(json.loads(line)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
