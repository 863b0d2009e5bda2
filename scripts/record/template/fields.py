"""Random fields of str.format with specifications, and calls with * and **."""

from __future__ import annotations

import random

VARIABLES = {"s": "Hello", "u": "größe", "e": "", "n": 7, "z": 0, "neg": -3, "big": 2**53 + 1, "least": -2**63, "m": 1234567, "f": 2.5, "g": -0.000123,
             "h": 123456789.125, "w": 1e16, "yes": True, "nil": None, "xs": [3, 1, 2], "ws": ["beta", "Alpha"], "em": [], "d": {"a": 1, "b": "two"}, "odd": {"a b": 1}}
WHOLE = ("n", "z", "neg", "big", "least", "m", "yes")
REAL = ("f", "g", "h", "w", "1.0", "0.5", "-0.0", "1e300", "99.995")
OTHER = ("nil", "xs", "d", "missing", "em")


WHOLE_TYPES, REAL_TYPES = ("", "d", "d", "x", "X", "o", "b"), ("e", "E", "f", "f", "F", "g", "G", "%")


def number(r: random.Random, types: tuple[str, ...], precise: bool) -> str:
    """The specification of a number. The interpreter refuses # of a float, and separators with zeros that fill the width."""
    kind = r.choice(types)
    separator = r.choice(("", "", "", "_", "," if kind not in ("x", "X", "o", "b") or r.random() < 0.2 else ""))
    fill = r.choice(("", "", "", "<", ">", "^", "=", "*<", "é^", "-=", "0<"))
    width = r.choice(("", "", "1", "5", "8", "12") + (() if separator else ("05", "010")))
    return (fill + r.choice(("", "", "", "+", "-", " ")) + r.choice(("", "", "" if precise else "#")) + width + separator +
            (r.choice(("", "", ".0", ".1", ".2", ".3", ".10")) if precise else "") + kind)


def wrong(r: random.Random) -> str:
    return r.choice((".2d", ",x", "r", "s", "5.", "=5", "<<<", "+s", "5d5", ",_d", "_,", "10s", ".1", "é"))


def text(r: random.Random) -> str:
    return (r.choice(("", "", "<", ">", "^", "*^", "é<", "0>")) + r.choice(("", "1", "5", "12", "08")) +
            r.choice(("", "", ".0", ".2", ".9")) + r.choice(("", "s")))


def field(r: random.Random) -> str:
    kind = r.randrange(8)
    value, made = ((r.choice(("s", "u", "e", "'x'", "s|upper", "s|safe")), text(r)) if kind < 2 else
                   (r.choice(WHOLE), number(r, WHOLE_TYPES, False)) if kind < 4 else
                   (r.choice(WHOLE), number(r, REAL_TYPES, True)) if kind == 4 else
                   (r.choice(REAL), number(r, REAL_TYPES, True)) if kind < 7 else (r.choice(OTHER), r.choice(("", "s", "5"))))
    if r.random() < 0.1:
        value, made = r.choice(("s", "n", "nil")), wrong(r)
    return r.choice((f"{{{{ '[{{:{made}}}]'.format({value}) }}}}", f"{{{{ '{{0:{made}}}|{{1}}|{{0}}'.format({value}, n) }}}}",
                     f"{{{{ '<|image_{{i:{made}}}|>'.format(i={value}) }}}}"))


def numbering(r: random.Random) -> str:
    text = "".join(r.choice(("{}", "{0}", "{1}", "{a}", "{b:>5}", "{{", "}}", "-", "{:d}", "{9}")) for _ in range(r.randint(1, 4)))
    return f"{{{{ '{text}'.format(n, m, a=s, b=7) }}}}"


def plain_float(r: random.Random) -> str:
    return f"{{{{ '{{:{r.choice(('', '12', '<12', ',', '_', '+', '^20', '010'))}}}'.format({r.choice(REAL)}) }}}}"


def arguments(r: random.Random) -> str:
    choices = ("n", "s", "*xs", "*ws", "*em", "*e", "*s", "*d", "*missing", "*nil", "a=1", "b=2", "c=n", "**d", "**{'c': 5}", "**{}", "**odd", "**nil", "**xs", "**missing")
    made = list(dict.fromkeys(r.choice(choices) for _ in range(r.randint(0, 4))))
    if r.random() < 0.9:
        made.sort(key=lambda a: (a.startswith("**"), "=" in a or a.startswith("*")))
    return ", ".join(made)


def spread(r: random.Random) -> str:
    given = arguments(r)
    return r.choice((
        lambda: "{% macro m(a, b=2, c=3) %}{{ a }},{{ b }},{{ c }};{{ varargs }}{{ kwargs }}{% endmacro %}" + f"{{{{ m({given}) }}}}",
        lambda: "{% macro m(a, b=2) %}{{ a }},{{ b }}{% endmacro %}" + f"{{{{ m({given}) }}}}",
        lambda: "{% macro m(a=0) %}{{ a }}{{ caller(*[1, 2]) }}{% endmacro %}" + f"{{% call(x, y=3) m({given}) %}}{{{{ x }}}}{{{{ y }}}}{{% endcall %}}",
        lambda: f"{{{{ dict({given}) }}}}", lambda: f"{{{{ namespace({given}).a }}}}", lambda: f"{{{{ range(*xs[:{r.choice((0, 1, 2, 3))}])|list }}}}",
        lambda: f"{{{{ '{{}}{{}}{{a}}'.format({given}) }}}}", lambda: f"{{{{ s|replace(*['l', 'L'], **{{'count': {r.choice((0, 1))}}}) }}}}",
        lambda: f"{{{{ missing|default(*{r.choice(('ws', 'em', 'xs'))}) }}}}", lambda: f"{{{{ n is divisibleby(*[{r.choice((1, 2, 7))}]) }}}}",
        lambda: "{% macro out(a) %}{% macro within(x, y=9) %}{{ x }}{{ y }}{% endmacro %}{{ within(a, *varargs, **kwargs) }}{% endmacro %}" + f"{{{{ out({given}) }}}}",
    ))()


def program(r: random.Random) -> str:
    return "".join(r.choice((field, field, field, plain_float, numbering, spread, spread))(r) for _ in range(r.choice((1, 1, 1, 2))))
