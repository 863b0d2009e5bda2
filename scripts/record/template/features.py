"""Random templates that use single features of Jinja: expressions of every type, and statements around them."""

from __future__ import annotations

import random

VARIABLES = {"s": "Hello, World", "t": "  über\n naïve ß ", "e": "", "n": 7, "z": 0, "neg": -3, "f": 2.5, "big": 2**53 + 1, "yes": True,
             "no": False, "nil": None, "xs": [3, 1, 2], "ws": ["beta", "Alpha", "gamma", "beta"], "em": [],
             "d": {"a": 1, "b": "two", "c": [1, 2], "items": 5}, "ds": [{"k": "x", "v": 1, "o": {"p": 2}}, {"k": "y", "v": 2}, {"k": "X", "v": 0}],
             "deep": [1, [2, [3, []]], "q"]}
STRINGS = ("s", "t", "e", "'abc'", "\"it's\"", "'a,b,,c'", "'42'", "'-1.5'", "'é\\n\\t\\\\'", "ws[0]", "d.b", "'x' 'y'", "'\\u00e9\\x41'")
WHOLE = ("n", "z", "neg", "1", "2", "3", "xs[0]", "d.a", "d['items']", "ws|length", "10", "1_000", "0x1f")


def string(r: random.Random, depth: int = 0) -> str:
    if depth > 2 or r.random() < 0.3:
        return r.choice(STRINGS)
    s = string(r, depth + 1)
    return r.choice((
        lambda: f"({s} ~ {any_(r, depth + 1)})", lambda: f"({s} + {string(r, depth + 1)})", lambda: f"{s}|upper", lambda: f"{s}|lower",
        lambda: f"{s}|title", lambda: f"{s}|capitalize", lambda: f"{s}|trim", lambda: f"{s}|trim('{r.choice('aeH ,')}')",
        lambda: f"({s}).strip()", lambda: f"({s}).{r.choice(('lstrip', 'rstrip', 'strip'))}('{r.choice(('ab', ' H', 'x'))}')",
        lambda: f"({s}).replace({string(r, 3)}, {string(r, 3)})", lambda: f"{s}|replace('l', 'L', {r.choice((-1, 0, 1, 2))})",
        lambda: f"({s})[{index(r)}:{index(r)}:{r.choice(('', '1', '2', '-1', '-2'))}]", lambda: f"({s})[{whole(r, 3)}]",
        lambda: f"({s}).{r.choice(('upper', 'lower', 'title', 'capitalize'))}()", lambda: f"{list_(r, depth + 1)}|join({string(r, 3)})",
        lambda: f"{any_(r, depth + 1)}|string", lambda: f"{any_(r, depth + 1)}|tojson",
        lambda: f"{any_(r, depth + 1)}|tojson(indent={r.choice((0, 2, 4))})", lambda: f"{any_(r, depth + 1)}|tojson(ensure_ascii=true)",
        lambda: f"{any_(r, depth + 1)}|tojson(separators=(',', ':'), sort_keys=true)", lambda: f"{s}|default('dflt', {boolean(r, 3)})",
        lambda: f"missing|default({s})", lambda: f"({s} if {boolean(r, depth + 1)} else {string(r, depth + 1)})", lambda: f"{s}|indent({whole(r, 3)})",
        lambda: f"{s}|indent(2, true, true)", lambda: f"({s} * {whole(r, 3)})", lambda: f"'%s-%d' % ({s}, {whole(r, 3)})",
        lambda: f"'{{}}/{{}}'.format({s}, {whole(r, 3)})", lambda: f"{s}|first", lambda: f"{s}|last", lambda: f"{r.choice(STRINGS[:9])}|reverse",
        lambda: f"({s}).split({r.choice(('', repr(','), repr('l'), 'none'))})[{r.choice((0, -1))}]", lambda: f"{s}|truncate({r.choice((5, 8, 255))})",
        lambda: f"({r.choice(STRINGS)}).join({r.choice(('ws', 'em', 's'))})", lambda: f"({s}).center({whole(r, 3)})", lambda: f"({s}).zfill(6)",
        lambda: f"({s}).removeprefix('Hel')", lambda: f"({s}).partition(',')[0]", lambda: f"{s}|safe", lambda: f"'%05.2f|%-6s|%x' % ({number(r, 3)}, {string(r, 3)}, 255)",
        lambda: f"{s}|e", lambda: f"({s}).ljust(8, '.')", lambda: f"{s}|center(12)",
    ))()


