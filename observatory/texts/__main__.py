"""Writes examples.tsv: `python -m observatory.texts`. Causes are in the records of the findings (observatory/findings/records/vllm-mlx.toml).

A module of this package for each kind of vector of scripts/record has rows(seed, n): those of its findings, in n draws for each parser.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.record.support import serving_package

from . import eos, events, reasoning, tools

KINDS = {"eos": eos, "reasoning": reasoning, "tools": tools, "events": events}
N_DRAWS = 4000  # for each parser
EXAMPLES = Path("observatory/texts/examples.tsv")
HEAD = """\
# Where vllm-mlx disagrees with itself on drawn texts. Made by `python -m observatory.texts`. Tab-separated: finding, parser or endpoint (with its reasoning
# and tool parser), draws that show it, the shortest found (the deltas in quotes), what the stream says (C content, R reasoning, or the message), and the
# other answer: the whole one, in …-cuts a stream of single tokens, in events-endpoints chat completions; where there is no other, what must be.
"""


def made(kind: str) -> list[str]:
    return ["\t".join(row) for row in KINDS[kind].rows(0, N_DRAWS)]


def stored(kind: str) -> list[str]:
    prefix = "odd-stop-" if kind == "eos" else f"{kind}-"
    return [line for line in EXAMPLES.read_text(encoding="utf-8").split("\n") if line.startswith(prefix)]


def run(options: argparse.Namespace) -> int:
    serving_package.load()
    chosen = options.only or list(KINDS)
    found = {kind: made(kind) if kind in chosen else stored(kind) for kind in KINDS}
    if not options.check:
        EXAMPLES.write_text(HEAD + "".join(f"{line}\n" for lines in found.values() for line in lines), encoding="utf-8")
        return 0
    differing = [kind for kind in chosen if found[kind] != stored(kind)]
    print("\n".join(f"{EXAMPLES}: {kind}" for kind in differing) or "made again, nothing differs")
    return 1 if differing else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m observatory.texts", description=f"Writes {EXAMPLES}: where parsers and endpoints disagree with themselves.")
    parser.add_argument("--only", action="append", choices=KINDS, metavar="KIND", help=f"{', '.join(KINDS)} (repeatable; default all)")
    parser.add_argument("--check", action="store_true", help=f"write nothing: compare with {EXAMPLES}; exit 1 where it differs")
    options = parser.parse_args(arguments)
    try:
        return run(options)
    except (RuntimeError, OSError) as error:
        print(f"texts: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
