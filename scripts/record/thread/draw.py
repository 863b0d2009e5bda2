"""Draws thread programs; model.py describes which programs are left out."""

from __future__ import annotations

import random
from typing import Any

from .model import Array, Model, Stream

Step = dict[str, Any]

N_STEPS = 4, 30
N_THREADS = 1, 5
LARGEST = 1e4  # largest element of an array that operations still use

# How often each operation is tried: weights common to all programs, and those of each topic.
COMMON = {"make": 8, "eval": 4, "read": 5, "new_stream": 2, "default_stream": 1, "synchronize": 1,
          "exit": 0.3, "new_thread_local_stream": 0.3, "new_thread_unsafe_stream": 0.3,
          "set_default_stream": 0.5, "enter_scope": 0.4, "leave_scope": 2, "async_eval": 0.7,
          "clear_streams": 0.15, "invert": 0.5}
# "invert" makes the inverse of an array with an element 0: every arange has one, and so has every array made from it.
ABOUT: dict[str, dict[str, float]] = {
    "graphs": {"make": 12, "eval": 5},
    "streams": {"new_stream": 4, "set_default_stream": 2, "default_stream": 2, "synchronize": 2},
    "scopes": {"enter_scope": 3, "leave_scope": 6, "default_stream": 2},
    "per-thread": {"new_thread_local_stream": 3, "default_stream": 2},
    "shared": {"new_thread_unsafe_stream": 3},
    "ends": {"exit": 2, "clear_streams": 1, "new_stream": 3},
    "async": {"async_eval": 5, "synchronize": 3},
    "errors": {"invert": 10, "synchronize": 4, "async_eval": 4, "new_thread_unsafe_stream": 1,
               "make": 5},
    "devices": {"new_stream": 4, "new_thread_local_stream": 3, "default_stream": 2,
                "new_thread_unsafe_stream": 1, "set_default_stream": 2, "enter_scope": 1,
                "make": 12},
}
OFTEN = {"errors": 4, "devices": 2}