def index(r: random.Random) -> str:
    return r.choice(("", "0", "1", "2", "-1", "-2", "10", "-10"))


def whole(r: random.Random, depth: int = 0) -> str:
    if depth > 2 or r.random() < 0.4:
        return r.choice(WHOLE)
    w = whole(r, depth + 1)
    return r.choice((
        lambda: f"({w} + {whole(r, depth + 1)})", lambda: f"({w} - {whole(r, depth + 1)})", lambda: f"({w} * {whole(r, depth + 1)})",
        lambda: f"({w} // {whole(r, depth + 1)})", lambda: f"({w} % {whole(r, depth + 1)})", lambda: f"-{w}", lambda: f"{w}|abs", lambda: f"{string(r, depth + 1)}|length",
        lambda: f"{list_(r, depth + 1)}|length", lambda: f"{string(r, depth + 1)}|int", lambda: f"{string(r, depth + 1)}|int(-1)", lambda: f"{number(r, depth + 1)}|int",
        lambda: f"({string(r, depth + 1)}).{r.choice(('find', 'rfind', 'count'))}('{r.choice(('l', 'a', 'o,', ''))}')", lambda: "xs|sum", lambda: "xs|max", lambda: "xs|min",
        lambda: "ds|sum(attribute='v')", lambda: f"({w} ** {r.choice((0, 1, 2, 3))})", lambda: f"({string(r, 3)}).split('l')|count", lambda: "ds[1].v",
    ))()


def number(r: random.Random, depth: int = 0) -> str:
    if r.random() < 0.4:
        return whole(r, depth)
    if depth > 2 or r.random() < 0.4:
        return r.choice(("f", "1.5", "0.1", "1e3", "2.0", "1e-5", "123456789.125", "1e16", "3.14159"))
    x = number(r, depth + 1)
    return r.choice((
        lambda: f"({x} / {number(r, depth + 1)})", lambda: f"({x} * {number(r, depth + 1)})", lambda: f"({x} + {number(r, depth + 1)})", lambda: f"{x}|round",
        lambda: f"{x}|round({r.choice((0, 1, 2, 3))})", lambda: f"{x}|round(1, '{r.choice(('ceil', 'floor', 'common'))}')", lambda: f"{x}|float", lambda: f"-{x}",
        lambda: f"{string(r, depth + 1)}|float", lambda: f"({x} % {number(r, depth + 1)})", lambda: f"({x} // {number(r, depth + 1)})", lambda: f"{x}|abs",
    ))()


TESTS = ("defined", "undefined", "none", "string", "mapping", "iterable", "sequence", "number", "integer", "float", "boolean", "true", "false",
         "callable", "lower", "upper")


def boolean(r: random.Random, depth: int = 0) -> str:
    if depth > 2 or r.random() < 0.2:
        return r.choice(("yes", "no", "true", "false", "True", "False"))
    b = boolean(r, depth + 1)
    return r.choice((
        lambda: f"({b} and {boolean(r, depth + 1)})", lambda: f"({b} or {boolean(r, depth + 1)})", lambda: f"(not {b})",
        lambda: f"({any_(r, depth + 1)} is {r.choice(('', 'not '))}{r.choice(TESTS)})", lambda: f"({number(r, depth + 1)} {r.choice(('<', '<=', '>', '>=', '==', '!='))} {number(r, depth + 1)})",
        lambda: f"({any_(r, depth + 1)} {r.choice(('==', '!='))} {any_(r, depth + 1)})", lambda: f"({string(r, 3)} {r.choice(('in', 'not in'))} {string(r, depth + 1)})",
        lambda: f"({any_(r, 3)} in {list_(r, depth + 1)})", lambda: "('a' in d)", lambda: f"({string(r, 3)} < {string(r, 3)})", lambda: "(missing is defined)",
        lambda: f"({string(r, depth + 1)}).startswith('{r.choice('Hab ')}')", lambda: f"({string(r, depth + 1)}).endswith(('{r.choice('dc ')}', 'x'))", lambda: f"({whole(r, 3)} is {r.choice(('odd', 'even', 'divisibleby 3', 'divisibleby(2)'))})",
        lambda: f"({whole(r, 3)} < {whole(r, 3)} <= {whole(r, 3)})", lambda: f"({any_(r, 3)} is eq {any_(r, 3)})", lambda: f"({any_(r, 3)} is in [1, 'abc', none])",
        lambda: f"({string(r, 3)}).isdigit()", lambda: f"({string(r, 3)}).isupper()", lambda: f"({any_(r, 3)} is sameas true)", lambda: "(1 == 1.0 == true)", lambda: "('upper' is filter)",
    ))()


