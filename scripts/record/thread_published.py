"""The published programs of threads: failures that were reported, their ways out, and every rule.

A line is a step: the thread, then what it does. `a = square b on s` makes an array with stream=s, `in s` makes
it inside `with mx.stream(s):`. Numbers of programs are permanent.
"""

from __future__ import annotations

from typing import Any

STREAM_OPS = ("new_stream", "new_thread_local_stream", "new_thread_unsafe_stream", "default_stream")


def parse(line: str) -> dict[str, Any]:
    thread, _, rest = line.strip().partition(": ")
    name, made, call = rest.rpartition(" = ")
    op, *words = call.split()
    step: dict[str, Any] = {"thread": int(thread), "op": op}
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


def programs(text: str) -> dict[int, tuple[str, list[dict[str, Any]]]]:
    """Paragraphs: `NUMBER. comment`, then one step a line."""
    made = {}
    for paragraph in text.strip().split("\n\n"):
        title, *lines = paragraph.strip().splitlines()
        number, _, comment = title.partition(". ")
        made[int(number)] = comment, [parse(line) for line in lines]
    return made


# A frequency table of a scaled rope is made of arange when a model is built; parameters are loaded.
ROPES = programs("""
1. The published failure: a table that its builder left deferred, and that another thread needs
0: exponents = arange 4
0: table = square exponents
1: x = arange 4
1: rotated = add x table
1: read rotated

2. The same table, realised by its builder
0: exponents = arange 4
0: table = square exponents
0: eval table
1: x = arange 4
1: rotated = add x table
1: read rotated

3. Evaluating the parameters only leaves the private table deferred
0: weight = arange 4
0: exponents = arange 4
0: table = negative exponents
0: eval weight
1: x = add weight weight
1: read x
1: rotated = add x table
1: read rotated
0: read table

4. A plain rope has no array: evaluating the parameters is enough
0: weight = arange 4
0: eval weight
1: x = add weight weight
1: rotated = negative x
1: read rotated

5. First use on the builder realises the table for everyone
0: exponents = arange 4
0: table = square exponents
0: x = arange 4
0: first = add x table
0: read first
1: y = arange 4
1: second = add y table
1: read second

6. Tables of two layers: the failure names the builder's stream, and stays until the builder evaluates
0: e1 = arange 3
0: t1 = square e1
0: e2 = arange 3
0: t2 = negative e2
1: x = arange 3
1: h1 = add x t1
1: h2 = add h1 t2
1: read h2
1: read h2
0: eval t1
1: read h2
0: eval t2
1: read h2

7. A pool: whoever comes first fails, and so does every other thread
0: e = arange 2
0: table = abs e
1: x1 = add table table
1: read x1
2: x2 = add table table
2: read x2
3: x3 = add table table
3: read x3

8. Built on a worker that has ended: nobody can evaluate the table any more
1: e = arange 3
1: table = square e
1: exit
0: x = add table table
0: read x
2: y = negative table
2: read y

9. Built and realised on a worker that has ended
1: e = arange 3
1: table = square e
1: eval table
1: exit
0: x = add table table
0: read x
2: y = negative table
2: read y

10. Weights are converted lazily, too: a converted weight is as deferred as a table
0: stored = arange 4
0: eval stored
0: weight = negative stored
1: x = add stored stored
1: read x
1: y = add x weight
1: read y
0: eval weight
1: read y

11. Built on a stream that any thread may use: the table can be evaluated anywhere
0: s = new_thread_unsafe_stream
0: e = arange 4 in s
0: table = square e in s
1: x = arange 4
1: rotated = add x table
1: read rotated

12. Built on a stream that stands for another one on each thread: made for the builder's
0: s = new_thread_local_stream
0: e = arange 4 in s
0: table = square e in s
1: x = arange 4 in s
1: rotated = add x table in s
1: read rotated
""")

