"""Random programs around the syntax of statements, and programs in which tokens were removed, repeated, exchanged or replaced."""

from __future__ import annotations

import random
import re

from . import values
from .values import any_, chance, text

VARIABLES = values.VARIABLES
CHAIN = ("upper", "lower", "title", "trim", "replace('a', 'b')", "e", "safe", "string", "capitalize", "indent(2)", "reverse", "center(9)", "length", "list", "join('-')", "int", "default('x')")
NAMES = ("a", "b", "in", "recursive", "loop", "if", "else", "is", "self", "caller", "x")
TARGETS = ("a", "b", "a, b", "a, b,", "(a, b)", "(a)", "a,", "(a,)", "a, (b, x)", "ns.a", "ns.a, b", "loop", "in", "(loop, a)", "1", "a.b.c", "a[0]", "none", "'a'", "[a, b]")
ITEMS = ("[1, 2]", "[[1, 2], [3, 4]]", "1, 2", "'ab'", "d", "xs", "[]", "missing", "xs, recursive", "[[1, [2, 3]]]", "in", "(1,)", "7")
FIELDS = ("{0.a}", "{0[a]}", "{0[b]}", "{1[0]}", "{1[-1]}", "{1[0}", "{0.}", "{0[]}", "{0[a]b}", "{0[a].real}", "{d[a]}", "{d.b}", "{1[1][0]}", "{0.nope}", "{0[nope][a]}", "{d}", "{2.real:>4}", "{2.numerator!r}", "{0[a]:03d}", "{d[b]!r:>8}", "{1[9]}", "{2.__class__}", "{1[²]}", "{d[a}", "{}", "{2[0]}")
REALS = ("1e16", "3.14159", "0.1", "7", "-2.5", "1e-300", "123456789.123", "0.3", "-1e15", "1.0", "5e-324", "2 ** 70")
TOKEN = re.compile(r"\{[{%#][-+]?|[-+]?[}%#]\}|'[^']*'|\"[^\"]*\"|\w+|\s+|.", re.S)
SPARE = ("(", ")", "[", "]", ",", ".", "|", ":", "=", "==", "-", "+", "not", "in", "is", "if", "else", "and", "or", "{{", "}}", "{%", "%}", "{%-", "-%}", "1", "'a'", "a", "**", "*", "~", "//", "%", "end", " ", "\n", "none", "recursive", "loop", "{#", "#}", "raw", "endraw", "set", "for", "endfor", "endif")


def out(expression: str) -> str:
    return f"{{{{ {expression} }}}}"


def chain(r: random.Random) -> str:
    return "|".join(r.choice(CHAIN) for _ in range(r.randint(1, 4)))


def block(r: random.Random, inner: str) -> str:
    made = r.choice(("dict()", "namespace()", "range(2)", "'ab'.upper()", "m()", "xs.copy()", "missing()"))
    return r.choice((
        lambda: f"{{% filter {chain(r)} %}}{inner}{{% endfilter %}}", lambda: f"{{% set p|{chain(r)} %}}{inner}{{% endset %}}{out('p')}", lambda: f"{{% set p %}}{inner}{{% endset %}}{out('p')}",
        lambda: f"{{% call {made} %}}{inner}{{% endcall %}}", lambda: f"{{% generation %}}{inner}{{% endgeneration %}}", lambda: f"{{% macro m() %}}{inner}{{% endmacro %}}{out('m()')}",
        lambda: f"{{% for i in [1, [2]] recursive %}}{inner}{{{{ loop(i) if i is iterable }}}}{{% endfor %}}", lambda: f"{{% for i in xs %}}{inner}{{% endfor %}}", lambda: f"{{% if true %}}{inner}{{% endif %}}", lambda: f"{{% with %}}{inner}{{% endwith %}}",
    ))()


def statement(r: random.Random) -> str:
    names = ", ".join(r.choice(NAMES) for _ in range(r.randint(0, 3)))
    return r.choice((
        lambda: f"{{% set ns = namespace() %}}{{% set {r.choice(TARGETS)} = {r.choice(ITEMS)} %}}{out('a')}{out('b')}{out('ns.a')}", lambda: f"{{% for {r.choice(TARGETS)} in {r.choice(ITEMS)}{r.choice(('', ' recursive', ' if a', ' if loop is defined'))} %}}{out('a')}{out('loop.index')}{{% endfor %}}",
        lambda: f"{{% with {r.choice(TARGETS)} = {r.choice(ITEMS)} %}}{out('a')}{out('b')}{{% endwith %}}", lambda: f"{{% print {r.choice(('', 'n', 'n, s', 'n,', '(n, s)', 'n if n', 'n s', '1e400, n'))} %}}", lambda: f"{{% macro k({names}) %}}{out(r.choice(NAMES))}{{% endmacro %}}{out('k(1, 2)')}",
        lambda: out(r.choice(NAMES)), lambda: f"{{% set {r.choice(NAMES)} = 1 %}}{out(r.choice(NAMES))}", lambda: out(f"'{r.choice(FIELDS)}{r.choice(('', r.choice(FIELDS)))}'.format(d, xs, n, d=d)"), lambda: out(f"'{r.choice(FIELDS)}'.format_map({{'d': d}})"),
        lambda: out(f"{r.choice(REALS)} {r.choice(('//', '%', '/'))} {r.choice(REALS)}"), lambda: out(f"raise_exception({any_(r, 2)})"), lambda: block(r, "".join(statement(r) for _ in range(r.randint(0, 2)))), lambda: block(r, out(text(r, 2))),
    ))()


def program(r: random.Random) -> str:
    return "".join(statement(r) for _ in range(r.choice((1, 1, 2, 3))))


def changed(r: random.Random, template: str) -> str:
    """The template with one to three of its tokens changed."""
    tokens = TOKEN.findall(template)
    for _ in range(r.choice((1, 1, 2, 3))):
        if not tokens:
            break
        i, j = r.randrange(len(tokens)), r.randrange(len(tokens))
        kind = r.randrange(5)
        if kind == 0:
            del tokens[i]
        elif kind == 1:
            tokens.insert(i, tokens[j])
        elif kind == 2:
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif kind == 3:
            tokens.insert(i, r.choice(SPARE))
        else:
            tokens[i] = r.choice(SPARE)
        if chance(r, 0.1):
            tokens.insert(i, " ")
    return "".join(tokens)
