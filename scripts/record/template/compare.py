"""Compares a renderer with jinja2 on random programs: `python -m scripts.record.template.compare MODULE.so`.

MODULE.so exports assay_serving_v2, such as ref32. Each program has one of these outcomes: both render the same text; both fail; the module
refuses it as unsupported, which is counted by the name of what is missing; or they differ, which is shown. The exit status is 1 if any differ.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import sys
from collections import Counter
from typing import Any

from ..support.serving_module import ERROR_MAX, UNSUPPORTED, Module, Refused
from . import draw, features, fields, filters, macros, scopes, syntax, templates
from .render import NOW, expected

SECONDS_MAX = 5  # of the processor for jinja2 and one program; what takes longer has no outcome


def draw_program(r: random.Random) -> tuple[str, dict[str, Any]]:
    if r.randrange(5) == 0:
        template, variables = draw_usual(r)
        return syntax.changed(r, template), variables
    return (syntax.program(r), syntax.VARIABLES) if r.randrange(4) == 0 else draw_usual(r)


def draw_usual(r: random.Random) -> tuple[str, dict[str, Any]]:
    kind = r.randrange(20)
    if kind < 10:
        return macros.program(r), macros.VARIABLES
    if kind < 13:
        return features.program(r, r.randint(1, 3)), features.VARIABLES
    if kind < 19:
        module = r.choice((scopes, filters, fields))
        return module.program(r), module.VARIABLES
    return r.choice(list(templates.ALL.values())), draw.variables(r)


def kind_of(message: str) -> str:
    """What an error says, without the line and without what differs from one use to the next."""
    return re.sub(r"U\+[0-9A-F]+|\d{4,}", "N", re.sub(r"^line \d+: ", "", message))


class Overtime(BaseException):
    """jinja2 takes too long; not an Exception, which would be an error of the template."""


def stop(number: int, frame: Any) -> None:
    raise Overtime


def golden(template: str, variables: dict[str, Any]) -> dict[str, Any] | None:
    """What jinja2 makes of it; None: no outcome."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_MAX)
    try:
        return expected(template, variables)
    except Overtime:
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def rendered(module: Module, template: str, variables: str) -> tuple[int, str]:
    """The module's status, and the text or the error."""
    try:
        return 0, module.render(template, variables, NOW)
    except Refused as refused:
        return refused.status, str(refused)


def shown_form(text: str) -> str:
    """As a module's messages show it: white space as a blank, hidden characters as escapes (lib/base/shown.h)."""
    text = re.sub(r"[\t-\r]", " ", text)
    return re.sub(r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]",
                  lambda m: f"\\u{ord(m[0]):04X}" if ord(m[0]) < 0x10000 else f"\\U{ord(m[0]):08X}", text)


def outcome(expect: dict[str, Any], status: int, found: str) -> str:
    if expect.get("error", "") is None:
        return "same" if status else "accepted"
    if status == UNSUPPORTED:
        return "unsupported"
    if "error" in expect:
        shown = shown_form(expect["error"]).encode()[:ERROR_MAX].decode(errors="ignore")
        return "accepted" if status == 0 else "same" if shown in found else "error"
    return "rejected" if status else "same" if found == expect["text"] else "text"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.template.compare", description="Compares a renderer with jinja2.")
    parser.add_argument("module", metavar="MODULE.so", help="a module that exports assay_serving_v2")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (default: 0)")
    parser.add_argument("--programs", type=int, default=2000, metavar="N", help="programs that are drawn (default: 2000)")
    parser.add_argument("--show", type=int, default=20, metavar="N", help="differences that are shown (default: 20)")
    options = parser.parse_args(arguments)
    module = Module(options.module)
    signal.signal(signal.SIGVTALRM, stop)
    counts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for number in range(options.programs):
        r = random.Random(f"{options.seed} compare {number}")
        template, variables = draw_program(r)
        expect = golden(template, variables)
        if expect is None:
            counts["no golden"] += 1
            continue
        status, found = rendered(module, template, json.dumps(variables))
        kind = outcome(expect, status, found)
        counts[kind] += 1
        if kind == "unsupported":
            refused[kind_of(found)] += 1
        elif kind != "same":
            if counts["text"] + counts["rejected"] + counts["accepted"] + counts["error"] <= options.show:
                print(f"{kind} {number}: {template!r}\n    expected {expect!r}\n    found    {found!r}")
    for kind, n in counts.most_common():
        print(f"{n:8} {kind}")
    for kind, n in refused.most_common():
        print(f"{n:8} unsupported: {kind}")
    return 1 if counts["text"] + counts["rejected"] + counts["accepted"] + counts["error"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