DEFAULTS = programs("""
1. A thread's default stream comes to be at its first use
0: default_stream
1: default_stream
0: default_stream
2: default_stream

2. Streams are numbered over all threads, in the order in which they come to be
0: new = new_stream
1: default_stream
0: default_stream
1: other = new_stream
2: default_stream

3. Making an array needs the default stream, even where it is deferred
1: a = arange 2
0: default_stream
1: default_stream

4. Making an array on a stream does not need the default one
0: s = new_stream
1: t = new_stream
1: a = arange 2 on t
0: default_stream
1: default_stream

5. Evaluating on a stream of one's own brings the default stream to be
0: s = new_stream
0: a = arange 2 on s
0: eval a
1: default_stream
0: default_stream

6. Reading what is realised needs no stream
0: a = arange 2
0: eval a
1: read a
2: default_stream
1: default_stream

7. Synchronising without a stream brings the default one to be
0: synchronize
1: default_stream
0: default_stream

8. A set default holds on its thread alone
0: s = new_stream
0: set_default_stream s
0: default_stream
1: default_stream
0: a = arange 3
0: read a

9. A default set to another thread's stream: arrays are made, and cannot be evaluated
0: s = new_stream
1: set_default_stream s
1: default_stream
1: a = arange 3
1: read a
0: read a
1: read a

10. Handing a default stream to another thread does not move it
0: s = default_stream
1: a = arange 3 on s
1: read a
0: read a
""")

PASSED = programs("""
1. A stream that another thread made cannot evaluate
0: s = new_stream
1: a = arange 3 on s
1: read a
0: read a
1: read a

2. A graph that spans the streams of two threads: neither can evaluate it alone
0: s = new_stream
1: t = new_stream
0: a = arange 3 on s
1: b = square a on t
0: read b
1: read b
0: eval a
1: read b

3. A graph that spans two streams of one thread
0: s = new_stream
0: t = new_stream
0: a = arange 3 on s
0: b = square a on t
0: c = add a b on s
0: read c

4. Evaluation that fails half-way: what came before is realised
0: s = new_stream
1: a = arange 3
1: b = square a on s
1: eval b
0: read a
0: read b

5. Two arrays are evaluated, the second is foreign: the walk meets it first, and the first stays deferred
0: s = new_stream
1: a = arange 2
1: b = arange 2 on s
1: eval a b
2: read a
2: read b

6. The same in the other order: the second is realised
0: s = new_stream
1: a = arange 2
1: b = arange 2 on s
1: eval b a
2: read a
2: read b

7. Shared by two graphs, one of which is foreign: realised, then read anywhere
0: s = new_stream
1: shared = arange 3
1: left = square shared
1: right = negative shared on s
1: eval left right
2: read shared
2: read left
2: read right
0: read right
2: read right

8. A failed evaluation does not spoil its stream
0: s = new_stream
1: a = arange 3 on s
1: read a
1: b = arange 3
1: read b
0: c = arange 3 on s
0: read c

9. Wider than a graph is walked level by level (20): which foreign stream is met first
0: s = new_stream
2: t = new_stream
""" + "".join(f"1: a{i} = arange 2 on {'s' if i % 3 else 't'}\n" for i in range(24))
    + "1: b0 = add a0 a1\n" + "".join(f"1: b{i} = add b{i - 1} a{i + 1}\n" for i in range(1, 23))
    + """1: read b22
0: read b22
2: read b22

10. Many arrays at once, wider than 20, the last one foreign
0: s = new_stream
""" + "".join(f"1: a{i} = arange 2\n1: b{i} = square a{i}\n" for i in range(24))
    + "1: c = arange 2 on s\n1: eval " + " ".join(f"b{i}" for i in range(24)) + """ c
2: read b0
2: read b23
2: read a12
2: read c
0: read c

11. Many arrays at once, wider than 20, the first one foreign
0: s = new_stream
""" + "".join(f"1: a{i} = arange 2\n1: b{i} = square a{i}\n" for i in range(24))
    + "1: c = arange 2 on s\n1: eval c " + " ".join(f"b{i}" for i in range(24)) + """
2: read b23
2: read b12
2: read b2
2: read b1
2: read b0
2: read a0
2: read a23

12. Levels of a wide tree with streams of two other threads, evaluated by none of them
0: s = new_stream
2: t = new_stream
""" + "".join(f"1: a{i} = arange 2 on {'s' if i < 16 else 't'}\n" for i in range(32))
    + "".join(f"1: b{i} = add a{2 * i} a{2 * i + 1}\n" for i in range(16))
    + "".join(f"1: c{i} = add b{2 * i} b{2 * i + 1}\n" for i in range(8))
    + "".join(f"1: d{i} = add c{2 * i} c{2 * i + 1}\n" for i in range(4))
    + """1: e0 = add d0 d1
1: e1 = add d2 d3
1: f = add e0 e1
1: read f
0: read f
2: read f
0: eval b0 b1 b2 b3 b4 b5 b6 b7
2: eval a16 a17 a18 a19 a20 a21 a22 a23 a24 a25 a26 a27 a28 a29 a30 a31
1: read f
""")

