"""Random expressions over every type of value that a template has: texts of any script, marks of safe text, integers of any size,
methods with and without their optional arguments."""

from __future__ import annotations

import random

VARIABLES = {"s": "Hello, World", "e": "", "g": "ΑΣ ΣΑΣ. ὈΔΥΣΣΕΎΣ", "u": "Ǆ ǆ ǅ ﬁ ŉ ᾳ ß İstanbul ı", "c": "²³ ٣१२ ½ Ⅷ ʰⓐ", "h": "<a href=\"x\">it's & b</a>", "w": "one  two\tthree\n four\r\nfive\u2028six\x0bseven\x1ceight",
             "n": 7, "z": 0, "neg": -3, "huge": 2**64 - 1, "wide": -(10**30), "edge": 2**63 - 1, "least": -(2**63), "f": 2.5, "m": -0.0, "x": 1e300, "yes": True, "no": False, "nil": None,
             "xs": [3, 1, 2, 1], "ws": ["beta", "Alpha", "ßeta", "beta"], "em": [], "ns_": [None, None], "mix": [1, 1.0, True, "1"], "d": {"a": 1, "b": "two", "c": [1, 2], "Z": None},
             "ds": [{"k": "x", "v": 1}, {"k": "y", "v": None}, {"k": "X", "v": 0}], "schema": {"maximum": 18446744073709551615, "minimum": -1e400 if False else -5}}
PIECES = ("a", "b", "abc", "c", "ABC", "l", "o", " ", "  ", "\t", "\n", "\r\n", "é", "É", "ß", "ẞ", "Σ", "σ", "ς", "ΑΣ", "İ", "ı", "ǆ", "ǅ", "Ǆ", "ﬁ", "ŉ", "ᾳ", "ᾼ", "ʰ", "ª", "Ⅷ", "ⓐ", "²", "٣", "१२", "１", "𝟘", "½", "一",
          "e\u0301", "\u0301", "\u0345", "\u00ad", "\u00a0", "\u2028", "\x1c", "\u200b", "🙂", "<", "&", ">", "'", "\"", "%", "{", "}", "-", "_", ".", ",", "0", "7", "42", "x1", "Ꭰ", "ა", "Ა", "ꭰ", "𐐀", "ⱥ", "Ⱥ")
NUMERALS = ("42", "-7", "+3", " 12 ", "1_000", "1__0", "_1", "0x1f", "0b101", "0o17", "1e5", "-1.5e-3", "nan", "-inf", "Infinity", ".5", "5.", "1_0.5", "٣", "१२", "１２", "-٣.٥", "𝟘𝟙", "²", "½", "一", "", "007", "1 2", "12345678901234567890", "1e400", "9" * 40, "1.7976931348623157e308")
SMALL = ("0", "1", "2", "3", "-1", "-2", "5", "8", "-9", "20")
INTEGERS = ("n", "z", "neg", "huge", "wide", "edge", "least", "schema.maximum", "1", "2", "-3", "10", "255", "9007199254740993", "9223372036854775808", "0xffffffffffffffffff", "1_000_000", "10 ** 25", "2 ** 64", "yes", "123456789012345678901234567890")
REALS = ("f", "m", "x", "0.5", "1.5", "2.675", "0.1", "1e16", "1e22", "5e-324", "1.7976931348623157e308", "-0.05", "123456789.125", "1e-7", "2.5e15", "9007199254740993.0")


def chance(r: random.Random, p: float) -> bool:
    return r.random() < p


