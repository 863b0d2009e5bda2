"""Random programs that read and assign few names in nested blocks: which variable a name means."""

from __future__ import annotations

import random

VARIABLES = {"x": "X", "y": "Y"}
NAMES = ("x", "y", "z", "w")


def block(r: random.Random, depth: int, loop: bool) -> str:
    def inner(in_loop: bool = False) -> str:
        return body(r, depth + 1, in_loop)

    name, other = r.choice(NAMES), r.choice(NAMES)
    return r.choice((
        lambda: f"{{% if {r.choice((*NAMES, 'true', 'false'))} %}}{inner(loop)}{{% else %}}{inner(loop)}{{% endif %}}",
        lambda: f"{{% for {r.choice((*NAMES, 'i'))} in [1, 2] %}}{inner(True)}{{% endfor %}}",
        lambda: f"{{% for i in [] %}}{inner(True)}{{% else %}}{inner(loop)}{{% endfor %}}",
        lambda: f"{{% for i in [[1], [2]] recursive %}}{inner(True)}{{% if i is iterable %}}{{{{ loop(i) }}}}{{% endif %}}{{% endfor %}}",
        lambda: f"{{% macro m({r.choice(('', name, f'{name}={other}', f'{name}={other}, q=1'))}) %}}{inner()}{{% endmacro %}}{{{{ m() }}}}",
        lambda: f"{{% macro u() %}}{inner()}{{{{ caller() }}}}{{% endmacro %}}{{% call u() %}}{inner()}{{% endcall %}}",
        lambda: f"{{% with {name} = {other} %}}{inner(loop)}{{% endwith %}}",
        lambda: f"{{% set {name} %}}{inner(loop)}{{% endset %}}",
        lambda: f"{{% filter upper %}}{inner(loop)}{{% endfilter %}}",
        lambda: f"{{% generation %}}{inner()}{{% endgeneration %}}",
    ))()


def statement(r: random.Random, depth: int, loop: bool) -> str:
    kind = r.randrange(14)
    name = r.choice(NAMES)
    if depth > 3 or kind < 4:
        return f"{{{{ {name} }}}}."
    if kind < 7:
        return f"{{% set {name} = {r.choice((repr(str(r.randrange(9))), r.choice(NAMES) + ' ~ 1'))} %}}"
    return block(r, depth, loop)


def body(r: random.Random, depth: int, loop: bool) -> str:
    return "".join(statement(r, depth, loop) for _ in range(r.randint(1, 4)))


def program(r: random.Random) -> str:
    return body(r, 0, False)
