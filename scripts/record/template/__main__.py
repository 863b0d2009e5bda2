"""Renders chat templates with jinja2 as transformers sets it up: `python -m scripts.record.template`.

Writes messages.json.gz (chat templates with random messages, tools and flags), features.json.gz (random programs that use single
features) and kinds.json.gz (programs of the kinds in which compare.py found differences). Needs jinja2 and transformers
(requirements.txt here), not torch.
An expected error is the text of raise_exception, or null: any error. A text that contains an address is no golden.
"""

from __future__ import annotations

import argparse
import random
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..support import archives
from ..support.textual import write
from . import draw, features, fields, filters, kinds, macros, scopes, templates
from .render import NOW, expected

CATCHES = "white space that is kept or removed, scopes, slices, text of values, JSON, methods, filters, tests, loops, errors of templates"


def vector(number: int, template: str, variables: dict[str, Any]) -> dict[str, Any] | None:
    expect = expected(template, variables)
    if expect is None:
        return None
    made: dict[str, Any] = {"id": number, "flags": []}
    if "error" in expect:
        made["verdict"] = "reject"
    return {**made, "input": {"template": template, "variables": variables, "now": NOW}, "expect": expect}


def chats(seed: int, n: int) -> list[dict[str, Any]]:
    groups = []
    for name, template in templates.ALL.items():
        r = random.Random(f"{seed} template {name}")
        vectors = [vector(i + 1, template, draw.variables(r)) for i in range(n)]
        groups.append({"name": name, "vectors": [v for v in vectors if v]})
    return groups


def programs(seed: int, n: int) -> list[dict[str, Any]]:
    groups = []
    for name, depth in (("expressions", 3), ("statements", 2), ("programs", 1)):
        r = random.Random(f"{seed} template {name}")
        vectors = [vector(i + 1, features.program(r, depth), features.VARIABLES) for i in range(n)]
        groups.append({"name": name, "vectors": [v for v in vectors if v]})
    for module in (scopes, filters, fields, macros):
        name = module.__name__.rsplit(".", 1)[1]
        r = random.Random(f"{seed} template {name}")
        vectors = [vector(i + 1, module.program(r), module.VARIABLES) for i in range(n)]
        groups.append({"name": name, "vectors": [v for v in vectors if v]})
    return groups


def found() -> list[dict[str, Any]]:
    vectors = [vector(i + 1, program, variables) for i, (program, variables) in enumerate(kinds.programs())]
    return [{"name": "kinds", "vectors": [v for v in vectors if v]}]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.template", description="Records chat templates.")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (default: 0)")
    parser.add_argument("--messages", type=int, default=120, metavar="N", help="vectors of each chat template (default: 120)")
    parser.add_argument("--programs", type=int, default=200, metavar="N", help="programs of each size (default: 200)")
    parser.add_argument("--out", type=Path, default=Path("fixtures/serving/template"), help="directory that receives the files")
    options = parser.parse_args(arguments)
    source = f"jinja2 {version('jinja2')}, transformers {version('transformers')}"
    for name, groups in (("messages", chats(options.seed, options.messages)), ("features", programs(options.seed, options.programs)), ("kinds", found())):
        document = {"schema": "assay/1", "kind": "template", "source": source, "recorder": f"scripts/record/template, seed {options.seed}",
                    "catches": CATCHES, "groups": groups}
        write(options.out / f"{name}.json.gz", document)
        print(f"template/{name}.json.gz: {sum(len(g['vectors']) for g in groups)} vectors")
    archives.store(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
