"""Writes the sections of observatory/FINDINGS.md on text: `python -m observatory.texts`.

A module of this package for each kind of vector of scripts/record/serving has

    TITLE                     of its section
    lines(seed, n) -> lines   the section below its heading: where the published server disagrees with itself, in n draws for each parser
"""

from __future__ import annotations

import argparse
import re
import sys
from types import ModuleType

from scripts.record.support import serving_package

from . import FINDINGS, eos, events, reasoning, tools

KINDS = {"eos": eos, "reasoning": reasoning, "tools": tools, "events": events}
N_DRAWS = 4000  # per group


def section(text: str, title: str) -> re.Match[str] | None:
    """The section of a Markdown text with this title: its heading and everything up to the next heading of the same
    level."""
    return re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)


def with_section(text: str, title: str, lines: list[str]) -> str:
    """The text with the section replaced; a new section is inserted before the section Sound."""
    made = f"## {title}\n\n" + "\n".join(lines) + "\n\n"
    found = section(text, title) or re.search(r"^(?=## Sound$)", text, re.MULTILINE)
    if not found:
        raise RuntimeError(f"{FINDINGS}: no section {title}, nor one called Sound to put it before")
    return text[:found.start()] + made + text[found.end():]


def with_commands(lines: list[str], kind: str) -> list[str]:
    """The section with a command after each entry that reproduces it."""
    command = ["", f"    python -m observatory.texts --only {kind}"]
    made: list[str] = []
    for line in lines:
        if line.startswith("### ") and any(before.startswith("### ") for before in made):
            while not made[-1]:
                made.pop()
            made += [*command, ""]
        made.append(line)
    return made + command


def kept(kind: str, module: ModuleType) -> str:
    """The text of FINDINGS with this kind's section up to date."""
    return with_section(FINDINGS.read_text(), module.TITLE, with_commands(module.lines(0, N_DRAWS), kind))


def run(options: argparse.Namespace) -> int:
    serving_package.load()
    differing = []
    for kind in options.only or KINDS:
        text = kept(kind, KINDS[kind])
        if not options.check:
            FINDINGS.write_text(text)
        elif text != FINDINGS.read_text():
            differing.append(f"{FINDINGS}: {KINDS[kind].TITLE}")
    if options.check:
        print("\n".join(differing) or "written again, nothing differs")
    return 1 if differing else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m observatory.texts",
                                     description=f"Writes the sections of {FINDINGS} on parsers and endpoints of the published server.")
    parser.add_argument("--only", action="append", choices=KINDS, metavar="KIND", help=f"{', '.join(KINDS)} (repeatable; default all)")
    parser.add_argument("--check", action="store_true", help=f"write nothing: compare the sections of {FINDINGS}; exit 1 where they differ")
    options = parser.parse_args(arguments)
    try:
        return run(options)
    except (RuntimeError, OSError) as error:
        print(f"texts: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