def literal(r: random.Random, text: str) -> str:
    """A text as a literal of the template, with escapes."""
    quote = r.choice("'\"")
    out = []
    for c in text:
        code = ord(c)
        forms = [c] if c not in "\\" + quote + "\r" else []
        if chance(r, 0.15) or not forms:
            forms = [f"\\x{code:02x}"] if code < 256 else [f"\\u{code:04x}"] if code < 65536 else [f"\\U{code:08x}"]
        if code < 512 and chance(r, 0.03):
            forms = [f"\\{code:03o}"]
        if c in "\n\t\r'\"\\" and chance(r, 0.7):
            forms = [{"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(c, "\\" + c)]
        if chance(r, 0.02):
            forms = ["\\" + c]
        out.append(r.choice(forms))
    return quote + "".join(out) + quote


def pieces(r: random.Random, most: int = 6) -> str:
    return "".join(r.choice(PIECES) for _ in range(r.randint(0, most)))


def small(r: random.Random) -> str:
    return r.choice(SMALL)


def bound(r: random.Random) -> str:
    """An end of a slice or of a search."""
    return r.choice(("0", "1", "2", "3", "5", "-1", "-2", "-4", "100", "-100", "none", "huge", "wide", "yes", "n"))


def some(r: random.Random, *optional: str) -> str:
    """The first of these arguments, each after a comma."""
    return "".join(f", {a}" for a in optional[:r.randint(0, len(optional))])


def text(r: random.Random, d: int = 0) -> str:
    if d > 2 or chance(r, 0.35):
        return r.choice((lambda: literal(r, pieces(r)), lambda: r.choice(("s", "e", "g", "u", "c", "h", "w", "d.b", "ws[0]")), lambda: literal(r, r.choice(NUMERALS))))()
    t = f"({text(r, d + 1)})"
    return r.choice((
        lambda: f"{t}.{method(r, d)}", lambda: f"{t}.{method(r, d)}", lambda: f"{t}.{method(r, d)}", lambda: f"{t}|{filter_of_text(r, d)}", lambda: f"{t}|{filter_of_text(r, d)}",
        lambda: f"{t}[{bound(r)}:{bound(r)}{r.choice(('', ':' + bound(r)))}]", lambda: f"{t}[{small(r)}]", lambda: f"({t} ~ {any_(r, d + 1)})", lambda: f"({t} + {text(r, d + 1)})",
        lambda: f"({t} * {small(r)})", lambda: percent(r, d), lambda: braces(r, d), lambda: f"{list_(r, d + 1)}|join({text(r, 3)})", lambda: f"{any_(r, d + 1)}|string", lambda: f"{any_(r, d + 1)}|tojson",
        lambda: f"{t}|safe", lambda: f"{t}|e", lambda: f"({t}|safe)|{filter_of_text(r, d)}|e", lambda: f"({t}|safe).{method(r, d)}|e", lambda: f"({t}|e)|{filter_of_text(r, d)}|string|e", lambda: f"({t}|safe)|{filter_of_text(r, d)} is escaped", lambda: f"(({t}|safe).{method(r, d)}|list)|map('e')|list", lambda: f"{any_(r, d + 1)}|tojson({r.choice(('indent=2', 'ensure_ascii=true', 'sort_keys=true', 'separators=(1, 2)', none_or(r, 'indent=')))})",
    ))()


def none_or(r: random.Random, name: str) -> str:
    return name + r.choice(("none", "0", "'  '", "true"))


def method(r: random.Random, d: int = 0) -> str:
    """A method of a text with arguments that fit, and some that do not."""
    t = text(r, 3)
    if chance(r, 0.03):
        return r.choice(("append(1)", "nope", "get('a')", "items()", "upper()", "strip(1)", "find()", "split(sep=',')", "replace('a')", "startswith('a', prefix='b')", "__class__", "join(1)", "center(5, 'ab')", "strip(chars='a')",
                         "splitlines(keepends=true)", "expandtabs(tabsize=3)", "split(',', maxsplit=1)", "rsplit(none, 1, 2)", "format_map({'a': 1})", "maketrans('a', 'b')", "count(1)", "find('a', '0')", "find('a', 1.0)", "index(sub='a')", "removeprefix(1)"))
    return r.choice((
        lambda: f"{r.choice(('find', 'rfind', 'index', 'rindex', 'count'))}({t}{some(r, bound(r), bound(r))})", lambda: f"{r.choice(('startswith', 'endswith'))}({r.choice((t, f'({t}, {text(r, 3)})', '()'))}{some(r, bound(r), bound(r))})",
        lambda: f"{r.choice(('upper', 'lower', 'title', 'capitalize', 'swapcase', 'casefold'))}()",
        lambda: f"{r.choice(('isupper', 'islower', 'istitle', 'isalpha', 'isdigit', 'isdecimal', 'isnumeric', 'isalnum', 'isspace', 'isascii', 'isidentifier', 'isprintable'))}()",
        lambda: f"{r.choice(('strip', 'lstrip', 'rstrip'))}({r.choice(('', 'none', t))})", lambda: f"{r.choice(('split', 'rsplit'))}({r.choice(('', 'none', t, 'none, ' + small(r), t + ', ' + small(r), 'maxsplit=1', 'sep=' + t))})",
        lambda: f"splitlines({r.choice(('', 'true', '0', 'false'))})", lambda: f"replace({t}, {text(r, 3)}{some(r, small(r))})", lambda: f"{r.choice(('center', 'ljust', 'rjust'))}({small(r)}{some(r, literal(r, r.choice(PIECES)))})", lambda: f"zfill({small(r)})",
        lambda: f"{r.choice(('partition', 'rpartition', 'removeprefix', 'removesuffix'))}({t})", lambda: f"expandtabs({r.choice(('', small(r)))})", lambda: f"join({list_(r, d + 2)})", lambda: f"format({some(r, any_(r, 3), any_(r, 3))[2:]})",
    ))()


def filter_of_text(r: random.Random, d: int = 0) -> str:
    return r.choice((
        lambda: r.choice(("upper", "lower", "title", "capitalize", "trim", "length", "first", "last", "list", "reverse", "int", "float", "e", "safe", "string", "forceescape", "striptags", "urlencode", "wordcount", "list|sort|join", "list|unique|join", "list|max", "count", "abs")),
        lambda: f"trim({r.choice((text(r, 3), 'none'))})", lambda: f"replace({text(r, 3)}, {text(r, 3)}{some(r, small(r))})", lambda: f"indent({r.choice(('2', repr('> '), 'none', '1'))}{some(r, r.choice(('true', 'false')), r.choice(('true', 'false')))})",
        lambda: f"truncate({r.choice(('3', '5', '8', '0', 'none'))}{some(r, r.choice(('true', 'false')), repr(r.choice(('...', '', '<'))), r.choice(('0', '2', 'none')))})", lambda: f"center({small(r)})", lambda: f"int({r.choice(('5', 'none', repr('x')))}{some(r, r.choice(('0', '2', '8', '16', '36', '10', '37')))})",
        lambda: f"float({r.choice(('1', 'none', '-0.0'))})", lambda: f"default({any_(r, 3)}{some(r, 'true')})", lambda: f"format({any_(r, 3)})", lambda: f"wordwrap({r.choice(('3', '5', '10'))})", lambda: f"attr('{r.choice(('upper', 'nope', '__class__'))}')", lambda: f"batch({small(r)})|list", lambda: f"slice({small(r)})|list",
    ))()


def percent(r: random.Random, d: int) -> str:
    flags = "".join(r.choice("-+ 0#") for _ in range(r.choice((0, 0, 0, 1, 2))))
    conversion = f"%{flags}{r.choice(('', '', '5', '12'))}{r.choice(('', '', '.0', '.2', '.'))}{r.choice('sdrixXofFeEgGcau%')}"
    value = r.choice((any_, whole, number, text))(r, d + 2)
    return r.choice((f"('[{conversion}]' % ({value},))", f"('[{conversion}]' % {value})", f"('[{conversion}]'|format({value}))", f"('<{conversion}>'|safe % ({value},))", f"('%(a)s {conversion}' % ({value}, 1))", f"('%(a)s|%(b)s' % d)"))


def braces(r: random.Random, d: int) -> str:
    spec = r.choice(("", "", "", ":", ":>8", ":*^9", ":05d", ":x", ":#X", ":,", ":_", ":.2f", ":e", ":+", ":08.3f", ":#.2f", ":.5", ":5c", ":+n", ":s", ":.3", ":n", ":c", "!r", "!s", "!a", "!r:>6", ":%", ":b", ":=+6"))
    value = r.choice((any_, whole, number, text))(r, d + 2)
    return r.choice((f"'[{{{spec}}}]'.format({value})", f"'{{0{spec}}}{{0}}'.format({value})", f"'{{a{spec}}}'.format(a={value})", f"('<{{{spec}}}>'|safe).format({value})", f"'{{:{{}}}}'.format({value}, {small(r)})"))


def whole(r: random.Random, d: int = 0) -> str:
    if d > 2 or chance(r, 0.4):
        return r.choice(INTEGERS)
    i = f"({whole(r, d + 1)})"
    return r.choice((
        lambda: f"({i} {r.choice(('+', '-', '*', '//', '%', '+', '-', '*'))} {whole(r, d + 1)})", lambda: f"({i} {r.choice(('+', '-', '*', '//', '%'))} {whole(r, d + 1)})", lambda: f"(-{i})", lambda: f"(+{i})", lambda: f"{i}|abs", lambda: f"({i} ** {r.choice(('0', '1', '2', '3', '5'))})",
        lambda: f"{text(r, d + 1)}|length", lambda: f"{list_(r, d + 1)}|length", lambda: f"{any_(r, d + 1)}|int", lambda: f"{number(r, d + 1)}|int", lambda: f"{i}|round({r.choice(('0', '-1', '-2', '1', '-25'))}{some(r, repr(r.choice(('common', 'ceil', 'floor', 'nope'))))})", lambda: f"[{i}, {whole(r, 3)}]|{r.choice(('sum', 'max', 'min'))}",
        lambda: f"{list_(r, d + 1)}.{r.choice(('index', 'count'))}({any_(r, 3)})", lambda: f"({text(r, d + 1)}).{r.choice(('find', 'rfind', 'count'))}({text(r, 3)}{some(r, bound(r), bound(r))})", lambda: f"{literal(r, r.choice(NUMERALS))}|int", lambda: f"{i}.{r.choice(('real', 'imag', 'numerator', 'bit_length()', 'conjugate()', 'denominator'))}",
    ))()


def number(r: random.Random, d: int = 0) -> str:
    if chance(r, 0.3):
        return whole(r, d)
    if d > 2 or chance(r, 0.3):
        return r.choice(REALS)
    a = f"({number(r, d + 1)})"
    return r.choice((
        lambda: f"({a} / {number(r, d + 1)})", lambda: f"({whole(r, d + 1)} / {whole(r, d + 1)})", lambda: f"({a} {r.choice(('+', '-', '*', '//', '%'))} {number(r, d + 1)})", lambda: f"{a}|float", lambda: f"(-{a})", lambda: f"{a}|abs", lambda: f"({a} ** {r.choice(('2', '0.5', '-1', '-2', '0'))})",
        lambda: f"{a}|round({r.choice(('0', '1', '2', '-1', '17', '-3', '400', 'none'))}{some(r, repr(r.choice(('common', 'ceil', 'floor'))))})", lambda: f"{a}|round", lambda: f"{literal(r, r.choice(NUMERALS))}|float", lambda: f"{any_(r, d + 1)}|float", lambda: f"[{a}, {number(r, 3)}]|sum", lambda: f"{a}|filesizeformat",
    ))()


TESTS = ("defined", "undefined", "none", "string", "mapping", "iterable", "sequence", "number", "integer", "float", "boolean", "true", "false", "callable", "lower", "upper", "escaped", "odd", "even", "divisibleby 3", "in [1, none]", "sameas none", "eq 1", "filter", "test", "ne none", "gt 2", "lt 1.5")


def truth(r: random.Random, d: int = 0) -> str:
    if d > 2 or chance(r, 0.15):
        return r.choice(("yes", "no", "true", "False"))
    return r.choice((
        lambda: f"({any_(r, d + 1)} is {r.choice(('', 'not '))}{r.choice(TESTS)})", lambda: f"({text(r, d + 1)} is {r.choice(('lower', 'upper'))})", lambda: f"({number(r, d + 1)} {r.choice(('<', '<=', '>', '>=', '==', '!='))} {number(r, d + 1)})", lambda: f"({any_(r, d + 1)} {r.choice(('==', '!='))} {any_(r, d + 1)})",
        lambda: f"({text(r, d + 1)} {r.choice(('<', '>=', 'in', 'not in', '=='))} {text(r, d + 1)})", lambda: f"({any_(r, d + 1)} in {list_(r, d + 1)})", lambda: f"({list_(r, d + 1)} {r.choice(('<', '==', '>='))} {list_(r, d + 1)})", lambda: f"(not {truth(r, d + 1)})", lambda: f"({truth(r, d + 1)} {r.choice(('and', 'or'))} {any_(r, d + 1)})",
        lambda: f"({text(r, d + 1)}).{r.choice(('isupper', 'islower', 'istitle', 'isdigit', 'isnumeric', 'isdecimal', 'isalnum', 'isalpha', 'isspace', 'isidentifier', 'isprintable', 'isascii'))}()",
    ))()


def range_(r: random.Random) -> str:
    return r.choice(("range(5)", "range(2, 9)", "range(10, 0, -3)", "range(0)", "range(5, 1)", "range(-3, 3, 2)", "range(edge, edge)", "range(1, 20, 7)"))


def list_(r: random.Random, d: int = 0) -> str:
    if d > 2 or chance(r, 0.3):
        return r.choice(("xs", "ws", "em", "ns_", "mix", "[none, none]", "[1, 2.5, 'a']", "(1, 'b')", "()", "d.keys()", "d.values()", "d.items()", "[none, 1]", "[[1, 'a'], [1, none]]", "[(1, none), (1, none)]", "[2, 1.5, true]", "['b', 'B', 'a']", range_(r), "[huge, edge, 1e19]", "d", "ds"))
    x = list_(r, d + 1)
    return r.choice((
        lambda: f"({x})[{bound(r)}:{bound(r)}{r.choice(('', ':' + bound(r)))}]", lambda: f"({range_(r)})[{bound(r)}:{bound(r)}:{bound(r)}]", lambda: f"({range_(r)})[{bound(r)}:{bound(r)}]", lambda: f"({range_(r)})[{bound(r)}:]", lambda: f"{x}|sort{r.choice(('', '(true)', '(case_sensitive=true)', '(reverse=true)'))}", lambda: f"{x}|list", lambda: f"{x}|reverse|list", lambda: f"{x}|unique|list",
        lambda: f"[{any_(r, d + 1)}, {any_(r, d + 1)}]", lambda: f"[{any_(r, d + 1)}, {any_(r, d + 1)}]|sort", lambda: f"({any_(r, d + 1)}, {any_(r, d + 1)})", lambda: f"{x}|map({r.choice(('string', 'upper', 'int', 'list', 'length', 'e', 'abs', 'first', 'title'))!r})|list", lambda: f"({text(r, d + 1)}).{r.choice(('split', 'rsplit'))}({r.choice(('', text(r, 3), 'none, 1'))})", lambda: f"({text(r, d + 1)}).splitlines()",
        lambda: f"{x}|{r.choice(('select', 'reject'))}({r.choice(('defined', 'string', 'number', 'none', 'upper', 'lower', 'odd', 'true'))!r})|list", lambda: f"({x} + {list_(r, d + 1)})", lambda: f"({x} * {small(r)})", lambda: f"ds|sort(attribute={r.choice(('k', 'v', 'k,v', 'nope'))!r})", lambda: f"d|dictsort{r.choice(('', '(true)', '(by=' + repr('value') + ')', '(reverse=true)'))}", lambda: f"ds|map(attribute={r.choice(('k', 'v', 'nope'))!r})|list",
        lambda: f"ds|groupby({r.choice(('k', 'v'))!r})", lambda: f"{x}|batch({small(r)}{some(r, any_(r, 3))})|list", lambda: f"{x}|slice({small(r)}{some(r, any_(r, 3))})|list", lambda: f"{x}.{r.choice(('copy()', 'append(1)', 'pop', 'index(1, 1)', 'index(1, -2, 9)', 'count(none)', 'sort()', 'keys()', 'start', 'stop', 'step', 'nope'))}",
    ))()


def dict_(r: random.Random, d: int = 0) -> str:
    return r.choice(("d", "{'a': 1, 'é': 'ß'}", f"{{{any_(r, d + 2)}: {any_(r, d + 2)}}}", f"dict.fromkeys({list_(r, d + 2)}{some(r, any_(r, 3))})", f"dict.fromkeys({text(r, 3)})", "{}.fromkeys([1, 2])", f"dict(a={any_(r, 3)})", "dict(d, b=2)", "schema", "namespace(a=1)", "dict([(1, 2)])", "d.copy()", f"d.get({any_(r, 3)}{some(r, any_(r, 3))})",
                     "{1: 'i', 1.0: 'f', true: 't'}", "{2**64: 1}[18446744073709551616]", "d.pop('a')", "d.setdefault('a')", "d.update", "d|items|list", "{18446744073709551616.0: 1}[2**64]", "(d.keys() == {'Z': 1, 'a': 2, 'b': 3, 'c': 4}.keys())", "(d.keys() >= {'a': 1}.keys())"))


def other(r: random.Random, d: int = 0) -> str:
    return r.choice(("nil", "none", "missing", "d.nope", "xs[9]", "d['a']", "em|first", "(s if no)", "ws|last", "(range is callable)", "xs[huge]", "s[huge]", "d[huge]", "mix[-1]", "d.a", "(s.upper is callable)", "xs.append", "s.__class__", "missing.x", "namespace(a=1).a", "[1].__len__", "xs|first", "missing|default('d')", "yes.real", "f.is_integer()", "f.real", "n.__add__"))


def any_(r: random.Random, d: int = 0) -> str:
    return r.choice((text, text, text, whole, number, truth, list_, dict_, other))(r, d)
