"""Random programs around macros, calls, filter blocks and assignments, with expressions of values.py."""

from __future__ import annotations

import random

from . import values
from .values import any_, chance, list_, text, truth

VARIABLES = values.VARIABLES
IMPLICIT = ("varargs", "kwargs", "caller", "caller()", "caller(1)", "caller.name", "caller.arguments", "varargs|length", "kwargs.z", "kwargs|length", "varargs[0]", "caller is defined", "kwargs is mapping")
MEMBERS = ("name", "arguments", "catch_kwargs", "catch_varargs", "caller", "explicit_caller", "nope", "defaults")
FILTERS = ("upper", "trim", "title", "length", "first", "e", "safe", "list", "int", "replace('a', '<')", "indent(2)", "string", "wordcount", "default('x')", "reverse", "upper|length", "join('-')", "tojson", "center(9)", "striptags", "float", "select|list", "last", "capitalize|e")


def out(expression: str) -> str:
    return f"{{{{ {expression} }}}}"


def given(r: random.Random) -> str:
    choices = ("1", "'p'", "n", "none", "z=3", "a=4", "b='k'", "caller=5", "*xs", "**d", "varargs=1", "kwargs=2", "s|safe")
    made = list(dict.fromkeys(r.choice(choices) for _ in range(r.randint(0, 3))))
    return ", ".join(sorted(made, key=lambda a: (a.startswith("**"), a.startswith("*"), "=" in a)))


def parameters(r: random.Random) -> str:
    names = list(dict.fromkeys(r.choice(("a", "b", "c", "caller", "varargs", "kwargs")) if chance(r, 0.25) else r.choice("abc") for _ in range(r.randint(0, 3))))
    n_plain = r.randint(0, len(names))
    return ", ".join(n if i < n_plain else f"{n}={r.choice(('1', 'none', 'a', 'n', repr('d')))}" for i, n in enumerate(names))


def inner(r: random.Random, depth: int) -> str:
    return "".join(r.choice((lambda: out(r.choice(IMPLICIT)), lambda: out(r.choice("abc")), lambda: "[", lambda: statement(r, depth + 1), lambda: out(any_(r, 2))))() for _ in range(r.randint(1, 3)))


def macro(r: random.Random, depth: int) -> str:
    name = r.choice(("m", "k", "q"))
    made = f"{{% macro {name}({parameters(r)}) %}}{inner(r, depth)}{{% endmacro %}}"
    use = r.choice((lambda: out(f"{name}({given(r)})"), lambda: out(f"{name}.{r.choice(MEMBERS)}"), lambda: out(name), lambda: f"{{% call{r.choice(('', '(a)', '(a, b=2)', '(caller=1)'))} {name}({given(r)}) %}}{inner(r, depth)}{{% endcall %}}", lambda: out(f"{name}({given(r)})|{r.choice(FILTERS)}"),
                    lambda: out(f"{name}({given(r)}) is {r.choice(('string', 'escaped', 'defined'))}"), lambda: f"{{% set {name} = {name}({given(r)}) %}}{out(name)}"))
    return made + use() + (use() if chance(r, 0.4) else "")


def statement(r: random.Random, depth: int = 0) -> str:
    if depth > 2 or chance(r, 0.25):
        return out(any_(r, 1))
    return r.choice((
        lambda: macro(r, depth), lambda: macro(r, depth), lambda: macro(r, depth),
        lambda: f"{{% filter {r.choice(FILTERS)} %}}{inner(r, depth)}{{% endfilter %}}", lambda: f"{{% set p|{r.choice(FILTERS)} %}}{inner(r, depth)}{{% endset %}}{out('p')}", lambda: f"{{% set p %}}{inner(r, depth)}{{% endset %}}{out('p is escaped')}{out('p')}",
        lambda: f"{{% for i in {list_(r, 1)} %}}{out('i')}{inner(r, depth) if chance(r, 0.5) else ','}{out('loop.' + r.choice(('index', 'last', 'length', 'previtem', 'nextitem', 'revindex')))}{{% else %}}none{{% endfor %}}",
        lambda: f"{{% for k, v in {r.choice(('d.items()', 'd|items', 'dict.fromkeys(xs).items()', 'd|dictsort', list_(r, 2)))} %}}{out('k')}{out('v')}{{% endfor %}}", lambda: f"{{% if {truth(r, 1)} %}}{inner(r, depth)}{{% else %}}{inner(r, depth)}{{% endif %}}",
        lambda: f"{{% set ns = namespace({r.choice(('a=1', 'd', 'a=1, _b=2', ''))}) %}}{{% set ns.{r.choice(('a', 'b', '_c'))} = {any_(r, 2)} %}}{out('ns.a')}{out('ns.b')}{out('ns')}", lambda: f"{{% generation %}}{inner(r, depth)}{{% endgeneration %}}",
        lambda: f"{{% set a, b = {r.choice(('1, 2', 'xs[:2]', text(r, 2), '[huge, none]', 'd', list_(r, 2)))} %}}{out('a')}{out('b')}", lambda: f"{{% with a = {any_(r, 2)}, b = a %}}{out('b')}{inner(r, depth)}{{% endwith %}}", lambda: f"{{% call {r.choice(('dict()', 'missing()', 's.upper()', 'namespace()', 'range(2)', 'dict.fromkeys(xs)'))} %}}{inner(r, depth)}{{% endcall %}}",
        lambda: out(f"raise_exception({any_(r, 2)})") if chance(r, 0.2) else out(text(r, 1)), lambda: f"{{% for i in [[1, [2]], 3] recursive %}}{out('i if i is number else loop(i)')}{{% endfor %}}",
    ))()


def program(r: random.Random) -> str:
    if chance(r, 0.6):
        return "|".join(out(any_(r)) for _ in range(r.choice((1, 1, 2))))
    return "".join(statement(r) for _ in range(r.choice((1, 1, 2))))