SCOPES = programs("""
1. A scope sets the default stream, and leaving it restores it
0: s = new_stream
0: default_stream
0: enter_scope s
0: default_stream
0: leave_scope
0: default_stream

2. Entering a scope brings the default stream to be, for it is what leaving restores
0: s = new_stream
0: enter_scope s
1: default_stream
0: leave_scope
0: default_stream

3. Scopes of one thread nest
0: s = new_stream
0: t = new_stream
0: enter_scope s
0: enter_scope t
0: default_stream
0: leave_scope
0: default_stream
0: leave_scope
0: default_stream

4. What is set inside a scope is forgotten with it
0: s = new_stream
0: t = new_stream
0: enter_scope s
0: set_default_stream t
0: default_stream
0: leave_scope
0: default_stream

5. A scope holds on its thread alone
0: s = new_stream
0: enter_scope s
1: a = arange 3
1: read a
0: b = arange 3
0: read b
1: read b
0: leave_scope

6. A scope of another thread's stream: arrays are made there, and evaluated only by that thread
0: s = new_stream
1: a = arange 3 in s
1: read a
0: read a
1: b = negative a
1: read b

7. An array keeps the stream of the scope it was made in
0: s = new_stream
0: enter_scope s
0: a = arange 3
0: leave_scope
1: read a
0: read a

8. A scope of a stream that stands for another one on each thread
0: s = new_thread_local_stream
0: enter_scope s
0: default_stream
1: enter_scope s
1: default_stream
1: a = arange 3
1: read a
0: leave_scope
1: leave_scope
0: default_stream
1: default_stream
""")

KINDS = programs("""
1. A stream that stands for another one on each thread comes to be there at its first use
0: s = new_thread_local_stream
0: a = arange 3 on s
0: read a
1: b = arange 3 on s
1: read b
2: default_stream
0: default_stream

2. Its array belongs to the thread that made it
0: s = new_thread_local_stream
0: a = arange 3 on s
1: b = negative a on s
1: read b
0: read a
1: read b

3. Synchronising it is a use, too
0: s = new_thread_local_stream
0: synchronize s
1: synchronize s
2: default_stream

4. A stream that any thread may use
0: s = new_thread_unsafe_stream
1: a = arange 3 on s
2: b = square a on s
2: read b
0: read a

5. A graph over such a stream and one's own
0: s = new_thread_unsafe_stream
1: a = arange 3 on s
2: b = square a
2: read b
1: c = add a b on s
1: read c

6. It outlives the thread that made it
1: s = new_thread_unsafe_stream
1: exit
0: a = arange 3 on s
0: read a

7. It may be the default stream of many threads
0: s = new_thread_unsafe_stream
0: set_default_stream s
1: set_default_stream s
0: a = arange 3
1: b = negative a
1: read b
0: default_stream
1: default_stream

8. Clearing a thread's streams: they live nowhere from then on, also its default one
0: s = new_stream
0: a = arange 3
0: read a
0: clear_streams
0: b = arange 3
0: read b
0: c = arange 3 on s
0: read c
0: default_stream
0: read a

9. A stream that was made after clearing lives
0: default_stream
0: clear_streams
0: s = new_stream
0: set_default_stream s
0: a = arange 3
0: read a

10. Clearing reaches neither other threads' streams nor those that any thread may use
0: s = new_thread_unsafe_stream
1: t = new_stream
0: clear_streams
0: a = arange 3 on s
0: read a
1: b = arange 3 on t
1: read b

11. A per-thread stream that was cleared does not come to be a second time
0: s = new_thread_local_stream
0: a = arange 2 on s
0: clear_streams
0: b = arange 2 on s
0: read b
1: c = arange 2 on s
1: read c
""")

WAITING = programs("""
1. Any thread may wait for a stream of another
0: s = new_stream
0: a = arange 3 on s
0: async_eval a
1: synchronize s
1: read a

2. A thread that ends after it has evaluated leaves values behind
1: a = arange 3
1: b = square a
1: eval b
1: exit
0: read b
0: read a

3. A thread that ends before its arrays were evaluated: they never will be
1: a = arange 3
1: b = square a
1: exit
0: read b
0: synchronize
0: read a

4. A thread that ends while its stream has work
1: s = new_stream
1: a = arange 4 on s
1: b = square a on s
1: async_eval b
1: exit
0: synchronize s
0: read b

5. Work that was handed in can be read anywhere without evaluating
0: a = arange 4
0: b = negative a
0: async_eval b
1: read b
1: c = add b b
1: read c

6. Handing in work of a foreign stream is refused like evaluating it
0: a = arange 4
1: async_eval a
0: async_eval a
1: async_eval a
1: read a

7. Waiting for the streams of a thread that has ended; work can be handed in no more
1: s = new_stream
1: d = default_stream
1: exit
0: synchronize s
0: synchronize d
0: a = arange 2 on d
0: read a
""")

