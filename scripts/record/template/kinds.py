"""Templates of the constructs in which some renderer differed from jinja2 (compare.py finds them), and one that tests properties of
characters."""

from __future__ import annotations

import unicodedata
from typing import Any

VARIABLES: dict[str, Any] = {"s": "Hello, World", "h": "<b>it's</b>", "xs": [3, 1, 2, 1], "d": {"a": 1, "b": "two"}, "ds": [{"k": "x", "v": 1}, {"k": "y", "v": None}],
                             "schema": {"type": "integer", "maximum": 18446744073709551615, "minimum": -(10**30)}, "n": 7, "f": 2.5, "huge": 2**64, "least": -(2**63)}
PROGRAMS = (
    # Methods with their optional arguments, and arguments that Python does not take.
    "{{ 'abcabc'.find('c', 3) }}{{ 'abcabc'.find('c', 3, 5) }}{{ 'abcabc'.rfind('a', none, -4) }}{{ 'abc'.find('', 3) }}{{ 'abc'.find('', 4) }}",
    "{{ 'aXbX'.count('X', -2) }}{{ 'abc'.count('', 1) }}{{ 'äöü'.index('ü', 1) }}{{ 'abc'.rindex('c', 0, 99) }}", "{{ 'abc'.index('a', 1) }}",
    "{{ s.startswith('World', 7) }}{{ s.endswith(('lo', 'x'), 0, 5) }}{{ 'abc'.startswith('', 4) }}{{ s.startswith(()) }}", "{{ xs.index(1, 2) }}{{ xs.index(2, -2, 4) }}{{ xs.count(1) }}{{ (1, 2).index(2) }}",
    "{{ xs.index(3, 1) }}", "{{ 'a'.strip(chars='a') }}", "{{ 'a,b'.split(sep=',', maxsplit=1) }}{{ 'a\\nb'.splitlines(keepends=true) }}{{ 'a\\tb'.expandtabs(tabsize=3) }}{{ 'ab\\tc'.expandtabs() }}|", "{{ 'a'.replace('a', new='b') }}",
    "{{ 'ab'.center(5, '*') }}{{ 'Ab ß'.swapcase() }}{{ 'Straße ΑΣ'.casefold() }}{{ '{a}'.format_map(d) }}", "{{ xs.append(1) }}", "{{ xs.append }}{{ d.update }}{{ s.__class__ }}|", "{{ (1, 2).copy() }}", "{{ n.upper() }}",
    "{{ n.real }}{{ n.imag }}{{ true.numerator }}{{ f.real }}{{ n.bit_length() }}{{ f.is_integer() }}{{ n.conjugate() }}", "{{ f.denominator }}|",
    # Predicates and cases.
    "{{ 'ʰ'.islower() }}{{ 'Ⅷ'.isupper() }}{{ 'ǅ'.istitle() }}{{ 'ǅ'.isupper() }}{{ '²'.isdigit() }}{{ '²'.isdecimal() }}{{ '½'.isnumeric() }}{{ '一'.isnumeric() }}{{ 'ǅ' is upper }}{{ 'aʰ' is lower }}{{ 'ª1'.isidentifier() }}",
    "{{ '٣'|int }}{{ ' １２ '|int }}{{ '٣.٥'|float }}{{ '²'|int(-1) }}{{ '𝟘𝟙'|int }}{{ '1_0'|int }}{{ '१'|int(0, 8) }}", "{{ 'ΑΣ ΣΑΣ. ΑΣ́'.lower() }}{{ 'ΑΣ'.title() }}{{ 'İ'.lower()|length }}{{ 'ﬁŉᾳ'.upper() }}{{ 'ﬁ ŉ'.title() }}{{ 'ΑΣ-ΣΑΣ'|title }}{{ 'ΑΣ'|capitalize }}",
    "{{ ['Σ', 'ς', 'σ']|sort }}{{ ['ΑΣ', 'ας']|unique|list }}",
    # Numbers.
    "{{ 9223372036854775807 + 1 }}{{ least * least }}{{ -least }}{{ 10 ** 30 // 7 }}{{ -(10 ** 30) % 7 }}{{ 2 ** 64 - 2 ** 64 }}", "{{ schema.maximum }}{{ schema|tojson }}{{ schema.maximum is integer }}{{ schema.minimum is odd }}{{ schema.maximum|string|length }}",
    "{{ 9007199254740993 / 3 }}{{ 9223372036854775807 / 9223372036854775806 }}{{ 10 ** 400 / 10 ** 399 }}{{ 1 / 10 ** 320 }}", "{{ 9007199254740993 / 1 }}{{ 9007199254740995 / 1 }}{{ 9007199254740993 / 2 ** 1075 }}{{ 3 / 2 ** 1075 }}{{ 1 / 2 ** 1075 }}{{ (2 ** 64 + 2 ** 11)|float }}{{ (2 ** 64 + 2 ** 11 + 1)|float }}", "{{ 10 ** 400 / 1 }}", "{{ 2 ** 64 == 18446744073709551616.0 }}{{ 2 ** 64 + 1 == 18446744073709551616.0 }}{{ {2 ** 64: 1}[18446744073709551616.0] }}{{ 2 ** 1000 < 1e308 }}",
    "{{ '%d|%x|%05d' % (2 ** 70, 2 ** 70, -2) }}{{ '{:,}|{:#x}'.format(10 ** 20, 2 ** 65) }}{{ '99999999999999999999'|int }}{{ 1e22|int }}{{ '1e30'|int }}", "{{ 2.5|round(method='ceil') }}{{ 1e22|round(0, 'floor') }}{{ 7|round(1, 'ceil') }}{{ 15|round(-1) }}{{ 25|round(-1) }}{{ 2.675|round(2) }}{{ 1234.5|round(-2) }}{{ 0.1|round(2, 'ceil') }}",
    "{{ 7|round(0, 'up') }}", "{{ ('inf'|float)|round(0, 'ceil') }}", "{{ '%#x|%o|%+d|% d|%-5d|%05.3d|%c|%a|%%|%*d' % (255, 8, 3, 4, 5, 6, 65, 'é', 3, 7) }}", "{{ '%s' % (1, 2) }}", "{{ '%5%' % () }}", "{{ '%(a)s %s' % d }}",
    # Lists.
    "{{ [none, none]|sort }}{{ ds|sort(attribute='k') }}", "{{ [none, 1]|sort }}", "{{ ds|sort(attribute='v') }}", "{{ range(10)[2:5] }}{{ range(10)[::100] }}{{ range(10, 0, -3)[1:] }}{{ range(5)[::-1] }}{{ range(10)[18446744073709551616:] }}{{ s[-18446744073709551616:5] }}{{ range(3).stop }}{{ range(5) == range(0, 5) }}",
    "{{ dict.fromkeys('ab') }}{{ dict.fromkeys([1, 1.0], 0) }}{{ {}.fromkeys(xs, none) }}{{ {range(2): 1} }}", "{{ dict.nope }}|",
    # Literals: a backslash before a character beyond ASCII.
    "{{ '\\é\\🙂\\u00e9\\x41\\101' }}{{ \"\\'\\ß\" }}",
    # Safe texts.
    "{{ (h|safe|upper)|e }}{{ (h|safe).replace('b', '<') }}{{ (h|safe) ~ '<' }}{{ (h|safe) + '<' }}{{ (h|e)|upper is escaped }}{{ (h|safe)|trim is escaped }}{{ (h|safe)|title is escaped }}", "{{ ('<%s>'|safe) % '<' }}{{ ('<{}>'|safe).format('<', 1) }}{{ ('<'|safe).join(['<', 1, h|safe]) }}{{ ('%s'|safe)|format('<') }}",
    "{{ (h|safe).split('t')|map('e')|list }}{{ (h|safe)[1:] is escaped }}{{ (h|safe).strip('<') }}{{ ('ab'|safe)|truncate(2, leeway=0) }}{{ ('a b c d'|safe)|truncate(4, false, '<', 0) }}{{ ('ab'|safe)|center(4) is escaped }}", "{{ ('x'|safe).center(5, '<') }}", "{{ ('a\\nb'|safe)|indent('<') }}{{ (h|safe)|replace('b', '<') is escaped }}{{ (h|safe)|reverse }}{{ (h|safe)|striptags is escaped }}",
    # Macros.
    "{% macro m(a, b=2) %}{{ varargs }}{{ caller }}{% endmacro %}{{ m.name }}{{ m.arguments }}{{ m.catch_varargs }}{{ m.catch_kwargs }}{{ m.caller }}{{ m.explicit_caller }}{{ m.defaults }}|", "{% macro o() %}{% macro i() %}{{ kwargs }}{{ varargs }}{% endmacro %}{{ i(1, z=2) }}{% endmacro %}{{ o(5, y=6) }}{{ o.catch_kwargs }}",
    "{% macro m() %}{% generation %}{{ caller is defined }}{{ varargs }}{{ kwargs }}{% endgeneration %}{% endmacro %}{% call m() %}x{% endcall %}{{ m(1, b=2) }}", "{% macro m() %}{% set caller = 1 %}{{ caller }}{% endmacro %}{{ m.caller }}{{ m() }}{% call m() %}{% endcall %}", "{% macro m(caller=none) %}{{ caller }}{% endmacro %}{{ m() }}{{ m(5) }}{% call m() %}x{% endcall %}",
    "{% macro m(caller) %}{{ caller() }}{% endmacro %}", "{% macro m(kwargs) %}{{ kwargs }}{% endmacro %}{{ m.catch_kwargs }}{{ m(1) }}{{ m(kwargs=2) }}", "{% macro m() %}{{ caller }}{% endmacro %}{% call m() %}x{% endcall %}{{ m }}", "{% call dict() %}x{% endcall %}", "{% filter length %}abc{% endfilter %}", "{% filter upper|e %}<b>{% endfilter %}", "{% if false %}{{ dict(a=1, a=2) }}{% endif %}",
    # Constants that are not finite, and tags.
    "{{ 1e400 }}{{ 'nan'|float }}", "{{ [1]|truncate(0, false, '') }}{{ d|truncate(3) }}{{ s|truncate(huge) }}{{ missing|truncate }}|", "{{ missing|truncate(2) }}", "{{ xs|truncate(1, false, '', 0) }}", "{{ '<!-- a <i> b'|striptags }}{{ '<!-- a --> <i>b</i> c>'|striptags }}{{ '<<a>>'|striptags }}",
)
# They come after CHARACTERS, so that the ids of earlier vectors stay.
LATER: tuple[str, ...] = (
    # The arguments of a call block: its caller comes before those of `**`.
    "{% macro m() %}{{ kwargs.keys()|list }}{% endmacro %}{% call m(b=1, **{'a': 2}) %}x{% endcall %}",
    # Blocks through three filters and more.
    "{% filter upper|lower|replace('a', 'b')|title %}abc{% endfilter %}{% set x|upper|e|lower %}<A>{% endset %}{{ x }}",
    # A block whose result is no text: the error comes when the text around it is joined, so that raise_exception after it comes first.
    "{% call namespace() %}x{% endcall %}{{ raise_exception('after') }}", "{% macro m() %}{% filter length %}a{% endfilter %}{% endmacro %}{% if m() %}{% endif %}{{ raise_exception('after') }}",
    "{% generation %}{% call dict() %}{% endcall %}{% endgeneration %}{{ raise_exception('after') }}", "{% for i in [1] recursive %}{% call dict() %}{% endcall %}{% endfor %}{{ raise_exception('after') }}", "{% for i in [1] %}{% call dict() %}{% endcall %}{% endfor %}{{ raise_exception('after') }}",
    # The syntax of targets, tuples, subscripts and parameters.
    "{% set a, = [1] %}", "{% for a, in [[1]] %}{% endfor %}", "{% for x in xs, recursive %}{{ x }};{% endfor %}", "{% set in = 1 %}{% for in in [in] %}{{ in }}{% endfor %}", "{% for loop in xs %}{% endfor %}", "{% for (a, loop) in [] %}{% endfor %}", "{% for x in xs %}{% macro m() %}{% set loop = 1 %}{% endmacro %}{% endfor %}", "{% set loop = 1 %}{{ loop }}{% for x in [1] %}{% with loop = 2 %}{{ loop }}{% endwith %}{% endfor %}", "{% macro m(a, a) %}{% endmacro %}",
    "{% print n, s %}{% print %}{% print (n, s) %}", "{% print n, %}", "{{ d[] }}|{{ d[1, 2] }}|", "{{ d[1,] }}",
    # Division that rounds twice.
    "{{ 1e16 // 3.14159 }} {{ 1e16 // 3 }} {{ -1e16 // 3 }} {{ 7.5 // -2 }} {{ -0.0 // 1 }} {{ 1e-300 // -1 }} {{ 5e-324 % -3 }}",
    # Attributes and elements of a field.
    "{{ '{0[a]}{0[b]:>5}{1[1]}{1[-1]}{2.real:03d}{d[a].real!r}{0[nope]}'.format(d, xs, n, d=d) }}", "{{ '{0[a}'.format(d) }}", "{{ '{0[a]b}'.format(d) }}", "{{ '{0.}'.format(d) }}", "{{ '{0[nope][a]}'.format(d) }}", "{{ '{d[a}{0[]}'.format(d=d) }}|", "{{ '{a[b]}'.format_map({'a': d}) }}",
    "{{ dict(missing) }}",
    "{{ xs.18446744073709551616 }}{{ xs.1 }}|", "{{ s|tojson(indent=missing) }}", "{{ xs|tojson(indent=missing) }}",
    # The default of an attribute that is a number or undefined.
    "{{ ds|map(attribute=0, default='q')|list }}{{ [xs, []]|map(attribute=0, default='q')|list }}{% for g in ds|groupby(missing, default='x') %}{{ g }}{% endfor %}", "{{ [[], xs]|groupby(0, default=7)|list }}",
    # A comment or raw text that begins at the end.
    "a{#", "a{#-\n", "b {% raw %}", "{#\n\n", "{% raw %} ", "{{",
    # A colon before the end of a tag.
    "{% if n: %}a{% elif s: %}b{% else: %}c{% endif %}{% for x in xs: %}{{ x }}{% else: %}{% endfor %}{% macro m(): %}m{% endmacro %}{{ m() }}{% filter upper: %}f{% endfilter %}{% set y: %}y{% endset %}{{ y }}{% call m(): %}{% endcall %}", "{% with a = 1: %}{% endwith %}", "{% set y = 1: %}", "{% if n %}{% endif: %}",
    # Arguments that a safe text escapes, of any type.
    "{{ (h|safe).replace('b', 2) }}{{ (h|safe).replace('b', [1, '<'], 1) }}{{ (h|safe).replace('b', missing) }}{{ ('x'|safe).center(5, 1) }}", "{{ ('x'|safe).center(5, none) }}", "{{ (h|safe).replace(2, 'b') }}",
    # The variable `self`: it is the template unless an assignment stands before every use.
    "{{ self.DEFAULT_SYSTEM_MESSAGE }}{{ self['a'] }}{{ self[0] }}{{ self.__class__ }}{{ self['_a'] }}{{ self.a is defined }}|{{ self }}{{ self|e }}{{ self|upper }}{{ '%s'|format(self) }}{{ [self] }}{{ self|int(3) }}{{ self|default(1) }}",
    "{{ self is defined }}{{ self is iterable }}{{ self is sequence }}{{ self is mapping }}{{ self is callable }}{{ self is string }}{{ self is sameas self }}{{ self == self }}{{ self == 1 }}{{ self in [self] }}{{ {self: 1}[self] }}{{ not self }}",
    "{{ self.a.b }}", "{{ self[1:2] }}", "{{ self() }}", "{{ self|length }}", "{{ self|list }}", "{{ 1 in self }}", "{{ self|tojson }}", "{{ self < self }}", "{% for x in self %}{% endfor %}", "{% set self.a = 1 %}{{ self }}",
    "{% set self = 1 %}{{ self }}", "{% if not n %}{% set self = 1 %}{% endif %}{{ self }}|", "{{ self }}{% if not n %}{% set self = 1 %}{% endif %}{{ self }}{% set self = 2 %}{{ self }}",
    "{% for i in xs %}{{ self }}{% endfor %}{% set self = 1 %}{{ self }}", "{% for i in xs %}{{ self }}{% set self = i %}{{ self }}{% endfor %}{{ self }}", "{% for self in xs %}{{ self }}{% endfor %}{{ self }}|", "{% macro m(self=4) %}{{ self }}{% endmacro %}{{ m() }}{{ self }}|",
    "{% macro m() %}{{ self }}{% set self = 3 %}{{ self }}{% endmacro %}{{ m() }}{{ self }}", "{% set self = 1 %}{% macro m() %}{{ self }}{% endmacro %}{{ m() }}", "{% macro self() %}m{% endmacro %}{{ self }}", "{{ self }}{% macro self() %}m{% endmacro %}{{ self() }}", "{% with self = self %}{{ self }}{% endwith %}{{ self }}|", "{% set x = self %}{% set self = x %}{{ self }}|",
    # Names of macros and parameters that are constants.
    "{% macro m(c, none) %}{% endmacro %}", "{% macro True() %}{% endmacro %}", "{% macro m() %}{% endmacro %}{% call(False) m() %}{% endcall %}", "{% macro m(c, NONE=1) %}{{ NONE }}{% endmacro %}{{ m(2) }}",
    # Sizes that round to a double below the next unit.
    "{{ (10 ** 25 / 10)|filesizeformat }}{{ (10 ** 24)|filesizeformat }}{{ (10 ** 24 - 1)|filesizeformat }}{{ 1.0000000000000001e24|filesizeformat }}{{ 1000.0|filesizeformat }}{{ 1e21|filesizeformat }}{{ (2 ** 80 - 2 ** 20)|filesizeformat(true) }}{{ (2 ** 80)|filesizeformat(true) }}",
)
# Of each character a mask, whose bits are the predicates in order of weight, then its cased forms where they differ.
CHARACTERS = ("{% for c in s %}{{ c.isupper()|int + c.islower()|int * 2 + c.istitle()|int * 4 + c.isalpha()|int * 8 + c.isdecimal()|int * 16 + c.isdigit()|int * 32 + c.isnumeric()|int * 64 + "
              "c.isalnum()|int * 128 + c.isspace()|int * 256 + c.isprintable()|int * 512 + c.isidentifier()|int * 1024 + ('a' ~ c).isidentifier()|int * 2048 + (('A' ~ c ~ 'Σ').lower()|last == 'ς')|int * 4096 + "
              "(('AΣ' ~ c ~ 'a').lower()[1] == 'ς')|int * 8192 + (c.swapcase() != c)|int * 16384 }}{{ c.upper() if c.upper() != c }}{{ c.lower() if c.lower() != c }}{{ c.title() if c.title() != c.upper() }}"
              "{{ c.casefold() if c.casefold() != c.lower() }}{% endfor %}")


def characters() -> str:
    """All characters that are numeric, have a case or are special in names, and every 199th of the others."""
    def is_special(c: str) -> bool:
        return (c.isnumeric() or c.upper() != c or c.lower() != c or c.isupper() or c.islower() or c.istitle() or
                unicodedata.category(c) in ("Mn", "Me", "Cf", "Lm", "Sk", "Pc", "Zs", "Zl", "Zp", "Cc"))
    assigned = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) not in ("Cn", "Cs", "Co")]
    return "".join(c for i, c in enumerate(assigned) if is_special(c) or i % 199 == 0 or c.isidentifier() != c.isalpha())


def programs() -> list[tuple[str, dict[str, Any]]]:
    text = characters()
    return [*((program, VARIABLES) for program in PROGRAMS), (CHARACTERS, {"s": text}), *((program, VARIABLES) for program in LATER)]
