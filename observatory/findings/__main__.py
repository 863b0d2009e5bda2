"""Findings of published systems.

`python -m observatory.findings NAME` runs the system of a finding that no bundled observation can show, on a bundled checkpoint, and prints its
error as a multiple of the bound. The exit status is 1 if it diverges, as the finding claims, and 0 if it does not. `--all` runs every one;
`--list` lists them. `show NAME` prints a record, `page` makes observatory/FINDINGS.md; neither needs a published system.
"""

from __future__ import annotations

import sys

from . import page, records


def run(arguments: list[str]) -> int:
    from . import media, mlx_lm, stored, transformers  # noqa: F401  (they name findings)
    from .ask import SHOWN
    from .shown import choose
    worst = 0.0
    for name in choose("findings", SHOWN, arguments):
        print(f"{name}: {SHOWN[name].__doc__}", flush=True)
        worst = max(worst, SHOWN[name]())
    return 1 if worst > 1 else 0


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] not in page.COMMANDS:
        return run(arguments)
    try:
        return page.main(arguments)
    except records.Wrong as error:
        print(f"observatory.findings: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