ERRORS = programs("""
1. An error of a stream's work is returned by the evaluation that waits for it, once
0: a = arange 3
0: b = inverse a
0: eval b
0: synchronize
0: c = arange 3
0: read c

2. An error is kept on its stream, and returned at the next synchronisation, once
0: first = arange 2
0: eval first
1: s = new_stream
1: a = arange 3 on s
1: b = inverse a on s
1: async_eval b
1: synchronize s
1: synchronize s

3. Any thread may be the one that is told
0: first = arange 2
0: eval first
1: s = new_stream
1: a = arange 3 on s
1: b = inverse a on s
1: async_eval b
2: synchronize s
1: synchronize s

4. Told to a later evaluation that has nothing to do with it, whose own array is good
0: first = arange 2
0: eval first
1: a = arange 3
1: b = inverse a
1: async_eval b
1: c = arange 2
1: eval c
1: synchronize
1: read c

5. Another stream is not told
0: first = arange 2
0: eval first
1: s = new_stream
1: a = arange 3 on s
1: b = inverse a on s
1: async_eval b
1: c = arange 2
1: read c
1: synchronize
1: synchronize s

6. An error crosses from one stream to another through the graph, and stays on the first as well
0: first = arange 2
0: eval first
1: s = new_stream
1: t = new_stream
1: a = arange 3 on s
1: b = inverse a on s
1: c = negative b on t
1: eval c
1: synchronize t
1: synchronize s
1: synchronize s

7. The thread that met the error has ended: it is still told
0: first = arange 2
0: eval first
1: s = new_stream
1: a = arange 3 on s
1: b = inverse a on s
1: async_eval b
1: exit
0: synchronize s
0: synchronize s

8. A refused evaluation is no error of the stream
0: s = new_stream
1: a = arange 3 on s
1: read a
0: synchronize s
1: synchronize s

9. Good arrays of an evaluation that met an error are realised
0: first = arange 2
0: eval first
1: a = arange 3
1: b = inverse a
1: c = negative a
1: eval b c
2: read c
2: read a

10. On a stream that any thread may use, the next one that waits is told
0: first = arange 2
0: eval first
1: s = new_thread_unsafe_stream
1: a = arange 3 on s
1: b = inverse a on s
1: async_eval b
2: c = arange 2 on s
2: eval c
1: synchronize s
2: read c
""")

DEVICES = programs("""
1. There is no gpu; asking for a stream there takes a number all the same
0: s = new_stream gpu
0: default_stream gpu
0: s2 = new_thread_unsafe_stream gpu
0: default_stream

2. A per-thread stream of a gpu can be named, and not used
0: s = new_thread_local_stream gpu
0: a = arange 3 on s
0: synchronize s
0: b = arange 3 in s
0: default_stream
0: c = arange 3
0: read c

3. A device index out of bounds has no default stream
0: default_stream cpu:1
0: default_stream gpu:1
0: default_stream

4. A stream of a device index out of bounds is made, and works; a default it cannot be
0: s = new_stream cpu:1
0: a = arange 3 on s
0: read a
0: set_default_stream s
0: default_stream
1: b = arange 3 on s
1: read b

5. A scope that cannot be entered loses the default device, for every thread
0: a = arange 2
0: s = new_stream cpu:1
0: b = arange 2 in s
0: c = arange 2
0: eval a
1: d = arange 2
1: default_stream
1: synchronize
0: t = new_stream
0: e = arange 2 on t
0: read e

6. Leaving another scope restores it
0: t = new_stream
0: enter_scope t
1: s = new_stream cpu:1
1: enter_scope s
0: a = arange 2
0: leave_scope
0: b = arange 2
0: read b
1: c = arange 2
1: read c
""")

GROUPS = {"ropes": ROPES, "defaults": DEFAULTS, "passed": PASSED, "scopes": SCOPES, "kinds": KINDS,
          "waiting": WAITING, "errors": ERRORS, "devices": DEVICES}
