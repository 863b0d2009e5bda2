"""The state of a program while it is drawn: enough to avoid references to missing streams and arrays, and
to leave out programs whose outcome depends on a race in MLX. It computes no outcome: MLX does.

Left out, because our engines intentionally differ from MLX (observatory/FINDINGS.md, failed-array-reads):
reading, or computing from, an array whose evaluation met an error of a stream's work. Left out,
because the result depends on which of MLX's own threads is faster:

* On MLX's main thread, the first that made a stream of its own (mlx/utils.cpp, is_main_thread),
  an error is also thrown when work is submitted (mlx/scheduler.cpp). There an error may only occur in
  graphs of one stream, with at most one error, and no array of these graphs is used again.
* async_eval does not wait for its work. An error in that work may only occur in graphs of one
  stream, on a thread other than the main thread, and no array of these graphs is used again.
"""

from __future__ import annotations

import dataclasses
import struct
from typing import Hashable

Key = Hashable  # identifies the stream to which work is submitted: what a name refers to on a thread


@dataclasses.dataclass
class Stream:
    name: str
    device: str
    kind: str  # owned, shared, per-thread
    key: Key


@dataclasses.dataclass
class Array:
    name: str
    value: list[float]
    of: list["Array"]
    key: Key
    fails: bool  # its own operation fails: the inverse of an array with a 0
    state: str = "deferred"  # deferred, tried, realised, dead

    def dead(self) -> bool:
        return self.state == "dead" or any(array.dead() for array in self.of)


def rounded(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]


class Thread:
    def __init__(self) -> None:
        self.default: Key | None = None
        self.live: set[Key] = set()
        self.met: set[Key] = set()  # per-thread streams made on this thread; they are not made a second time
        self.scopes: list[Key] = []


class Model:
    def __init__(self) -> None:
        self.threads: dict[int, Thread] = {}
        self.streams: list[Stream] = []
        self.arrays: list[Array] = []
        self.shared: set[Key] = set()
        self.dirty: set[Key] = set()  # streams that may keep an error
        self.device_lost = False  # the default device has an index out of bounds
        self.main: int | None = None  # MLX's main thread
        self.n_keys = 0

    def start(self, thread: int) -> None:
        if thread not in self.threads:
            self.threads[thread] = Thread()

    def new_key(self, thread: int) -> Key:
        self.claim_main(thread)
        self.n_keys += 1
        self.threads[thread].live.add(self.n_keys)
        return self.n_keys

    def default(self, thread: int) -> Key:
        state = self.threads[thread]
        if state.default is None:
            state.default = self.new_key(thread)
        return state.default

    def new_stream(self, thread: int, name: str, device: str, kind: str) -> None:
        """Records a new stream. Making one on a missing device fails, except for per-thread streams."""
        if kind == "per-thread":
            self.streams.append(Stream(name, device, kind, name))
        elif device != "gpu" and kind == "shared":
            self.shared.add(name)
            self.streams.append(Stream(name, device, kind, name))
        elif device != "gpu":
            self.streams.append(Stream(name, device, kind, self.new_key(thread)))

    def name_default(self, thread: int, name: str | None, device: str) -> None:
        if device == "cpu":
            key = self.default(thread)
            if name:
                self.streams.append(Stream(name, "cpu", "owned", key))

    def resolve(self, thread: int, stream: Stream | None) -> Key | None:
        """The key of the stream to which the thread submits work; None if that fails."""
        if stream is None:
            return None if self.device_lost else self.default(thread)
        if stream.kind != "per-thread":
            return stream.key
        if stream.device == "gpu":
            return None
        key = stream.key, thread
        state = self.threads[thread]
        if key not in state.met:
            self.claim_main(thread)
            state.met.add(key)
            state.live.add(key)
        return key

    def set_default(self, thread: int, stream: Stream) -> None:
        if stream.device == "cpu":
            self.threads[thread].default = stream.key

    def enter(self, thread: int, stream: Stream) -> bool:
        if self.device_lost:
            return False
        before = self.default(thread)
        key = self.resolve(thread, stream)
        if key is None:
            return False
        if stream.device != "cpu":
            self.device_lost = True
            return False
        self.threads[thread].scopes.append(before)
        self.threads[thread].default = key
        return True

    def leave(self, thread: int) -> None:
        self.threads[thread].default = self.threads[thread].scopes.pop()
        self.device_lost = False

    def clear(self, thread: int) -> None:
        self.claim_main(thread)
        self.threads[thread].live.clear()

    def make(self, name: str, fn: str, n: int, of: list[Array], key: Key) -> None:
        value = {"arange": lambda: [float(i) for i in range(n)],
                 "square": lambda: [rounded(x * x) for x in of[0].value],
                 "negative": lambda: [-x for x in of[0].value],
                 "abs": lambda: [abs(x) for x in of[0].value],
                 "add": lambda: [rounded(x + y) for x, y in zip(of[0].value, of[1].value)],
                 "inverse": lambda: of[0].value}[fn]()
        self.arrays.append(Array(name, value, of, key, fn == "inverse"))

    def usable(self) -> list[Array]:
        return [array for array in self.arrays if not array.dead()]

    def graph(self, of: list[Array]) -> list[Array]:
        """The arrays that may have to be evaluated for `of`."""
        found: dict[str, Array] = {}
        rest = list(of)
        while rest:
            array = rest.pop()
            if array.state != "realised" and array.name not in found:
                found[array.name] = array
                rest += array.of
        return list(found.values())

    def claim_main(self, thread: int) -> None:
        """Records MLX's main thread: the first thread that makes a stream of its own, clears or synchronises."""
        self.main = thread if self.main is None else self.main

    def settled(self, thread: int, of: list[Array], waits: bool) -> bool:
        """Whether the outcome of evaluating `of` does not depend on a race."""
        graph = self.graph(of)
        keys = {array.key for array in graph}
        n_failing = sum(array.fails for array in graph)
        is_main = self.main in (None, thread)
        if not (n_failing or keys & self.dirty):
            return True
        if waits and not is_main:
            return True
        if not waits and is_main:
            return False
        return len(keys) == 1 and n_failing <= 1 and not (n_failing and keys & self.dirty)

    def evaluate(self, thread: int, of: list[Array], waits: bool) -> None:
        graph = self.graph(of)
        if not graph:
            return
        if not self.device_lost:
            self.default(thread)
        keys = {array.key for array in graph}
        failing = any(array.fails for array in graph)
        met = failing or bool(keys & self.dirty)
        can = not self.device_lost and keys <= self.threads[thread].live | self.shared
        for array in graph:
            dies = array.fails or (met and not (waits and thread != self.main))
            array.state = "dead" if dies else "realised" if can and not met else "tried"
        if met:
            self.dirty |= keys

    def keeps_error(self, thread: int, stream: Stream | None) -> bool:
        """Whether the stream may keep an error. Unlike resolve(), makes no per-thread stream."""
        if stream is None:
            return not self.device_lost and self.threads[thread].default in self.dirty
        key = stream.key if stream.kind != "per-thread" else (stream.key, thread)
        return key in self.dirty

    def synchronize(self, thread: int, stream: Stream | None) -> None:
        key = self.resolve(thread, stream)
        if key is not None:
            self.dirty.discard(key)
            self.claim_main(thread)