def list_(r: random.Random, depth: int = 0) -> str:
    if depth > 2 or r.random() < 0.3:
        return r.choice(("xs", "ws", "em", "[1, 2.5, 'a']", "range(4)", "range(5, 0, -2)", "d.values()", "d.keys()", "(1, 'b')", "[none, true]"))
    x = list_(r, depth + 1)
    return r.choice((
        lambda: f"{x}|list", lambda: f"({x})[{index(r)}:{index(r)}:{r.choice(('', '1', '-1', '2'))}]", lambda: f"[{any_(r, depth + 1)}, {any_(r, depth + 1)}]",
        lambda: f"{r.choice(('xs', 'ws', 'em'))}|sort{r.choice(('', '(reverse=true)', '(case_sensitive=true)'))}", lambda: f"{x}|reverse|list", lambda: f"{x}|unique|list", lambda: f"({string(r, 3)}).split({r.choice(('', repr(','), repr('l') + ', 1', 'none, 1'))})",
        lambda: f"{x}|map('string')|list", lambda: f"ds|map(attribute='{r.choice(('k', 'v', 'o.p', 'nope'))}')|list", lambda: "ds|map(attribute='o.p', default='-')|list", lambda: f"{x}|select('{r.choice(('defined', 'string', 'number', 'none'))}')|list",
        lambda: f"{x}|reject('{r.choice(('string', 'number'))}')|list", lambda: f"ds|selectattr('{r.choice(('o', 'v', 'k'))}')|list", lambda: "ds|selectattr('k', 'equalto', 'x')|list", lambda: f"ds|rejectattr('v', '{r.choice(('gt', '<', 'eq'))}', 1)|map(attribute='k')|list",
        lambda: "ds|sort(attribute='v')|map(attribute='k')|list", lambda: "ds|sort(attribute='k,v')|list", lambda: "d|items|list", lambda: f"d|dictsort{r.choice(('', '(reverse=true)'))}", lambda: "{'b': 2, 'A': 1}|dictsort(by='value')", lambda: f"xs|map('{r.choice(('abs', 'string', 'float'))}')|list",
        lambda: f"(xs + {r.choice(('[9]', 'em', 'ws'))})", lambda: f"(xs * {r.choice((0, 2))})", lambda: "d.items()|list", lambda: f"({string(r, 3)})|list", lambda: "xs|batch(2)|list", lambda: "xs|batch(2, 'fill')|list", lambda: f"({string(r, 3)}).splitlines()", lambda: f"({string(r, 3)}).rsplit('l', 1)",
        lambda: "'a b  c'.rsplit(none, 1)", lambda: "s.rpartition(',')",
    ))()


def any_(r: random.Random, depth: int = 0) -> str:
    made = r.choice((string, string, whole, number, boolean, list_, other, other))
    return made(r, depth)


def other(r: random.Random, depth: int = 0) -> str:
    return r.choice(("nil", "none", "missing", "d", "d.nope", "ds", "deep", "{'x': 1, 'y': [2]}", "d.get('a')", "d.get('q')", "d.get('q', 5)", "(1,)", "()", "xs[9]", "d['zz']", "dict(a=1, b=2)",
                     "namespace(a=1).a", "{1: 'i', 'k': none}", "ds[0].o.p", "ds|first", "ds|last", "em|first", "(s if no)", "xs|max", "d.c[1]", "xs.0", "[[1, 2], [3]]", "d|length"))


def sign(r: random.Random, block: bool = True) -> str:
    return r.choice(("", "", "", "-", "+" if block else ""))


def tag(r: random.Random, inside: str) -> str:
    return f"{{%{sign(r)} {inside} {sign(r)}%}}"


def out(r: random.Random, expression: str) -> str:
    return f"{{{{{sign(r, False)} {expression} {sign(r, False)}}}}}"


def data(r: random.Random) -> str:
    return r.choice(("", "\n", "  \n", "text ", "\n    ", " x\n", "<b>\n\n", "\t", "é\n", "{# note #}", "{#- note -#}", "  {# a\n b #}\n", "{% raw %}{{ raw }}\n{% endraw %}", "{ %}", "\r\n"))


