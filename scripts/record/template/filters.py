"""Random uses of filters that few templates need, and of filters that are evaluated when they are read."""

from __future__ import annotations

import random

VARIABLES = {"s": "The quick brown-fox jumps over -- the well-known x-y-z lazy dog's tail--really, \"quoted\"--yes", "t": "  über\n naïve-ß  a\tb ", "e": "",
             "n": 7, "long": "supercalifragilistic-expialidocious word", "u": "/a b/?q=é;x=1", "h": "<p>Hi <!-- c <b> --> <b>there</b> you</p> <<x> ",
             "d": {"class": "a\"b", "id": 3, "no": None, "yes": True}, "xs": [3, 1, 2, 1], "em": [], "ps": [["a", 1], ["b c", "d/é"]],
             "ds": [{"k": "x", "v": 1, "o": {"p": 2}}, {"k": "y", "v": 2}, {"k": "X", "v": 0}, {"v": 5}]}
PARTS = ("a", "bb", "ccc-ddd", "e-f-g", "x--y", "-", "--", "...", "\"q\"", "it's", "ünï-cödé", "1-2", "a1-b2", "  ", "\t", "\u00a0", "hyphen-ated-word",
         "longlonglonglonglong", "a-", "-b", "!--z", "\n", "<i>", "</i>", "<!--", "-->", "a_b")
WIDTHS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 79)


def text(r: random.Random) -> str:
    if r.random() < 0.3:
        return r.choice(("s", "t", "e", "long", "u", "h"))
    made = "".join(r.choice(PARTS) + r.choice((" ", " ", "", "  ")) for _ in range(r.randrange(9)))
    return "'" + made.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t") + "'"


def wrapped(r: random.Random) -> str:
    w = r.choice(WIDTHS)
    how = r.choice(("", f"{w}", f"{w}, false", f"{w}, true, '|'", f"width={w}, break_on_hyphens=false", f"{w}, wrapstring=none",
                    f"{w}, break_long_words=false, break_on_hyphens=false", "0"))
    return f"{{{{ {text(r)}|wordwrap({how}) }}}}"


def grouped(r: random.Random) -> str:
    key = r.choice(("'v'", "'k'", "'k', default='x'", "attribute='k', default='', case_sensitive=true", "'o.p', default=0"))
    return f"{{% for g in ds|groupby({key}) %}}{{{{ g.grouper }}}}={{{{ g.list|length }}}}{{{{ g[0] }}}}{{{{ g }}}};{{% endfor %}}"


def parts(r: random.Random) -> str:
    return (f"{{{{ xs|slice({r.choice(('1', '2', '3', '5', '2, 9', '3, fill_with=none', '0', '-1'))})|list }}}}"
            f"{{{{ xs|batch({r.choice(('1', '2', '3', '0', '-1', '2, 9', '3, 9'))})|list }}}}")


def lazy(r: random.Random) -> str:
    mapped = r.choice(("'string'", "'abs'", "'nope'", "attribute='k'", "", "'batch'"))
    ends = r.choice(("true", "loop.last", "loop.index == 2", "x == 1", "false"))
    source = r.choice(("select('odd')", "unique", "batch(2)", "reverse", "reject('odd')", "map('string')"))
    return r.choice((
        f"{{% set g = xs|map({mapped}) %}}{{% for x in g %}}{{{{ x }}}}{{% if {ends} %}}{{% break %}}{{% endif %}}{{% endfor %}}[{{{{ g|list }}}}]",
        "{{ [1, 'a', none]|map('abs')|first }}{{ ds|map(attribute='o.p')|first }}" + f"{{{{ [1, 2]|select('{r.choice(('number', 'nope', 'odd'))}')|first }}}}",
        f"{{% set g = xs|{source} %}}{{{{ {r.choice((1, 3, 9))} in g }}}}{{{{ g|first }}}}{{{{ g|list }}}}",
        f"{{{{ []|map()|list }}}}{{{{ {r.choice(('[]', 'xs', 'none'))}|map()|list }}}}{{{{ {r.choice(('5', 'd', 'nope'))}|items is defined }}}}",
        f"{{% for x in xs|{source} %}}{{{{ loop.{r.choice(('last', 'length', 'index', 'revindex', 'nextitem', 'previtem'))} }}}}{{{{ x }}}}{{% endfor %}}",
        f"{{{{ xs|map('string')|reverse|{r.choice(('list', 'first', 'length', 'join'))} }}}}{{{{ xs|reverse|{r.choice(('list', 'first', 'length'))} }}}}",
    ))


def unknown(r: random.Random) -> str:
    use = r.choice(("{{ 1|nope }}", "{{ 1 is nope }}", "{{ 1|nope if false else 2 }}", "{% for i in []|nope %}{% endfor %}", "{% set a|nope %}{% endset %}"))
    around = r.choice(("{%% if %s %%}%s{%% endif %%}", "{%% if %s %%}{%% for i in [] %%}%s{%% endfor %%}{%% endif %%}", "{%% macro m%s() %%}%s{%% endmacro %%}"))
    return around % (r.choice(("false", "true")) if "macro" not in around else "", use) + "ok"


def scalar(r: random.Random) -> str:
    size = r.choice(("0", "1", "999", "1000", "1023", "1024", "123456789", "1.5", "2**60", "1e27", "1e31", "'12'", "'x'", "-5", "none"))
    return r.choice((
        f"{{{{ {text(r)}|wordcount }}}}", f"{{{{ {text(r)}|striptags }}}}", f"{{{{ {text(r)}|urlencode }}}}{{{{ {r.choice(('d', 'ps', 'xs', 'n', 'em'))}|urlencode }}}}",
        f"{{{{ d|xmlattr{r.choice(('', '(false)', '(true)'))} }}}}", f"{{{{ {size}|filesizeformat{r.choice(('', '(true)'))} }}}}",
        f"{{{{ {text(r)}|forceescape }}}}{{{{ {text(r)}|e|forceescape }}}}", f"{{{{ d|attr('{r.choice(('class', 'nope', '_x'))}') }}}}{{{{ s|attr('upper')() }}}}",
        f"{{% for k, l in xs|groupby({r.choice(('none', '0'))}) %}}{{{{ k }}}}:{{{{ l }}}};{{% endfor %}}",
        f"{{{{ '{r.choice(('wordwrap', 'random', 'urlize', 'nope', 'groupby'))}' is filter }}}}",
    ))


def program(r: random.Random) -> str:
    return "".join(r.choice((wrapped, wrapped, grouped, parts, lazy, lazy, unknown, scalar, scalar))(r) for _ in range(r.choice((1, 1, 2))))
