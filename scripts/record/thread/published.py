"""The published thread programs: reported failures, their workarounds, and every rule.

programs/<group>.txt has one paragraph per program: a permanent number with a comment, then one step per
line, the thread first. `a = square b on s` makes an array with stream=s, `in s` inside
`with mx.stream(s):`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

Step = dict[str, Any]
Programs = dict[int, tuple[str, list[Step]]]

NAMES = "ropes", "defaults", "passed", "scopes", "kinds", "waiting", "errors", "devices"
STREAM_OPS = "new_stream", "new_thread_local_stream", "new_thread_unsafe_stream", "default_stream"


def parse(line: str) -> Step:
    thread, _, rest = line.strip().partition(": ")
    name, made, call = rest.rpartition(" = ")
    op, *words = call.split()
    step: Step = {"thread": int(thread), "op": op}
    if made:
        step["as"] = name
    if op in STREAM_OPS:
        return step | ({"device": words[0]} if words else {})
    if op in ("eval", "async_eval"):
        return step | {"of": words}
    if op == "read":
        return step | {"of": words[0]}
    if not made:
        return step | ({"stream": words[0]} if words else {})
    step |= {"op": "make", "fn": op}
    if words[-2:-1] in (["on"], ["in"]):
        step["stream" if words[-2] == "on" else "scope"] = words[-1]
        words = words[:-2]
    if op == "arange":
        return step | {"n": int(words[0])}
    return step | {"of": words if op == "add" else words[0]}


def programs(text: str) -> Programs:
    made: Programs = {}
    for paragraph in text.strip().split("\n\n"):
        title, *lines = paragraph.strip().splitlines()
        number, _, comment = title.partition(". ")
        if int(number) in made:
            raise ValueError(f"{number}. {comment}: the number is there already")
        made[int(number)] = comment, [parse(line) for line in lines]
    return made


def lines(n: int, line: Any) -> str:
    return "".join(line(i) + "\n" for i in range(n))


def behind(n: int) -> str:
    """Steps that evaluate n arrays, each made from another, and a last one of another thread's stream together, and
    then show which arrays were realised."""
    return ("0: s = new_stream\n" + lines(n, lambda i: f"1: a{i} = arange 2\n1: b{i} = square a{i}")
            + "1: c = arange 2 on s\n1: eval " + " ".join(f"b{i}" for i in range(n)) + " c\n"
            + "".join(f"2: read {name}{i}\n" for i in (n - 1, n - 2, 0) for name in "ba"))


def wide() -> str:
    """Programs with graphs that are wider than MLX traverses breadth-first (20), with streams of other threads."""
    foreign = "0: s = new_stream\n"
    two_foreign = foreign + "2: t = new_stream\n"
    chains = lines(24, lambda i: f"1: a{i} = arange 2\n1: b{i} = square a{i}")
    ends = " ".join(f"b{i}" for i in range(24))
    return ("9. A chain over 24 arrays of two foreign streams: which one is met first\n" + two_foreign
            + lines(24, lambda i: f"1: a{i} = arange 2 on {'s' if i % 3 else 't'}")
            + "1: b0 = add a0 a1\n" + lines(22, lambda i: f"1: b{i + 1} = add b{i} a{i + 2}")
            + "1: read b22\n0: read b22\n2: read b22\n\n"
            "10. Many arrays at once, wider than 20, the last one foreign\n" + foreign + chains
            + f"1: c = arange 2 on s\n1: eval {ends} c\n"
            + "2: read b0\n2: read b23\n2: read a12\n2: read c\n0: read c\n\n"
            "11. Many arrays at once, wider than 20, the first one foreign\n" + foreign + chains
            + f"1: c = arange 2 on s\n1: eval c {ends}\n"
            + "".join(f"2: read {name}\n" for name in "b23 b12 b2 b1 b0 a0 a23".split()) + "\n"
            "12. A tree over 32 arrays of two foreign streams\n" + two_foreign
            + lines(32, lambda i: f"1: a{i} = arange 2 on {'s' if i < 16 else 't'}")
            + "".join(lines(n, lambda i: f"1: {up}{i} = add {down}{2 * i} {down}{2 * i + 1}")
                      for n, up, down in ((16, "b", "a"), (8, "c", "b"), (4, "d", "c"), (2, "e", "d")))
            + "1: f = add e0 e1\n1: read f\n0: read f\n2: read f\n"
            + "0: eval " + " ".join(f"b{i}" for i in range(8)) + "\n"
            + "2: eval " + " ".join(f"a{i}" for i in range(16, 32)) + "\n1: read f\n\n"
            "13. Twenty arrays at once, and a foreign one behind them: nothing is realised before it is met\n"
            + behind(20) + "\n14. Twenty-one: the last of them is\n" + behind(21))


def groups() -> dict[str, Programs]:
    place = Path(__file__).parent / "programs"
    made = {name: programs((place / f"{name}.txt").read_text()) for name in NAMES}
    made["passed"] |= programs(wide())
    return made