def statement(r: random.Random, depth: int = 0, loop: bool = False) -> str:
    def body() -> str:
        return program(r, depth + 1, loop)

    if depth > 2 or r.random() < 0.3:
        return out(r, any_(r, 1))
    kind = r.randrange(18)
    if kind < 3:
        middle = "".join((tag(r, f"elif {boolean(r, 1)}") + body()) for _ in range(r.randrange(2)))
        return tag(r, f"if {r.choice((boolean, any_))(r, 1)}") + body() + middle + (tag(r, "else") + body() if r.random() < 0.5 else "") + tag(r, "endif")
    if kind < 7:
        target, items = r.choice((("i", list_(r, 1)), ("i", list_(r, 1)), ("k, v", "d.items()"), ("k, v", "d|items"), ("a, b", "[(1, 2), 'xy']"), ("i", "s"), ("i", "missing"), ("i", "ds|selectattr('v')")))
        condition = f" if {r.choice((boolean(r, 2), 'i', 'i is string'))}" if r.random() < 0.3 and target == "i" else ""
        inner = program(r, depth + 1, True) + out(r, r.choice(("loop.index", "loop.index0", "loop.last", "loop.first", "loop.length", "loop.revindex", "loop.revindex0", "loop.previtem", "loop.nextitem",
                                                             "loop.cycle('a', 'b')", "loop.depth", "loop.changed(loop.index // 2)", target.split(",")[0], target.split(",")[-1]))) + data(r)
        if r.random() < 0.2:
            inner = tag(r, f"if {boolean(r, 1)}") + tag(r, r.choice(("break", "continue"))) + tag(r, "endif") + inner
        return tag(r, f"for {target} in {items}{condition}") + inner + (tag(r, "else") + body() if r.random() < 0.3 else "") + tag(r, "endfor")
    return r.choice((
        lambda: tag(r, f"set {r.choice('pqr')} = {any_(r, 1)}"), lambda: tag(r, f"set p, q = {r.choice(('1, 2', 'xs[:2]', '(s, n)'))}") + out(r, "p ~ q"),
        lambda: tag(r, "set ns = namespace(c=0, l=[])") + tag(r, "for i in xs") + tag(r, f"set ns.c = ns.c + {whole(r, 2)}") + tag(r, "set ns.l = ns.l + [i]") + tag(r, "endfor") + out(r, "ns.c ~ ns.l"),
        lambda: tag(r, "set p") + body() + tag(r, "endset") + out(r, "p|length") + out(r, "p"), lambda: tag(r, "set p|upper") + body() + tag(r, "endset") + out(r, "p"),
        lambda: tag(r, f"macro m(a, b={string(r, 2)}, c=none)") + out(r, "a ~ b ~ c") + body() + tag(r, "endmacro") + out(r, f"m({any_(r, 2)})") + out(r, f"m(1, c={any_(r, 2)})") + out(r, "m(b=2)"),
        lambda: tag(r, "macro w(a)") + "<" + out(r, "caller(a)") + ">" + tag(r, "endmacro") + tag(r, f"call(x) w({any_(r, 2)})") + out(r, "x") + body() + tag(r, "endcall"),
        lambda: tag(r, "macro v(a)") + out(r, "varargs") + out(r, "kwargs") + tag(r, "endmacro") + out(r, f"v(1, {any_(r, 2)}, z={any_(r, 2)})"),
        lambda: tag(r, "filter " + r.choice(("upper", "trim", "title", "trim|upper", "replace('a', 'A')"))) + body() + tag(r, "endfilter"),
        lambda: tag(r, f"with p = {any_(r, 2)}, q = p") + out(r, "p") + out(r, "q") + body() + tag(r, "endwith"), lambda: tag(r, "generation") + body() + tag(r, "endgeneration"),
        lambda: tag(r, "for i in deep recursive") + tag(r, "if i is iterable and i is not string") + "[" + out(r, "loop(i)") + "]" + tag(r, "else") + out(r, "i ~ loop.depth0") + tag(r, "endif") + tag(r, "endfor"),
        lambda: out(r, "raise_exception('no ' ~ " + r.choice(("s", "n", "xs", "'it'")) + ")") if r.random() < 0.2 else out(r, "strftime_now('%d %b %Y')"), lambda: tag(r, f"print {any_(r, 1)}"),
    ))()


def program(r: random.Random, depth: int = 0, loop: bool = False) -> str:
    return "".join(data(r) + statement(r, depth, loop) for _ in range(r.randint(1, 4 - depth if depth < 3 else 1))) + data(r)