class Draw:
    """One program. Each method named after an operation returns a step, or None if there is nothing it can refer
    to."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.model = Model()
        self.about = rng.choices(list(ABOUT), [OFTEN.get(about, 1) for about in ABOUT])[0]
        self.weights = COMMON | ABOUT[self.about]
        self.threads = list(range(rng.randint(*N_THREADS)))
        self.n_steps = rng.randint(*N_STEPS)
        self.steps: list[Step] = []
        self.n_names = 0

    def program(self) -> list[Step]:
        thread = self.threads[0]
        if len(self.threads) > 1 and self.about == "errors" and self.rng.random() < 0.8:
            self.begin(thread)
        while len(self.steps) < self.n_steps and self.threads:
            if thread not in self.threads or self.rng.random() < 0.4:
                thread = self.pick()
            op = self.rng.choices(list(self.weights), list(self.weights.values()))[0]
            self.step(thread, op)
            if op == "invert" and self.rng.random() < 0.8:
                self.meet(thread)
        return self.steps[:self.n_steps]

    def pick(self) -> int:
        """The thread of the next step. Topic "errors" prefers threads other than the main one, where more errors may
        be met."""
        others = [thread for thread in self.threads if thread != self.model.main]
        if others and self.about == "errors" and self.rng.random() < 0.7:
            return self.rng.choice(others)
        return self.rng.choice(self.threads)

    def step(self, thread: int, op: str) -> None:
        self.model.start(thread)
        step = getattr(self, op)(thread)
        if step is not None:
            self.steps.append({"thread": thread, "op": {"invert": "make"}.get(op, op)} | step)

    def begin(self, thread: int) -> None:
        """Makes this thread MLX's main thread, so that errors can be met on other threads."""
        self.step(thread, "make")
        self.step(thread, "eval")

    def meet(self, thread: int) -> None:
        """Evaluates the inverse, and synchronises if an error may be pending in a stream."""
        op = self.rng.choice(("eval", "read", "async_eval", "async_eval", "make"))
        self.step(thread, op)
        if self.model.dirty and self.rng.random() < 0.7:
            self.step(self.rng.choice((thread, thread, *self.threads)), "synchronize")

    def name(self, letter: str) -> str:
        self.n_names += 1
        return f"{letter}{self.n_names}"

    def late(self) -> bool:
        return len(self.steps) > self.n_steps * 2 // 3

    def device(self) -> str:
        odd = 0.5 if self.about == "devices" else 0.02
        return self.rng.choice(("gpu", "cpu:1")) if self.rng.random() < odd else "cpu"

    def stream(self, thread: int, entered: bool = False) -> Stream | None:
        """A drawn stream; with probability 1/2 one that is live on the thread, if there is one. A scope that cannot be
        entered affects all later steps of all threads, so such streams are used only late, and seldom."""
        streams = [stream for stream in self.model.streams
                   if not entered or stream.device != "cpu:1"
                   or (self.late() and self.rng.random() < 0.2)]
        live = self.model.threads[thread].live | self.model.shared
        here = [stream for stream in streams if stream.key in live or stream.kind == "per-thread"]
        if here and self.rng.random() < 0.5:
            return self.rng.choice(here)
        return self.rng.choice(streams) if streams else None

    def made(self, thread: int, kind: str, device: str, said: bool) -> Step:
        name = self.name("s")
        self.model.new_stream(thread, name, device, kind)
        return ({"device": device} if said or device != "cpu" else {}) | {"as": name}

    def new_stream(self, thread: int) -> Step:
        return self.made(thread, "owned", self.device(), True)

    def new_thread_local_stream(self, thread: int) -> Step:
        return self.made(thread, "per-thread", self.device(), False)

    def new_thread_unsafe_stream(self, thread: int) -> Step:
        return self.made(thread, "shared", self.device(), False)

    def default_stream(self, thread: int) -> Step:
        device, name = self.device(), self.name("s") if self.rng.random() < 0.6 else None
        self.model.name_default(thread, name, device)
        return ({"as": name} if name else {}) | ({"device": device} if device != "cpu" else {})

    def set_default_stream(self, thread: int) -> Step | None:
        stream = self.stream(thread)
        if stream is None or stream.kind == "per-thread":
            return None
        self.model.set_default(thread, stream)
        return {"stream": stream.name}

    def enter_scope(self, thread: int) -> Step | None:
        stream = self.stream(thread, entered=True)
        if stream is None:
            return None
        self.model.enter(thread, stream)
        return {"stream": stream.name}

    def leave_scope(self, thread: int) -> Step | None:
        if not self.model.threads[thread].scopes:
            return None
        self.model.leave(thread)
        return {}

    def clear_streams(self, thread: int) -> Step:
        self.model.clear(thread)
        return {}

    def synchronize(self, thread: int) -> Step:
        """Synchronises a stream; if some stream keeps an error, two times in three with that one."""
        kept = [stream for stream in (None, *self.model.streams)
                if self.model.keeps_error(thread, stream)]
        stream = self.stream(thread) if self.rng.random() < 0.7 else None
        if kept and self.rng.random() < 0.67:
            stream = self.rng.choice(kept)
        self.model.synchronize(thread, stream)
        return {"stream": stream.name} if stream else {}

    def exit(self, thread: int) -> Step | None:
        if len(self.threads) == 1 and not self.late():
            return None
        self.threads.remove(thread)
        return {}

    def operands(self, fn: str) -> list[Array] | None:
        arrays = [array for array in self.model.usable() if max(array.value) < LARGEST]
        if not arrays:
            return None
        first = self.rng.choice(arrays[-6:])
        like = [array for array in arrays if len(array.value) == len(first.value)]
        return [first, self.rng.choice(like)] if fn == "add" else [first]

    def where(self, thread: int) -> tuple[Step, bool]:
        """The member `stream` or `scope` of a make step, or neither; and whether making the array succeeds."""
        choice = self.rng.random()
        stream = self.stream(thread, entered=choice < 0.15) if choice < 0.5 else None
        if stream is None:
            return {}, not self.model.device_lost
        if choice < 0.15:
            succeeds = self.model.enter(thread, stream)
            if succeeds:
                self.model.leave(thread)
            return {"scope": stream.name}, succeeds
        return {"stream": stream.name}, self.model.resolve(thread, stream) is not None

    def make(self, thread: int, fn: str | None = None) -> Step | None:
        fn = fn or self.rng.choice(("arange", "arange", "square", "square", "negative", "abs",
                                    "add", "add"))
        of = [] if fn == "arange" else self.operands(fn)
        if of is None:
            return None
        n = self.rng.choice((2, 3, 3, 4)) if fn == "arange" else 0
        where, succeeds = self.where(thread)
        name = self.name("a")
        if succeeds:
            said = next((stream for stream in self.model.streams
                         if stream.name in where.values()), None)
            self.model.make(name, fn, n, of, self.model.resolve(thread, said))
        names = [array.name for array in of]
        return ({"as": name, "fn": fn}
                | ({"n": n} if fn == "arange" else {"of": names if fn == "add" else names[0]})
                | where)

    def invert(self, thread: int) -> Step | None:
        return self.make(thread, "inverse")

    def wanted(self, thread: int, array: Array) -> int:
        """The weight with which the thread evaluates this array: higher if the whole graph is on live streams, much
        higher if it also fails."""
        graph = self.model.graph([array])
        live = self.model.threads[thread].live | self.model.shared
        here = all(deferred.key in live for deferred in graph)
        return 1 + 3 * here + 20 * (here and any(deferred.fails for deferred in graph))

    def some(self, thread: int, most: int, waits: bool) -> list[Array] | None:
        arrays = self.model.usable()[-8:]
        if not arrays:
            return None
        weights = [self.wanted(thread, array) for array in arrays]
        picked = self.rng.choices(arrays, weights, k=self.rng.randint(1, most))
        of = list({array.name: array for array in picked}.values())
        if not self.model.settled(thread, of, waits):
            return None
        self.model.evaluate(thread, of, waits)
        return of

    def eval(self, thread: int) -> Step | None:
        of = self.some(thread, 3, True)
        return {"of": [array.name for array in of]} if of else None

    def async_eval(self, thread: int) -> Step | None:
        of = self.some(thread, 2, False)
        return {"of": [array.name for array in of]} if of else None

    def read(self, thread: int) -> Step | None:
        of = self.some(thread, 1, True)
        return {"of": of[0].name} if of else None


def draw(seed: int, number: int) -> tuple[str, list[Step]]:
    """The topic, and the program."""
    drawn = Draw(random.Random(f"threads {seed} {number}"))
    return drawn.about, drawn.program()
